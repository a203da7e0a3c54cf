// SPDX-License-Identifier: BSD-3-Clause
// That tables on one VL hold no credit loop, in a form that new routes can be held against: all
// their channel dependencies, and an order of the channels in which each leads forward. A route
// whose dependencies are there already, or fit in, needs no other proof against credit loops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/dependencies.hpp"
#include "fabric/topology.hpp"
#include "fabric/witness.hpp"
#include "routing/channel_order.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// A value that is shared and never changed: who tries new routes copies the order. Holds no
// reference to the topology.
class Certificate {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  // Null if the dependencies close a cycle. They must be those of one VL on this topology.
  static std::shared_ptr<const Certificate> make(const fabric::Topology& topology,
                                                 const fabric::Dependencies& dependencies);

  const CompactChannels& channels() const { return channels_; }
  // Copies may be used as long as the certificate lives.
  const ChannelOrder& order() const { return order_; }
  std::size_t switch_count() const { return channels_.first.size() - 1; }
  // The channel that leaves a switch by a port; kNone for any other value of a table's entry.
  std::uint32_t channel(std::uint32_t from, std::uint8_t out) const {
    return out < ports_ ? by_port_[from * ports_ + out] : kNone;
  }
  // The port at a channel's other end by which the way back leaves.
  std::uint8_t back(std::uint32_t channel) const { return back_[channel]; }
  const std::vector<std::uint8_t>& backs() const { return back_; }  // the same, by channel

  // What it was made from: the same in the words of the fabric.
  const fabric::Witness& witness() const { return witness_; }
  // Places by channel of the topology, from places by channel of this.
  std::vector<std::uint32_t> by_topology(const std::vector<std::uint32_t>& places) const;

  explicit Certificate(const fabric::Topology& topology);  // of no dependencies
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

 private:
  CompactChannels channels_;
  std::size_t ports_ = 0;               // of a switch, at most, with port 0
  std::vector<std::uint32_t> by_port_;  // ports_ for each switch
  std::vector<std::uint8_t> back_;      // by channel
  ChannelOrder order_;
  std::vector<std::uint32_t> compact_;  // by channel of the topology
  fabric::Witness witness_;
};

}  // namespace heddle::routing
