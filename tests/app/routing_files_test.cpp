// SPDX-License-Identifier: BSD-3-Clause
#include "app/routing_files.hpp"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

std::string problem(std::string_view text) {
  const auto guids = parse_guid_list(text, "roots");
  return guids ? "none" : guids.error().message;
}

TEST(RoutingFiles, AGuidListHasAGuidOnALine) {
  const auto guids = parse_guid_list("# spines\n\n0x10 the left one\r\n 11\n", "roots");
  ASSERT_TRUE(guids) << guids.error().message;
  EXPECT_EQ(*guids, (std::vector{mad::Guid{0x10}, mad::Guid{0x11}}));
}

TEST(RoutingFiles, AGuidListThatNamesNothingIsAnError) {
  EXPECT_EQ(problem(""), "roots: it names no GUID");
  EXPECT_EQ(problem("# nobody\n"), "roots: it names no GUID");
  EXPECT_EQ(problem("0x10\nspine\n"), "roots:2: 'spine' is no GUID");
  EXPECT_EQ(problem("0x0\n"), "roots:1: '0x0' is no GUID");
}

TEST(RoutingFiles, AGuidListHasALimit) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxListedGuids; ++i) text += "0x1\n";
  EXPECT_EQ(problem(text), "roots:65537: more than 65536 GUIDs");
}

}  // namespace
}  // namespace heddle::app
