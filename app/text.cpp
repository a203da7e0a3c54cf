// SPDX-License-Identifier: BSD-3-Clause
#include "app/text.hpp"

#include <fmt/format.h>

namespace heddle::app {

std::string with_commas(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", with_commas(number), number == 1 ? singular : plural);
}

std::string short_duration(base::Duration duration) {
  const auto nanoseconds = static_cast<double>(duration.count());
  const bool in_seconds = nanoseconds >= 999.5e6;
  const bool in_milliseconds = nanoseconds >= 999.5e3;
  const double value = nanoseconds / (in_seconds ? 1e9 : in_milliseconds ? 1e6 : 1e3);
  const std::string_view unit = in_seconds ? "s" : in_milliseconds ? "ms" : "us";
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace heddle::app
