// SPDX-License-Identifier: BSD-3-Clause
#include "config/duration.hpp"

#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// Largest first, so that duration_text finds the largest that divides.
constexpr std::array kUnits{
    Unit{"h", 3'600'000'000'000}, Unit{"min", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1'000},
};

}  // namespace

std::optional<base::Duration> parse_duration(std::string_view text) {
  if (text == "0") return base::Duration{0};
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    const auto most = static_cast<std::uint64_t>(INT64_MAX / unit.nanoseconds);
    const auto count = base::parse_number(text.substr(0, digits), most);
    if (!count) return std::nullopt;
    return base::Duration{static_cast<std::int64_t>(*count) * unit.nanoseconds};
  }
  return std::nullopt;
}

std::string duration_text(base::Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0";
  for (const Unit& unit : kUnits) {
    if (count % unit.nanoseconds == 0)
      return fmt::format("{}{}", count / unit.nanoseconds, unit.name);
  }
  return fmt::format("{}us", count / kUnits.back().nanoseconds);
}

}  // namespace heddle::config
