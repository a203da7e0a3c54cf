// SPDX-License-Identifier: BSD-3-Clause
// That tables on their lanes hold no credit loop, in a form that other packets' turns can be held
// against: all dependencies between lanes of channels, and an order in which each leads forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/dependencies.hpp"
#include "fabric/topology.hpp"
#include "routing/channel_order.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// A value that is shared and never changed. Holds no reference to the topology. Of routes on one
// lane, Certificate tells more.
class LaneCertificate {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  // Null if the dependencies close a cycle.
  static std::shared_ptr<const LaneCertificate> make(const fabric::Topology& topology,
                                                     const fabric::Dependencies& dependencies);

  unsigned vls() const { return vls_; }
  std::size_t switch_count() const { return by_port_.size() / 256; }
  // Lane 0 of the channel that leaves a switch by a port; those of its other lanes follow. kNone
  // where no channel leaves.
  std::uint32_t first_lane(std::uint32_t from, std::uint8_t out) const {
    return by_port_[from * std::size_t{256} + out];
  }
  // Its channels are lanes of channels. Copies may be used as long as the certificate lives.
  const ChannelOrder& order() const { return order_; }

  LaneCertificate(const fabric::Topology& topology, unsigned vls);  // of no dependencies
  LaneCertificate(const LaneCertificate&) = delete;
  LaneCertificate& operator=(const LaneCertificate&) = delete;

 private:
  bool take(const fabric::Topology& topology, const fabric::Dependencies& dependencies);

  unsigned vls_ = 1;
  std::vector<std::uint32_t> by_port_;  // 256 for each switch
  CompactChannels lanes_;
  ChannelOrder order_;
};

}  // namespace heddle::routing
