// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim export`, as a user runs it.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(SimExport, PrintsANetFileUnlessToldOtherwise) {
  Process process({"sim", "export", "star:2"});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_THAT(process.out(), HasSubstr("Switch\t2 \"S-0248440300000010\""));
  EXPECT_EQ(process.err(), "");
}

TEST(SimExport, JsonIsJson) {
  Process process({"sim", "export", "fat-tree:2,4", "--format", "json"});
  EXPECT_EQ(process.wait(), 0);
  const auto exported = nlohmann::json::parse(process.out());
  EXPECT_EQ(exported["nodes"].size(), 8u + 6u);
  EXPECT_EQ(exported["cables"].size(), 16u);
  EXPECT_EQ(exported["cables"][0]["speed"], "HDR");
}

TEST(SimExport, WritesToAFileThatLoadsAgain) {
  const test::Folder folder;
  const auto file = folder.path() / "export.net";
  Process first({"sim", "export", "ring:5", "--format", "ibsim", "-o", file.string()});
  EXPECT_EQ(first.wait(), 0);
  Process second({"sim", "export", file.string(), "--format", "cabling"});
  EXPECT_EQ(second.wait(), 0);
  EXPECT_THAT(second.out(), StartsWith("start device,start port,"));
  EXPECT_THAT(second.out(), HasSubstr("switch-1,1,host-0001,1,4x,HDR,switch-1/P1 - host-0001/P1"));
}

TEST(SimExport, WritesThroughWhatIsNoFileAndLeavesItThere) {
  const test::Folder folder;
  const auto link = folder.path() / "link";
  const auto target = folder.path() / "target";
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  Process process({"sim", "export", "star:2", "-o", link.string()});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  std::ifstream stream(target);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_THAT(text, HasSubstr("Switch\t2"));
}

TEST(SimExport, WarningsAndErrorsSayWhatAndWhere) {
  const test::Folder folder;
  const auto file = folder.path() / "odd.net";
  std::ofstream(file) << "Switch 4 \"S\"\ndo link\n";
  Process odd({"sim", "export", file.string()});
  EXPECT_EQ(odd.wait(), 0);
  EXPECT_THAT(odd.err(), HasSubstr(file.string() + ":2: the console command 'link'"));
  Process format({"sim", "export", "pair", "--format", "visio"});
  EXPECT_EQ(format.wait(), 2);
  Process fabric({"sim", "export", "no-such-file"});
  EXPECT_EQ(fabric.wait(), 6);
  Process output({"sim", "export", "pair", "-o", "/no/such/folder/x"});
  EXPECT_EQ(output.wait(), 7);
}

}  // namespace
}  // namespace heddle::app
