// SPDX-License-Identifier: BSD-3-Clause
// That tables on one VL hold no credit loop, in a form that takes no search to check and that other
// tables can be held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/dependencies.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

// All channel dependencies of some tables, and a place in one line for every channel, so that each
// dependency leads from an earlier to a later place. Holds no reference to the topology.
class Witness {
 public:
  // Nothing if the dependencies close a cycle. They must be those of one VL on this topology.
  static std::optional<Witness> make(const Topology& topology, const Dependencies& dependencies);

  // By channel; no two are the same.
  const std::vector<std::uint32_t>& places() const { return places_; }
  // Which channels follow, of the 64 from position word * 64 on among those that leave the switch
  // `held` leads to: a bit each.
  std::uint64_t word(ChannelIndex held, std::size_t word) const {
    return bits_[held.value * words_ + word];
  }
  std::size_t words() const { return words_; }  // per channel

 private:
  bool put_in_line(const Topology& topology, const Dependencies& dependencies);

  std::size_t words_ = 1;  // per channel
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> places_;
};

}  // namespace heddle::fabric
