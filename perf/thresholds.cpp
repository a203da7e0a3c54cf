// SPDX-License-Identifier: BSD-3-Clause
#include "perf/thresholds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::perf {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, base::Duration>, 4> kUnits{
    {{"s", 1s}, {"min", 1min}, {"h", 1h}, {"d", 24h}}};

}  // namespace

base::Result<Threshold> parse_threshold(std::string_view text) {
  const auto words = base::split(text, ' ');
  const std::size_t slash = words.back().find('/');
  const auto counter = find_counter(words.front());
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& each) {
    return slash != std::string_view::npos && words.back().substr(slash + 1) == each.first;
  });
  const auto count = base::parse_number(words.back().substr(0, std::min(slash, text.size())));
  if (words.size() != 2 || unit == kUnits.end() || !count) {
    return base::error(
        fmt::format("'{}' is no threshold such as \"symbol_error 120/h\" (s, min, h, d)",
                    base::printable(text)));
  }
  if (!counter) {
    return base::error(fmt::format("there is no counter '{}'", base::printable(words.front())));
  }
  return Threshold{*counter, *count, unit->second};
}

std::string text(const Threshold& threshold) {
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
    const double leaked =
        static_cast<double>(threshold.count) * (std::chrono::duration<double>(reading.interval) /
                                                std::chrono::duration<double>(threshold.per));
    const double before = found == levels_.end() ? 0 : found->second;
    // What burst in at once is forgotten after twice the time.
    const double level = std::min(std::max(0.0, before - leaked) + grown,
                                  2 * static_cast<double>(threshold.count) + 1);
    if (level > static_cast<double>(threshold.count)) exceeded |= bit(threshold.counter);
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
