// SPDX-License-Identifier: BSD-3-Clause
#include "perf/thresholds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::perf {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, base::Duration>, 4> kUnits{
    {{"s", 1s}, {"min", 1min}, {"h", 1h}, {"d", 24h}}};
constexpr std::string_view kPerBit = "/bit";

// From 0 to 1, which no name of a counter is.
std::optional<double> parse_rate(std::string_view text) {
  double rate = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, rate);
  const bool is_rate = failure == std::errc{} && stop == end && rate > 0 && rate <= 1;
  return is_rate ? std::optional(rate) : std::nullopt;
}

// What may be counted in threshold.per; nothing where it depends on a rate that is not known.
std::optional<double> allowance(const Threshold& threshold, std::uint64_t bits_per_second) {
  if (threshold.per_bit == 0) return static_cast<double>(threshold.count);
  if (bits_per_second == 0) return std::nullopt;
  return threshold.per_bit * static_cast<double>(bits_per_second) *
         std::chrono::duration<double>(threshold.per).count();
}

}  // namespace

base::Result<Threshold> parse_threshold(std::string_view text) {
  const auto words = base::split(text, ' ');
  const std::size_t slash = words.back().find('/');
  const auto counter = find_counter(words.front());
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& each) {
    return slash != std::string_view::npos && words.back().substr(slash + 1) == each.first;
  });
  const std::string_view amount = words.back().substr(0, std::min(slash, text.size()));
  const auto count = base::parse_number(amount);
  const auto rate = words.back().ends_with(kPerBit) ? parse_rate(amount) : std::nullopt;
  if (words.size() != 2 || !(rate || (unit != kUnits.end() && count))) {
    return base::error(
        fmt::format("'{}' is no threshold such as \"symbol_error 120/h\" (s, min, h, "
                    "d) or \"symbol_error 1e-12/bit\"",
                    base::printable(text)));
  }
  if (!counter) {
    return base::error(fmt::format("there is no counter '{}'", base::printable(words.front())));
  }
  if (rate) return Threshold{*counter, 0, 1h, *rate};
  return Threshold{*counter, *count, unit->second};
}

std::string text(const Threshold& threshold) {
  if (threshold.per_bit != 0) {
    return fmt::format("{} {:g}{}", name_of(threshold.counter), threshold.per_bit, kPerBit);
  }
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                 [&](const auto& each) { return each.second == threshold.per; });
  return fmt::format("{} {}/{}", name_of(threshold.counter), threshold.count,
                     unit == kUnits.end() ? "?" : unit->first);
}

void Watchman::set(std::vector<Threshold> thresholds) {
  std::reverse(thresholds.begin(), thresholds.end());
  std::stable_sort(thresholds.begin(), thresholds.end(),
                   [](const auto& a, const auto& b) { return a.counter < b.counter; });
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end(),
                               [](const auto& a, const auto& b) { return a.counter == b.counter; }),
                   thresholds.end());
  thresholds_ = std::move(thresholds);
  levels_.clear();
}

std::uint32_t Watchman::judge(std::uint32_t slot, const PortReading& reading) {
  std::uint32_t exceeded = 0;
  if (reading.interval <= base::Duration{0}) return exceeded;
  for (const Threshold& threshold : thresholds_) {
    const double grown = static_cast<double>(reading.deltas[index(threshold.counter)]);
    const auto found = levels_.find(key(slot, threshold.counter));
    if (grown == 0 && found == levels_.end()) continue;
    const auto allowed = allowance(threshold, reading.bits_per_second);
    if (!allowed) continue;
    const double leaked = *allowed * (std::chrono::duration<double>(reading.interval) /
                                      std::chrono::duration<double>(threshold.per));
    const double before = found == levels_.end() ? 0 : found->second;
    // What burst in at once is forgotten after twice the time.
    const double level = std::min(std::max(0.0, before - leaked) + grown, 2 * *allowed + 1);
    if (level > *allowed) exceeded |= bit(threshold.counter);
    if (level == 0) {
      levels_.erase(found);
    } else {
      levels_[key(slot, threshold.counter)] = level;
    }
  }
  return exceeded;
}

std::vector<Watchman::Level> Watchman::levels() const {
  std::vector<Level> all;
  all.reserve(levels_.size());
  for (const auto& [at, level] : levels_) {
    all.push_back({static_cast<std::uint32_t>(at >> 8), static_cast<Counter>(at & 0xFF), level});
  }
  return all;
}

void Watchman::restore(const std::vector<Level>& levels) {
  levels_.clear();
  for (const Level& each : levels) levels_[key(each.slot, each.counter)] = each.level;
}

}  // namespace heddle::perf
