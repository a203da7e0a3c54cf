// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan check`, as a user meets it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PlanCheck : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    return write_file(folder_.path() / name, text);
  }
  // The cables of a fabric as CSV, with one line left out and two ends exchanged.
  static std::string without_line(std::string text, std::size_t number) {
    std::size_t at = 0;
    for (; number > 1; --number) at = text.find('\n', at) + 1;
    return text.erase(at, text.find('\n', at) + 1 - at);
  }
  test::Folder folder_;
};

TEST_F(PlanCheck, ATreeAsItShouldBe) {
  const Outcome outcome = heddle({"plan", "check", "fat-tree:4,6", "--plan", "fat-tree:4,6"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0 errors, 0 warnings"));
}

TEST_F(PlanCheck, AgainstItsOwnCablingCsv) {
  const std::string csv = heddle({"sim", "export", "fat-tree:4,6", "--format", "cabling"}).out;
  const std::string all = write("all.csv", csv);
  EXPECT_EQ(heddle({"plan", "check", "fat-tree:4,6", "--plan", all}).exit, 0);
  const std::string less = write("less.csv", without_line(csv, 30));
  const Outcome outcome = heddle({"plan", "check", "fat-tree:4,6", "--plan", less, "-o", "json"});
  EXPECT_EQ(outcome.exit, 5);
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["warnings"], 1);
  EXPECT_EQ(report["findings"][0]["code"], "extra");
  EXPECT_EQ(report["findings"][0]["where"].size(), 2u);
}

TEST_F(PlanCheck, AgainstItsOwnJson) {
  const std::string all =
      write("all.json", heddle({"sim", "export", "fat-tree:4,6", "--format", "json"}).out);
  const Outcome outcome = heddle({"plan", "check", "fat-tree:4,6", "--plan", all, "-o", "csv"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("severity,check,code,line,where,text\n"));
}

TEST_F(PlanCheck, ADumpWithASwapHasLinesAndNames) {
  const std::string dump = heddle({"sim", "export", "fat-tree:4,6", "--format", "ibsim"}).out;
  const std::string file = write("dump.net", dump);
  const std::string map = write("map", "# names\n0xffff \"nobody\"\n");
  const Outcome outcome = heddle(
      {"plan", "check", file, "--plan", "fat-tree:4,6", "--node-name-map", map, "-o", "json"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  const std::string wrong_map = write("wrong", "0x1 \"a\"\nnot a guid\n");
  const Outcome wrong = heddle({"plan", "check", file, "--node-name-map", wrong_map});
  EXPECT_EQ(wrong.exit, 6);
  EXPECT_THAT(wrong.err, HasSubstr("wrong:2:1: 'not' is no node GUID"));
}

TEST_F(PlanCheck, HalfADumpIsSaidToBeOne) {
  std::string dump = heddle({"sim", "export", "fat-tree:4,6", "--format", "ibnetdiscover"}).out;
  dump.resize(dump.size() * 2 / 3);
  const Outcome outcome = heddle({"plan", "check", write("half", dump), "-o", "json"});
  EXPECT_THAT(outcome.exit, testing::AnyOf(5, 6)) << outcome.out << outcome.err;
  if (outcome.exit == 6) {
    EXPECT_THAT(outcome.err, HasSubstr("half:"));
    return;
  }
  const json report = json::parse(outcome.out);
  bool has_line = false;
  for (const json& finding : report["findings"]) {
    has_line = has_line || (finding["code"] == "doubtful" && finding["line"].is_number());
  }
  EXPECT_TRUE(has_line) << outcome.out;
}

TEST_F(PlanCheck, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(heddle({"plan", "check", "no-such-file"}).exit, 6);
  const std::string bad =
      write("bad.csv", "start device,start port,end device,end port\na,0,b,1\n");
  const Outcome outcome = heddle({"plan", "check", "fat-tree:4,6", "--plan", bad});
  EXPECT_EQ(outcome.exit, 6);
  EXPECT_THAT(outcome.err, HasSubstr("bad.csv:2: a port"));
  EXPECT_EQ(heddle({"plan", "check"}).exit, 2);
}

}  // namespace
}  // namespace heddle::app
