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

Dependencies::Dependencies(const Topology& topology) : topology_(&topology) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    words_ = std::max(words_, (topology.channels_from(SwitchIndex{s}).size() + 63) / 64);
  }
  bits_.resize(topology.channels().size() * words_);
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
std::vector<ChannelIndex> Dependencies::on_cycles() const {
  const auto count = static_cast<std::uint32_t>(topology_->channels().size());
  std::vector<std::uint32_t> waiting_for_it(count), waits_for(count), idle;
  std::vector<bool> gone(count);
  for (std::uint32_t c = 0; c < count; ++c) {
    for_each(ChannelIndex{c}, [&](ChannelIndex next) {
      ++waiting_for_it[next.value];
      ++waits_for[c];
    });
  }
  const auto lose_one = [&](std::uint32_t& degree, std::uint32_t channel) {
    if (--degree == 0 && !gone[channel]) idle.push_back(channel);
  };
  for (std::uint32_t c = 0; c < count; ++c) {
    if (waiting_for_it[c] == 0 || waits_for[c] == 0) idle.push_back(c);
  }
  while (!idle.empty()) {
    const std::uint32_t c = idle.back();
    idle.pop_back();
    if (gone[c]) continue;
    gone[c] = true;
    for_each(ChannelIndex{c},
             [&](ChannelIndex next) { lose_one(waiting_for_it[next.value], next.value); });
    const Channel& channel = topology_->channels()[c];
    const std::uint32_t local = c - topology_->first_channel(channel.from).value;
    for (const Channel& sibling : topology_->channels_from(channel.from)) {
      if (has(sibling.reverse, local))
        lose_one(waits_for[sibling.reverse.value], sibling.reverse.value);
    }
  }
  std::vector<ChannelIndex> left;
  for (std::uint32_t c = 0; c < count; ++c) {
    if (!gone[c]) left.push_back(ChannelIndex{c});
  }
  return left;
}

std::vector<ChannelIndex> Dependencies::shortest_through(
    ChannelIndex start, std::size_t below, std::vector<std::uint32_t>& came_from) const {
  std::vector<ChannelIndex> found{start}, cycle;
  std::size_t end_of_level = 1, length = 1;
  for (std::size_t i = 0; i < found.size() && cycle.empty() && length < below; ++i) {
    for_each(found[i], [&](ChannelIndex next) {
      if (next == start && cycle.empty()) {
        for (auto at = found[i]; at != start; at.value = came_from[at.value]) cycle.push_back(at);
        cycle.push_back(start);
      }
      if (next == start || came_from[next.value] != kUnseen) return;
      came_from[next.value] = found[i].value;
      found.push_back(next);
    });
    if (i + 1 == end_of_level) {
      end_of_level = found.size();
      ++length;
    }
  }
  for (const ChannelIndex seen : found) came_from[seen.value] = kUnseen;
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<ChannelIndex> Dependencies::find_cycle() const {
  const auto suspects = on_cycles();
  std::vector<std::uint32_t> came_from(topology_->channels().size(), kUnseen);
  std::vector<ChannelIndex> best;
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
