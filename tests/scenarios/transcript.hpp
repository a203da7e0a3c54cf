// SPDX-License-Identifier: BSD-3-Clause
// A transcript file: comments, commands, and under each command what the machine did upon it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::test {

struct Block {
  std::vector<std::string> before;  // comments and blank lines that stand above the command
  std::string command;              // without "> "
  std::vector<std::string> happened;
};

// Lines that begin with '#' and blank ones are comments, those with "> " commands; anything else
// is what happened. Throws when something happened before the first command.
std::vector<Block> read_transcript(const std::filesystem::path& file);
void write_transcript(const std::filesystem::path& file, const std::vector<Block>& blocks);

// The first place where the two differ, for a person; empty when they are the same.
std::string difference(const std::vector<Block>& expected, const std::vector<Block>& actual);

}  // namespace heddle::test
