// SPDX-License-Identifier: BSD-3-Clause
// The channel dependency graph: channel a depends on channel b when packets that hold a's buffer
// may wait for b's. A cycle in it is a credit loop, which can stop a lossless fabric for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::fabric {

// One bit per (channel, channel that leaves the switch it leads to). Rows of different channels
// share no word, so that threads which own different channels need no lock.
class Dependencies {
 public:
  explicit Dependencies(const Topology& topology);

  // local: position of the next channel among those that leave the switch `held` leads to.
  void add(ChannelIndex held, std::size_t local) {
    std::uint64_t& word = bits_[held.value * words_ + local / 64];
    const std::uint64_t bit = std::uint64_t{1} << (local % 64);
    if ((word & bit) == 0) word |= bit;  // mostly set already: a read leaves the line clean
  }
  bool has(ChannelIndex held, std::size_t local) const {
    return (bits_[held.value * words_ + local / 64] >> (local % 64) & 1) != 0;
  }

  std::uint64_t count() const;

  // Calls visit(ChannelIndex) for each channel that `held` waits for, in index order.
  template <class Visit>
  void for_each(ChannelIndex held, Visit visit) const {
    const ChannelIndex first = topology_->first_channel(topology_->channels()[held.value].to);
    for (std::uint32_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits_[held.value * words_ + w]; left != 0; left &= left - 1) {
        visit(ChannelIndex{first.value + w * 64 + lowest_bit(left)});
      }
    }
  }

  // The shortest cycle found, in order, or nothing when there is none. Looks from a bounded number
  // of channels, so a shorter one may exist elsewhere.
  std::vector<ChannelIndex> find_cycle() const;

 private:
  static std::uint32_t lowest_bit(std::uint64_t word);
  std::vector<ChannelIndex> on_cycles() const;
  std::vector<ChannelIndex> shortest_through(ChannelIndex start, std::size_t below,
                                             std::vector<std::uint32_t>& came_from) const;

  const Topology* topology_;
  std::size_t words_ = 1;  // per channel
  std::vector<std::uint64_t> bits_;
};

}  // namespace heddle::fabric
