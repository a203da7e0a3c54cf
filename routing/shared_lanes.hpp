// SPDX-License-Identifier: BSD-3-Clause
// The lanes of proven unicast routes, for what else shall travel on them: all dependencies there,
// to which others are added as long as no credit loop is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/lanes.hpp"
#include "fabric/topology.hpp"
#include "routing/channel_order.hpp"
#include "routing/selection.hpp"

namespace heddle::routing {

class SharedLanes {
 public:
  // Null where nothing tells of the dependencies: routes with a credit loop that was accepted.
  // Holds no reference to the topology.
  static std::unique_ptr<SharedLanes> make(const fabric::Topology& topology,
                                           const Selected& selected);

  // On which service levels what turns is, from now on: a bit for each. Level 0 at first.
  void set_levels(std::uint16_t levels) { levels_ = levels; }

  // `next` must leave the switch that `held` leads to. Where a packet's lane depends on where it
  // came from, every lane that it may hold counts.
  bool has(fabric::ChannelIndex held, fabric::ChannelIndex next) const;
  // Adds the dependencies of a turn, for a trial. False when they would close a loop: then none.
  bool take(fabric::ChannelIndex held, fabric::ChannelIndex next);
  // How many are on trial; all after the first so many go; those that are left stay for good.
  std::size_t on_trial() const { return on_trial_.size(); }
  void undo(std::size_t upto);
  void keep();
  // Only the dependencies of the routes are left.
  void begin_anew();

 private:
  struct Ends {              // of a channel
    std::uint32_t lane = 0;  // lane 0 of it, in the order
    fabric::SwitchIndex to{};
    mad::PortNumber out{}, in{};
  };

  SharedLanes(std::shared_ptr<const void> owner, const ChannelOrder& order)
      : owner_(std::move(owner)), routes_(&order), order_(order) {}
  bool add_repaired();
  static std::unique_ptr<SharedLanes> of_one_lane(const fabric::Topology& topology,
                                                  const Selected& selected);
  static std::unique_ptr<SharedLanes> of_lanes(const fabric::Topology& topology,
                                               const Selected& selected);
  void find_lanes_held(const fabric::Topology& topology);
  std::uint16_t lanes_held(fabric::ChannelIndex channel, unsigned level) const;
  template <class Visit>
  bool all_dependencies(fabric::ChannelIndex held, fabric::ChannelIndex next, Visit visit) const;

  std::shared_ptr<const void> owner_;  // of what the order looks at
  const ChannelOrder* routes_;
  std::shared_ptr<const Kinship> kin_;
  ChannelOrder order_;
  std::vector<Ends> ends_;  // by channel of the topology
  unsigned vls_ = 1;
  fabric::VlMaps maps_;
  std::vector<std::uint16_t> held_;  // by (channel, level), if they differ: a bit for each VL
  std::uint16_t levels_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> on_trial_;
};

}  // namespace heddle::routing
