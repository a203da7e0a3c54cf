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

// Kahn's algorithm from both sides: what nothing waits for and what waits for nothing is on no
// cycle, and goes, until only cycles and the ways between them are left.
std::vector<LaneChannel> Dependencies::on_cycles() const {
  const std::size_t count = vertex_count();
  std::vector<std::uint32_t> waiting_for_it(count), waits_for(count);
  std::vector<std::size_t> idle;
  std::vector<bool> gone(count);
  for (std::size_t v = 0; v < count; ++v) {
    for_each(lane_channel(v), [&](LaneChannel next) {
      ++waiting_for_it[vertex(next)];
      ++waits_for[v];
    });
  }
  const auto lose_one = [&](std::uint32_t& degree, std::size_t v) {
    if (--degree == 0 && !gone[v]) idle.push_back(v);
  };
  for (std::size_t v = 0; v < count; ++v) {
    if (waiting_for_it[v] == 0 || waits_for[v] == 0) idle.push_back(v);
  }
  while (!idle.empty()) {
    const std::size_t v = idle.back();
    idle.pop_back();
    if (gone[v]) continue;
    gone[v] = true;
    const LaneChannel at = lane_channel(v);
    for_each(at, [&](LaneChannel next) { lose_one(waiting_for_it[vertex(next)], vertex(next)); });
    const Channel& channel = topology_->channels()[at.channel.value];
    const std::uint32_t local = at.channel.value - topology_->first_channel(channel.from).value;
    for (const Channel& sibling : topology_->channels_from(channel.from)) {
      for (std::uint8_t vl = 0; vl < vls_; ++vl) {
        const LaneChannel before{sibling.reverse, vl};
        if (has(before, local, at.vl)) lose_one(waits_for[vertex(before)], vertex(before));
      }
    }
  }
  std::vector<LaneChannel> left;
  for (std::size_t v = 0; v < count; ++v) {
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
