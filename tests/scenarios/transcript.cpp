// SPDX-License-Identifier: BSD-3-Clause
#include "tests/scenarios/transcript.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace heddle::test {
namespace {

const std::string kPrompt = "> ";

std::string line_or_end(const std::vector<std::string>& lines, std::size_t at) {
  return at < lines.size() ? lines[at] : "(nothing)";
}

}  // namespace

std::vector<Block> read_transcript(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::vector<Block> blocks;
  std::vector<std::string> before;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') {
      before.push_back(line);
    } else if (line.starts_with(kPrompt)) {
      blocks.push_back({std::exchange(before, {}), line.substr(kPrompt.size()), {}});
    } else if (blocks.empty()) {
      throw std::runtime_error(file.string() + ": nothing can happen before the first command");
    } else {
      blocks.back().happened.push_back(line);
    }
  }
  return blocks;
}

void write_transcript(const std::filesystem::path& file, const std::vector<Block>& blocks) {
  std::ofstream stream(file, std::ios::trunc);
  for (const Block& block : blocks) {
    for (const std::string& line : block.before) stream << line << "\n";
    stream << kPrompt << block.command << "\n";
    for (const std::string& line : block.happened) stream << line << "\n";
  }
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string difference(const std::vector<Block>& expected, const std::vector<Block>& actual) {
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const auto& wanted = expected[b].happened;
    const auto& got = actual[b].happened;
    for (std::size_t i = 0; i < std::max(wanted.size(), got.size()); ++i) {
      const std::string want = line_or_end(wanted, i);
      const std::string have = line_or_end(got, i);
      if (want == have) continue;
      return "> " + expected[b].command + "\nline " + std::to_string(i + 1) + " of what happened" +
             "\n  expected " + want + "\n  now      " + have;
    }
  }
  return {};
}

}  // namespace heddle::test
