// SPDX-License-Identifier: BSD-3-Clause
#include "config/reference.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/options.hpp"

namespace heddle::config {
namespace {

constexpr std::size_t kSampleColumns = 90;

// The text as comment lines, broken between words.
std::string comment(std::string_view text) {
  std::string out;
  std::string line = "#";
  for (const std::string_view word : base::split(text, ' ')) {
    if (line.size() + 1 + word.size() > kSampleColumns) {
      out += line + "\n";
      line = "#";
    }
    line += ' ';
    line += word;
  }
  return out + line + "\n";
}

std::string with_unit(const Option& option) {
  if (option.unit.empty()) return range_text(option);
  return fmt::format("{} ({})", range_text(option), option.unit);
}

}  // namespace

std::string sample_file() {
  std::string out =
      "# Configuration of the Heddle subnet manager: heddle sm --config FILE\n"
      "# Everything here is optional; what stands commented out is the default.\n"
      "# heddle config check FILE tells what is wrong with a file, without starting anything.\n";
  for (const Section& section : sections()) {
    out += fmt::format("\n{}[{}]\n", comment(section.meaning), section.name);
    for (const Option& option : options()) {
      if (option.section != section.name) continue;
      out += fmt::format("\n{}{}#{} = {}\n", comment(option.meaning),
                         comment("Value: " + with_unit(option)), option.key,
                         text_of(Config{}, option));
    }
  }
  return out;
}

std::string markdown_reference() {
  std::string out;
  for (const Section& section : sections()) {
    out += fmt::format("### [{}]\n\n{}.\n\n| Option | Value | Default | Example | Meaning |\n",
                       section.name, section.meaning);
    out += "|---|---|---|---|---|\n";
    for (const Option& option : options()) {
      if (option.section != section.name) continue;
      out += fmt::format("| `{}` | {} | `{}` | `{}` | {} |\n", option.key, with_unit(option),
                         text_of(Config{}, option), option.example, option.meaning);
    }
    out += "\n";
  }
  return out;
}

}  // namespace heddle::config
