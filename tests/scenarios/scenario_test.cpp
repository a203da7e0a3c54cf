// SPDX-License-Identifier: BSD-3-Clause
// Every transcript beside this file is played again and must come out as it is written.
// HEDDLE_REWRITE=1 writes what comes out instead; the difference is for a person to judge.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/scenarios/stage.hpp"
#include "tests/scenarios/transcript.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 150;  // more than that nobody reads

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(HEDDLE_SCENARIOS)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t line_count(const std::vector<Block>& blocks) {
  std::size_t lines = 0;
  for (const Block& block : blocks) lines += block.before.size() + 1 + block.happened.size();
  return lines;
}

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, ComesOutAsWritten) {
  const fs::path file = fs::path(HEDDLE_SCENARIOS) / (GetParam() + ".txt");
  const auto expected = read_transcript(file);
  auto actual = expected;
  Stage stage;
  for (Block& block : actual) block.happened = stage.carry_out(block.command);
  EXPECT_LE(line_count(actual), kMostLines);
  if (std::getenv("HEDDLE_REWRITE") != nullptr) {
    write_transcript(file, actual);
  } else {
    EXPECT_EQ(difference(expected, actual), "") << "if that is right: HEDDLE_REWRITE=1";
  }
}

INSTANTIATE_TEST_SUITE_P(Transcripts, Scenario, testing::ValuesIn(transcripts()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace heddle::test
