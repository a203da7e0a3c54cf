// SPDX-License-Identifier: BSD-3-Clause
// The one lane of proven unicast routes, for what else shall travel on it: all dependencies there
// are between its channels, to which others are added as long as no credit loop is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/topology.hpp"
#include "routing/certificate.hpp"
#include "routing/selection.hpp"

namespace heddle::routing {

class SharedLane {
 public:
  // Null where nothing tells of the dependencies: routes on several lanes, or without a
  // certificate. Holds no reference to the topology.
  static std::unique_ptr<SharedLane> make(const fabric::Topology& topology,
                                          const Selected& selected);

  // `next` must leave the switch that `held` leads to.
  bool has(fabric::ChannelIndex held, fabric::ChannelIndex next) const;
  // Adds a dependency, for a trial. False when it would close a loop.
  bool take(fabric::ChannelIndex held, fabric::ChannelIndex next);
  // How many are on trial; all after the first so many go; those that are left stay for good.
  std::size_t on_trial() const { return on_trial_.size(); }
  void undo(std::size_t upto);
  void keep();

 private:
  SharedLane(std::shared_ptr<const Certificate> certificate, std::vector<std::uint32_t> compact)
      : certificate_(std::move(certificate)),
        order_(certificate_->order()),
        compact_(std::move(compact)) {}

  std::shared_ptr<const Certificate> certificate_;
  ChannelOrder order_;
  std::vector<std::uint32_t> compact_;  // by channel of the topology
  std::vector<std::pair<std::uint32_t, std::uint32_t>> on_trial_;
};

}  // namespace heddle::routing
