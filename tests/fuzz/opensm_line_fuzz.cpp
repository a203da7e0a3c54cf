// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's command line, in words of any bytes: it is read or refused, and what is read of it can
// stand in an opensm.conf, a key and a value to the line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/opensm_line.hpp"
#include "base/check.hpp"

namespace {

using namespace heddle;

// A zero byte ends a word, as it does in the kernel's hands.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_key(std::string_view word) {
  const auto keys = app::opensm_line_keys();
  return std::find(keys.begin(), keys.end(), word) != keys.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto line = app::parse_opensm_line(words_of(text));
  if (!line) {
    HEDDLE_CHECK(!line.error().message.empty());
    return 0;
  }
  std::string_view rest = line->lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    HEDDLE_CHECK(end != std::string_view::npos);
    const std::string_view one = rest.substr(0, end);
    HEDDLE_CHECK(is_key(one.substr(0, one.find(' '))));
    rest.remove_prefix(end + 1);
  }
  return 0;
}
