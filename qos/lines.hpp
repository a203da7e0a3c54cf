// SPDX-License-Identifier: BSD-3-Clause
// A policy file as lines of words, and what can be wrong with one of them. The first trouble is
// kept and ends the reading: functions give false from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "qos/policy.hpp"

namespace heddle::qos {

// What numbers in a policy go up to.
inline constexpr std::uint64_t kHighestSl = 15, kHighestKey = 0xFFFF;
inline constexpr std::uint64_t kBaseKeyMask = 0x7FFF;  // a P_Key without its membership bit

struct Place {
  std::size_t line = 1, column = 1;
};

class Lines {
 public:
  Lines(std::string_view text, std::string_view file_name);

  // The next line that has words, without its comment; false at the end of the file.
  bool next();
  // `key: value`, or a line that is one word, which is the key.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  std::string_view whole() const { return whole_; }
  bool has_value() const { return has_value_; }
  // Of a piece of the current line.
  Place place(std::string_view piece) const;

  // `sentence` is followed by what stands there instead. Always false.
  bool fail(std::string_view piece, std::string_view sentence);
  bool fail(const Place& place, std::string_view sentence);
  const std::optional<base::Error>& trouble() const { return trouble_; }

  // Comma-separated pieces; empty ones are refused.
  bool list(std::string_view text, std::vector<std::string_view>& pieces);
  // A number, decimal or with 0x.
  bool number(std::string_view text, std::uint64_t max, std::uint64_t& value);
  // Adds a list of numbers and ranges such as 7-9,11, as it stands. Bits above `mask` do not count.
  bool ranges(std::string_view text, std::uint64_t max, Ranges& into, std::uint64_t mask = ~0ull);

  std::string at(const Place& place, std::string_view sentence) const;

 private:
  std::string_view rest_, file_name_;
  std::string_view line_, whole_, key_, value_;
  bool has_value_ = false;
  std::size_t number_ = 0;  // of the line, one-based
  std::size_t listed_ = 0;  // in the whole file
  std::optional<base::Error> trouble_;
};

}  // namespace heddle::qos
