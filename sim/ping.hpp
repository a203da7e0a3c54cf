// SPDX-License-Identifier: BSD-3-Clause
// What two hosts need to talk IP over InfiniBand: the question of ARP over the broadcast group, and
// ways there and back (RFC 4391).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/devices.hpp"
#include "sim/walker.hpp"

namespace heddle::sim {

struct PingOptions {
  std::optional<mad::Lid> group;  // MLID of the broadcast group; nothing: no question of ARP
  mad::ServiceLevel sl{};
  mad::PKey p_key = kDefaultPKey;
};

struct Ping {
  std::optional<Spread> question;
  bool heard = true;  // the other one got the question
  Walk there;
  Walk back;
  bool works() const { return heard && there.arrived() && back.arrived(); }
};
Ping ping(const Devices& devices, PortIndex from, PortIndex to, const PingOptions& options = {});
std::string describe(const Devices& devices, const Ping& ping);

// Whether a group is whole: each member's question is heard by every other member, once.
struct GroupReach {
  struct Miss {
    PortIndex from = 0;
    PortIndex to = 0;
  };
  std::vector<PortIndex> members;  // end ports that a leaf's table names, sorted
  std::size_t asked = 0;           // members whose question was followed
  std::vector<Miss> misses;        // at most a hundred
  std::size_t missed = 0;          // all of them
  std::size_t doubled = 0;         // copies that came twice
  std::vector<NodeIndex> loops;
};
// Follows at most `most` questions, from members spread evenly over the group.
GroupReach reach_of(const Devices& devices, mad::Lid group, std::size_t most = 1000);

}  // namespace heddle::sim
