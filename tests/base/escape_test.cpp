// SPDX-License-Identifier: BSD-3-Clause
#include "base/escape.hpp"

#include <string>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

TEST(Escape, MarkupEndsNoTagAndNoAttribute) {
  EXPECT_EQ(markup("</script><b a=\"1\" c='2'>&"),
            "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
}

TEST(Escape, MarkupKeepsUtf8AndNothingThatIsNone) {
  EXPECT_EQ(markup("Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80"),
            "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(markup("a\x01\n\x7f"), "a???");
  EXPECT_EQ(markup("\xff|\x80|\xc3"), "?|?|?") << "no character, a tail alone, half of one";
  EXPECT_EQ(markup("\xc0\xbc"), "??") << "a '<' in a form that is too long";
  EXPECT_EQ(markup("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(markup("\xef\xbf\xbf"), "???") << "U+FFFF";
  EXPECT_EQ(markup("\xf4\x90\x80\x80"), "????") << "beyond the last character";
}

TEST(Escape, ACsvFieldIsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_field("leaf-1"), "leaf-1");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("#1"), "\"#1\"");
  EXPECT_EQ(csv_field("two\r\nlines"), "two??lines");
}

TEST(Escape, ACsvFieldIsNoFormula) {
  for (const std::string text : {"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "=1,2"}) {
    const std::string field = csv_field(text);
    EXPECT_EQ(field.substr(field.front() == '"' ? 1 : 0, 2), "'" + text.substr(0, 1)) << text;
  }
}

TEST(Escape, WhatAFieldWasGivenComesBack) {
  for (const std::string text : {"leaf-1", "=x", "'=x", "''@x", "'x", "'", "", "a=b"}) {
    EXPECT_EQ(csv_plain(csv_field(text)), text) << text;
  }
}

}  // namespace
}  // namespace heddle::base
