// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/dependencies.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

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

// Kahn's algorithm: what nothing waits for is on no cycle, and goes; then what that waited for,
// until only cycles are left, and what they wait for.
std::vector<bool> Dependencies::without_heads() const {
  const std::size_t count = vertex_count();
  std::vector<std::uint32_t> waiting_for_it(count);
  std::vector<std::size_t> idle;
  std::vector<bool> gone(count);
  for (std::size_t v = 0; v < count; ++v) {
    for_each(lane_channel(v), [&](LaneChannel next) { ++waiting_for_it[vertex(next)]; });
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (waiting_for_it[v] == 0) idle.push_back(v);
  }
  while (!idle.empty()) {
    const std::size_t v = idle.back();
    idle.pop_back();
    gone[v] = true;
    for_each(lane_channel(v), [&](LaneChannel next) {
      if (--waiting_for_it[vertex(next)] == 0) idle.push_back(vertex(next));
    });
  }
  return gone;
}

// The same from the other side: what waits for nothing that is still there goes.
void Dependencies::take_tails(std::vector<bool>& gone) const {
  std::vector<std::uint32_t> waits_for(gone.size());
  std::vector<std::size_t> idle;
  for (std::size_t v = 0; v < gone.size(); ++v) {
    if (gone[v]) continue;
    for_each(lane_channel(v), [&](LaneChannel next) { waits_for[v] += !gone[vertex(next)]; });
    if (waits_for[v] == 0) idle.push_back(v);
  }
  while (!idle.empty()) {
    const std::size_t v = idle.back();
    idle.pop_back();
    gone[v] = true;
    const LaneChannel at = lane_channel(v);
    const Channel& channel = topology_->channels()[at.channel.value];
    const std::uint32_t local = at.channel.value - topology_->first_channel(channel.from).value;
    for (const Channel& sibling : topology_->channels_from(channel.from)) {
      for (std::uint8_t vl = 0; vl < vls_; ++vl) {
        const LaneChannel before{sibling.reverse, vl};
        const std::size_t u = vertex(before);
        if (!gone[u] && has(before, local, at.vl) && --waits_for[u] == 0) idle.push_back(u);
      }
    }
  }
}

std::vector<LaneChannel> Dependencies::on_cycles() const {
  std::vector<bool> gone = without_heads();
  if (std::find(gone.begin(), gone.end(), false) == gone.end()) return {};
  take_tails(gone);
  std::vector<LaneChannel> left;
  for (std::size_t v = 0; v < gone.size(); ++v) {
    if (!gone[v]) left.push_back(lane_channel(v));
  }
  return left;
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
