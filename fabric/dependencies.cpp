// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/dependencies.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

namespace heddle::fabric {
namespace {

constexpr std::size_t kStartsTried = 64;
constexpr std::uint32_t kUnseen = 0xFFFF'FFFF;

}  // namespace

Dependencies::Dependencies(const Topology& topology, unsigned vls)
    : topology_(&topology), vls_(vls) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    words_ = std::max(words_, (topology.channels_from(SwitchIndex{s}).size() * vls + 63) / 64);
  }
  bits_.resize(vertex_count() * words_);
}

std::uint32_t Dependencies::lowest_bit(std::uint64_t word) {
  return static_cast<std::uint32_t>(std::countr_zero(word));
}

std::uint64_t Dependencies::count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t word : bits_) total += static_cast<std::uint64_t>(std::popcount(word));
  return total;
}

Dependencies::Lanes Dependencies::all_lanes() const {
  Lanes all(topology_->switch_count() * words_);
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    const std::size_t lanes = topology_->channels_from(SwitchIndex{s}).size() * vls_;
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(s * words_);
    std::fill_n(row, lanes / 64, ~std::uint64_t{0});
    if (lanes % 64 != 0) row[lanes / 64] = ~(~std::uint64_t{0} << lanes % 64);
  }
  return all;
}

// What waits for nothing that is still there is on no cycle, and goes, until only cycles are left
// and what waits for them. A switch at a time: whether a channel that enters it waits for any that
// leaves it is seen for a whole word of these at once.
Dependencies::Lanes Dependencies::without_tails() const {
  const std::size_t switches = topology_->switch_count();
  Lanes left = all_lanes();
  std::vector<std::uint32_t> doubtful(switches);
  std::iota(doubtful.begin(), doubtful.end(), 0u);
  std::vector<bool> is_doubtful(switches, true);
  const auto waits = [&](LaneChannel held, std::size_t at) {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < words_; ++w) common |= bits_[row(held) + w] & left[at * words_ + w];
    return common != 0;
  };
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    const std::uint32_t at = doubtful[i];
    is_doubtful[at] = false;
    for (const Channel& leaving : topology_->channels_from(SwitchIndex{at})) {
      for (std::uint8_t vl = 0; vl < vls_; ++vl) {
        const LaneChannel held{leaving.reverse, vl};
        const Place place = place_of(held, leaving.to);
        if ((left[place.word] & place.bit) == 0 || waits(held, at)) continue;
        left[place.word] &= ~place.bit;
        const std::uint32_t before = leaving.to.value;
        if (!is_doubtful[before]) doubtful.push_back(before);
        is_doubtful[before] = true;
      }
    }
  }
  return left;
}

// Kahn's algorithm for the other side, among what is left: what nothing waits for goes, then what
// that waited for, until only cycles and what joins them are left.
std::vector<LaneChannel> Dependencies::without_heads(const Lanes& left) const {
  const std::size_t count = vertex_count();
  const auto is_left = [&](LaneChannel at) {
    const Place place = place_of(at);
    return (left[place.word] & place.bit) != 0;
  };
  std::vector<std::uint32_t> waiting_for_it(count);
  std::vector<std::size_t> idle;
  std::vector<bool> gone(count);
  for (std::size_t v = 0; v < count; ++v) {
    if (!is_left(lane_channel(v))) continue;
    for_each(lane_channel(v), [&](LaneChannel next) { ++waiting_for_it[vertex(next)]; });
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (waiting_for_it[v] == 0) idle.push_back(v);
  }
  while (!idle.empty()) {
    const std::size_t v = idle.back();
    idle.pop_back();
    gone[v] = true;
    if (!is_left(lane_channel(v))) continue;
    for_each(lane_channel(v), [&](LaneChannel next) {
      if (--waiting_for_it[vertex(next)] == 0) idle.push_back(vertex(next));
    });
  }
  std::vector<LaneChannel> found;
  for (std::size_t v = 0; v < count; ++v) {
    if (!gone[v] && is_left(lane_channel(v))) found.push_back(lane_channel(v));
  }
  return found;
}

std::vector<LaneChannel> Dependencies::on_cycles() const {
  const Lanes left = without_tails();
  const bool none = std::all_of(left.begin(), left.end(), [](auto lanes) { return lanes == 0; });
  return none ? std::vector<LaneChannel>{} : without_heads(left);
}

std::vector<LaneChannel> Dependencies::shortest_through(
    LaneChannel start, std::size_t below, std::vector<std::uint32_t>& came_from) const {
  std::vector<LaneChannel> found{start}, cycle;
  std::size_t end_of_level = 1, length = 1;
  for (std::size_t i = 0; i < found.size() && cycle.empty() && length < below; ++i) {
    for_each(found[i], [&](LaneChannel next) {
      if (next == start && cycle.empty()) {
        for (auto at = found[i]; !(at == start); at = lane_channel(came_from[vertex(at)])) {
          cycle.push_back(at);
        }
        cycle.push_back(start);
      }
      if (next == start || came_from[vertex(next)] != kUnseen) return;
      came_from[vertex(next)] = static_cast<std::uint32_t>(vertex(found[i]));
      found.push_back(next);
    });
    if (i + 1 == end_of_level) {
      end_of_level = found.size();
      ++length;
    }
  }
  for (const LaneChannel seen : found) came_from[vertex(seen)] = kUnseen;
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<LaneChannel> Dependencies::find_cycle() const {
  const auto suspects = on_cycles();
  std::vector<std::uint32_t> came_from(vertex_count(), kUnseen);
  std::vector<LaneChannel> best;
  const std::size_t stride = suspects.size() / kStartsTried + 1;
  const auto look = [&](std::size_t i) {
    auto cycle = shortest_through(suspects[i], best.empty() ? kUnseen : best.size(), came_from);
    if (!cycle.empty()) best = std::move(cycle);
  };
  for (std::size_t i = 0; i < suspects.size(); i += stride) look(i);
  for (std::size_t i = 0; i < suspects.size() && best.empty(); ++i) look(i);
  return best;
}

}  // namespace heddle::fabric
