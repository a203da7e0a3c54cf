// SPDX-License-Identifier: BSD-3-Clause
// Which data VLs packets keep to on their whole way, where the SL to VL tables of all ports are the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::routing {

using LaneSet = std::uint16_t;  // a bit for each data VL

// What counts as a packet is as in fabric::verify: what one switch sends to another's own LID does
// not.
class PacketLanes {
 public:
  // All outlive this; the VL maps must be uniform. `replies`: answers that ride the level of their
  // request count, too. has_hosts: by switch.
  PacketLanes(const fabric::Topology& topology, const fabric::LidMap& lids,
              const fabric::Lanes& lanes, const std::vector<std::uint8_t>& has_hosts, bool replies);

  // The LID that is asked for next; somebody on a switch must own it.
  void head_for(mad::Lid lid);
  // The lanes of packets to it that begin at a switch or on one of its hosts.
  LaneSet from(fabric::SwitchIndex at) const;

  // From now on packets that head for it from a switch keep to another lane; with replies, so do
  // those to all that is on its switch, and those back. `undo` takes back the latest.
  void change(fabric::SwitchIndex from, std::uint8_t lane);
  void undo();
  std::size_t change_count() const { return changes_.size(); }
  // All ways that changed so, with their new levels.
  std::vector<fabric::ServiceLevels::Change> changes() const;

  // Whether there are packets from a switch to a LID.
  bool has_any(fabric::SwitchIndex from, mad::Lid to) const {
    return has_hosts_[from.value] != 0 || !is_of_switch(to);
  }
  // On a switch, its own among them.
  const std::vector<mad::Lid>& lids_at(fabric::SwitchIndex at) const { return at_[at.value]; }
  bool has_replies() const { return replies_; }

 private:
  struct Change {
    std::uint32_t from = 0, to = 0;  // switches
    mad::Lid lid{};                  // which LID there; with replies it is all of them
    std::uint8_t lane = 0;
    std::uint64_t key = 0;
    std::optional<std::uint8_t> before;
  };
  bool is_of_switch(mad::Lid lid) const {
    return topology_.is_switch(topology_.node_of(lids_.owner(lid)));
  }
  std::uint64_t key_of(std::uint32_t from) const;
  std::uint8_t level_of(std::uint8_t lane) const;
  LaneSet lane_of(fabric::SwitchIndex from, mad::Lid to) const {
    return static_cast<LaneSet>(1u << lanes_.maps.everywhere()[lanes_.levels.level(from, to)]);
  }
  void find_answers(fabric::SwitchIndex by);

  const fabric::Topology& topology_;
  const fabric::LidMap& lids_;
  const fabric::Lanes& lanes_;
  const std::vector<std::uint8_t>& has_hosts_;
  const bool replies_;
  std::vector<std::uint32_t> place_;       // by LID: the switch it hangs on, or that has it; kNone
  std::vector<std::vector<mad::Lid>> at_;  // by switch: those LIDs
  mad::Lid lid_{};
  bool only_hosts_ = false;                                  // the LID is a switch's own
  std::uint32_t answers_by_;                                 // the switch that sent the requests
  std::vector<LaneSet> answers_;                             // by switch
  std::unordered_map<std::uint64_t, std::uint8_t> changed_;  // see key_of
  std::vector<Change> changes_;
};

}  // namespace heddle::routing
