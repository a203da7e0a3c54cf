// SPDX-License-Identifier: BSD-3-Clause
// Channel dependencies of one LID's entries, tried against all that may be there already.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/topology.hpp"
#include "routing/certificate.hpp"
#include "routing/channel_order.hpp"

namespace heddle::routing {

class Trial {
 public:
  // The certificate is of this topology; both outlive this.
  Trial(const fabric::Topology& topology, const Certificate& certificate)
      : topology_(topology), certificate_(certificate), order_(certificate.order()) {}

  void add(fabric::ChannelIndex held, fabric::ChannelIndex next) {
    if (!fits_) return;
    const std::uint32_t first = compact(held), second = compact(next);
    if (order_.has(first, second)) return;
    fits_ = order_.add(first, second);
    if (fits_) added_.emplace_back(first, second);
  }
  // Whether all that was added since the last end() has fitted in.
  bool fits() const { return fits_; }
  // On to the next one: what was added stays, or goes.
  void end(bool stays) {
    for (const auto& [held, next] : added_) {
      stays ? order_.keep(held, next) : order_.remove(held, next);
    }
    added_.clear();
    fits_ = true;
  }

 private:
  std::uint32_t compact(fabric::ChannelIndex index) const {
    const fabric::Channel& channel = topology_.channels()[index.value];
    return certificate_.channel(channel.from.value, channel.out.value);
  }

  const fabric::Topology& topology_;
  const Certificate& certificate_;
  ChannelOrder order_;
  bool fits_ = true;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
};

}  // namespace heddle::routing
