// SPDX-License-Identifier: BSD-3-Clause
// The channel dependency graph: channel a depends on channel b when packets that hold a's buffer
// may wait for b's. A cycle in it is a credit loop, which can stop a lossless fabric for good.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::fabric {

// One lane of a channel: each has buffers of its own, so these are what packets wait for.
struct LaneChannel {
  ChannelIndex channel = kNoChannel;
  std::uint8_t vl = 0;
  friend bool operator==(const LaneChannel&, const LaneChannel&) = default;
};

// One bit per (lane of a channel, lane of a channel that leaves the switch it leads to). Threads
// may add at the same time.
class Dependencies {
 public:
  // vls: 1..15.
  explicit Dependencies(const Topology& topology, unsigned vls = 1);

  // local: position of the next channel among those that leave the switch `held` leads to. VLs must
  // be below the constructor's.
  void add(LaneChannel held, std::size_t local, std::size_t vl) {
    const std::size_t bit = local * vls_ + vl;
    const std::atomic_ref word(bits_[row(held) + bit / 64]);
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    // Mostly set already: a read leaves the line clean.
    if ((word.load(std::memory_order_relaxed) & mask) == 0) {
      word.fetch_or(mask, std::memory_order_relaxed);
    }
  }
  void add(ChannelIndex held, std::size_t local) { add({held, 0}, local, 0); }
  // With one VL, in place of what there was: bit i of the word stands for the next channel at
  // position 64 * index + i. Nobody else may add to the same word at that time.
  void set_word(ChannelIndex held, std::size_t index, std::uint64_t word) {
    bits_[row({held, 0}) + index] = word;
  }
  bool has(LaneChannel held, std::size_t local, std::size_t vl) const {
    const std::size_t bit = local * vls_ + vl;
    return (bits_[row(held) + bit / 64] >> (bit % 64) & 1) != 0;
  }
  bool has(ChannelIndex held, std::size_t local) const { return has({held, 0}, local, 0); }

  std::uint64_t count() const;
  unsigned vls() const { return vls_; }

  // Calls visit(LaneChannel) for each one that `held` waits for, by channel and VL.
  template <class Visit>
  void for_each(LaneChannel held, Visit visit) const {
    const ChannelIndex first =
        topology_->first_channel(topology_->channels()[held.channel.value].to);
    for (std::uint32_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits_[row(held) + w]; left != 0; left &= left - 1) {
        const std::uint32_t bit = w * 64 + lowest_bit(left);
        visit(LaneChannel{{first.value + bit / vls_}, static_cast<std::uint8_t>(bit % vls_)});
      }
    }
  }

  // The shortest cycle found, in order, or nothing when there is none. Looks from a bounded number
  // of channels, so a shorter one may exist elsewhere.
  std::vector<LaneChannel> find_cycle() const;

 private:
  std::size_t vertex(LaneChannel at) const { return at.channel.value * vls_ + at.vl; }
  LaneChannel lane_channel(std::size_t vertex) const {
    return {{static_cast<std::uint32_t>(vertex / vls_)}, static_cast<std::uint8_t>(vertex % vls_)};
  }
  std::size_t vertex_count() const { return topology_->channels().size() * vls_; }
  std::size_t row(LaneChannel held) const { return vertex(held) * words_; }
  static std::uint32_t lowest_bit(std::uint64_t word);
  // A bit for each lane of the channels that leave a switch, as in a row of bits_, by switch.
  using Lanes = std::vector<std::uint64_t>;
  struct Place {
    std::size_t word = 0;
    std::uint64_t bit = 0;
  };
  Place place_of(LaneChannel at) const {
    return place_of(at, topology_->channels()[at.channel.value].from);
  }
  Place place_of(LaneChannel at, SwitchIndex from) const {
    const std::size_t local = at.channel.value - topology_->first_channel(from).value;
    const std::size_t bit = local * vls_ + at.vl;
    return {from.value * words_ + bit / 64, std::uint64_t{1} << (bit % 64)};
  }
  Lanes all_lanes() const;
  Lanes without_tails() const;
  std::vector<LaneChannel> without_heads(const Lanes& left) const;
  std::vector<LaneChannel> on_cycles() const;
  std::vector<LaneChannel> shortest_through(LaneChannel start, std::size_t below,
                                            std::vector<std::uint32_t>& came_from) const;

  const Topology* topology_;
  std::uint32_t vls_ = 1;
  std::size_t words_ = 1;  // per lane of a channel
  std::vector<std::uint64_t> bits_;
};

}  // namespace heddle::fabric
