// SPDX-License-Identifier: BSD-3-Clause
#include "qos/lines.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::qos {
namespace {

constexpr std::size_t kLongestQuote = 40;  // of what was not understood

}  // namespace

Lines::Lines(std::string_view text, std::string_view file_name)
    : rest_(text), file_name_(file_name) {}

bool Lines::next() {
  while (!trouble_ && !rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++number_;
    whole_ = base::trim(line_.substr(0, line_.find('#')));
    if (whole_.empty()) continue;
    const std::size_t colon = whole_.find(':');
    has_value_ = colon != std::string_view::npos;
    key_ = base::trim(whole_.substr(0, colon));
    value_ = has_value_ ? base::trim(whole_.substr(colon + 1)) : std::string_view();
    return true;
  }
  return false;
}

Place Lines::place(std::string_view piece) const {
  // An empty piece may point anywhere; the beginning of the line will do.
  if (piece.data() == nullptr || piece.data() < line_.data()) return {number_, 1};
  return {number_, static_cast<std::size_t>(piece.data() - line_.data()) + 1};
}

bool Lines::fail(const Place& place, std::string_view sentence) {
  if (!trouble_) trouble_ = base::error(at(place, sentence));
  return false;
}

bool Lines::fail(std::string_view piece, std::string_view sentence) {
  return fail(place(piece), fmt::format("{}, not '{}'", sentence,
                                        base::printable(piece.substr(0, kLongestQuote))));
}

bool Lines::list(std::string_view text, std::vector<std::string_view>& pieces) {
  for (const std::string_view piece : base::split(text, ',')) {
    const auto word = base::trim(piece);
    if (word.empty()) return fail(text, "a list has something between its commas");
    if (++listed_ > kMaxListed) {
      return fail(place(word), fmt::format("a file lists no more than {} things", kMaxListed));
    }
    pieces.push_back(word);
  }
  return true;
}

bool Lines::number(std::string_view text, std::uint64_t max, std::uint64_t& value) {
  const auto parsed = base::parse_number(text, max);
  if (!parsed) return fail(text, fmt::format("expected a number from 0 to {}", max));
  value = *parsed;
  return true;
}

bool Lines::ranges(std::string_view text, std::uint64_t max, Ranges& into, std::uint64_t mask) {
  std::vector<std::string_view> pieces;
  if (!list(text, pieces)) return false;
  for (const std::string_view piece : pieces) {
    const std::size_t dash = piece.find('-');
    Range range;
    if (!number(base::trim(piece.substr(0, dash)), max, range.first)) return false;
    range.last = range.first;
    if (dash != std::string_view::npos &&
        !number(base::trim(piece.substr(dash + 1)), max, range.last)) {
      return false;
    }
    range.first &= mask;
    range.last &= mask;
    if (range.last < range.first) return fail(piece, "a range begins with its smaller number");
    into.push_back(range);
  }
  return true;
}

std::string Lines::at(const Place& place, std::string_view sentence) const {
  return fmt::format("{}:{}:{}: {}", file_name_, place.line, place.column, sentence);
}

}  // namespace heddle::qos
