// SPDX-License-Identifier: BSD-3-Clause
// Eats a line of a fabric file from the left. Blanks between pieces do not matter: terminals lose
// tabs. Pieces are views of the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::sim {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }

  bool eat(char wanted) {
    if (!stands_at(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool stands_at(char wanted) {
    skip_blanks();
    return !rest_.empty() && rest_.front() == wanted;
  }

  bool eat(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  std::optional<std::string_view> digits() {
    skip_blanks();
    std::size_t length = 0;
    while (length < rest_.size() && rest_[length] >= '0' && rest_[length] <= '9') ++length;
    if (length == 0) return std::nullopt;
    return take(length);
  }

  // Up to the next blank or the end; nothing when nothing is left.
  std::optional<std::string_view> word() {
    skip_blanks();
    if (rest_.empty()) return std::nullopt;
    return take(std::min(rest_.find_first_of(kBlank), rest_.size()));
  }

  // What stands before `end`, which is eaten too.
  std::optional<std::string_view> until(char end) { return until(std::string_view(&end, 1)); }
  std::optional<std::string_view> until(std::string_view end) {
    const std::size_t length = rest_.find(end);
    if (length == std::string_view::npos) return std::nullopt;
    const std::string_view piece = take(length);
    rest_.remove_prefix(end.size());
    return piece;
  }

 private:
  // The same for what ends a word and for what is skipped before one, or a line would never end.
  static constexpr std::string_view kBlank = " \t\r";

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlank), rest_.size()));
  }
  std::string_view take(std::size_t length) {
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return piece;
  }

  std::string_view rest_;
};

}  // namespace heddle::sim
