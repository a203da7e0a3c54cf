// SPDX-License-Identifier: BSD-3-Clause
// What a fabric has lost since its routes were made, as a repair wants to know it: everything in
// the switches and compact channels of home.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "routing/certificate.hpp"
#include "routing/home.hpp"

namespace heddle::routing {

// Refers to all it is made from. `departure` must be comparable, from `home` to `now` with `lids`;
// the certificate is of home's topology.
struct Damage {
  static constexpr std::uint32_t kNone = Certificate::kNone;

  Damage(const Home& home, const Departure& departure, const fabric::Topology& now,
         const fabric::LidMap& lids, const Certificate& certificate);

  std::uint8_t entry(std::uint32_t at, mad::Lid lid) const {
    return tables.entry(fabric::SwitchIndex{at}, lid.value);
  }
  // Of the switch that a LID hangs on, or that has it; nothing if it hangs on none.
  std::optional<std::uint32_t> target_of(mad::Lid lid) const;
  bool is_of_switch(mad::Lid lid) const;

  const Home& home;
  const fabric::Topology& now;
  const Certificate& certificate;
  const CompactChannels& channels;
  const fabric::ForwardingTables& tables;  // of home
  std::vector<std::uint32_t> now_at;       // by switch; kNone: it is gone
  std::vector<std::uint8_t> lost;          // by channel: it is gone
  std::vector<std::uint8_t> has_hosts;     // by switch
  // Switches that are still there, and a port of each whose link to another switch is not.
  std::vector<std::pair<std::uint32_t, std::uint8_t>> gates;
  // The LIDs whose ways pass a gate: those of switches, then the others.
  std::vector<mad::Lid> affected;

 private:
  void find_lost();
  void find_affected(const fabric::LidMap& lids);
};

}  // namespace heddle::routing
