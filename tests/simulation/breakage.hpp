// SPDX-License-Identifier: BSD-3-Clause
// What broken cables and devices do, drawn from a source of its own: MADs that pass twice, overtake
// or are late, links that flap, storms of traps, slow agents, wrong bits, restarts that take their
// time, copied firmware images.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "sim/devices.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {

class Breakage {
 public:
  Breakage(Box& box, std::uint64_t seed) : world_(box.world()), dice_(seed ^ 0xB20CE) {}

  bool chance(double of) { return dice_.chance(of); }
  // Breaks a cable, or any node but these; what it did, for the story.
  std::string strike(const std::set<std::uint32_t>& spared) {
    return dice_.chance(0.5) ? break_a_cable() : break_a_node(spared);
  }
  // All is well again. Whoever said wrong things, or has another's GUID, is restarted with it.
  void mend() {
    for (std::uint32_t cable = 0; cable < devices().cables.size(); ++cable) {
      world_.set_duplicate(cable, 0);
      world_.set_reorder(cable, 0);
      world_.set_delay(cable, {});
    }
    for (std::uint32_t node = 0; node < devices().nodes.size(); ++node) {
      world_.set_agent_delay(node, {});
    }
    for (const std::uint32_t node : damaged_) {
      world_.set_damage(node, 0);
      restart(node);
    }
    for (const auto& [node, guid] : own_guids_) load_firmware(node, guid);
  }

 private:
  const sim::Devices& devices() const { return world_.devices(); }

  std::string break_a_cable() {
    using std::chrono::milliseconds;
    const auto cable = static_cast<std::uint32_t>(dice_.below(devices().cables.size()));
    const std::string which = " on cable " + std::to_string(cable);
    switch (dice_.below(4)) {
      case 0:
        world_.set_duplicate(cable, 0.3);
        return "MADs pass twice" + which;
      case 1:
        world_.set_reorder(cable, 0.3);
        return "MADs overtake" + which;
      case 2:
        world_.set_delay(cable, milliseconds(1 + dice_.below(40)));
        return "MADs are late" + which;
      default:
        const milliseconds down(1 + dice_.below(500));
        const milliseconds up(1 + dice_.below(500));
        world_.flap(cable, down, up, static_cast<unsigned>(1 + dice_.below(5)));
        return "the link comes and goes" + which;
    }
  }

  std::string break_a_node(const std::set<std::uint32_t>& spared) {
    using std::chrono::microseconds;
    using std::chrono::milliseconds;
    const auto node = static_cast<std::uint32_t>(dice_.below(devices().nodes.size()));
    if (spared.count(node) != 0) return "nothing breaks";
    const std::string who = "node " + std::to_string(node);
    switch (dice_.below(5)) {
      case 0: {
        const microseconds interval(100 + dice_.below(10'000));
        world_.storm(node, interval, static_cast<unsigned>(1 + dice_.below(500)));
        return who + " sends a storm of traps";
      }
      case 1:
        world_.set_agent_delay(node, milliseconds(1 + dice_.below(300)));
        return who + " is slow";
      case 2:
        world_.reboot(node, milliseconds(1 + dice_.below(3000)));
        return who + " restarts and takes its time";
      case 3:
        damaged_.insert(node);
        world_.set_damage(node, dice_.chance(0.5) ? 0.02 : 0.3);
        return who + " sends wrong bits";
      default:
        return take_the_guid_of_another(node);
    }
  }

  // What a copied firmware image does.
  std::string take_the_guid_of_another(std::uint32_t node) {
    const auto other = static_cast<std::uint32_t>(dice_.below(devices().nodes.size()));
    if (other == node) return "nothing breaks";
    own_guids_.emplace(node, devices().port_guid(devices().first_endpoint(node)));
    load_firmware(node, devices().port_guid(devices().first_endpoint(other)));
    return "node " + std::to_string(node) + " has the GUID of node " + std::to_string(other);
  }
  void load_firmware(std::uint32_t node, mad::Guid guid) {
    const bool is_switch = devices().nodes[node].type == mad::NodeType::Switch;
    world_.power_off(node);
    ASSERT_TRUE(world_.set_port_guid(node, is_switch ? 0 : 1, guid)) << node;
    world_.power_on(node);
  }
  void restart(std::uint32_t node) {
    world_.power_off(node);
    world_.power_on(node);
  }

  sim::World& world_;
  base::Prng dice_;
  std::set<std::uint32_t> damaged_;
  std::map<std::uint32_t, mad::Guid> own_guids_;  // of nodes that have, or had, another's
};

}  // namespace heddle::test
