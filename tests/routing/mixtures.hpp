// SPDX-License-Identifier: BSD-3-Clause
// Tables in the midst of a transition, as packets may meet them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prng.hpp"
#include "fabric/forwarding_tables.hpp"
#include "mad/types.hpp"
#include "routing/transition.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {

// What an entry holds before a step, and after it.
inline std::uint8_t entry_after(const Transition& transition, std::uint32_t at, std::size_t lid,
                                std::uint8_t old, std::uint8_t wanted, int step) {
  if (step < 0 || old == wanted) return old;
  const bool emptied = lid < transition.emptied.size() && transition.emptied[lid];
  if (emptied) return step == 0 ? mad::kNoPortNumber.value : wanted;
  for (const auto& late : transition.late_of(fabric::SwitchIndex{at})) {
    if (late.lid.value == lid) return step >= late.step ? wanted : old;
  }
  return wanted;
}

// In the midst of a step: some switches have been reached by it, some have not.
inline fabric::ForwardingTables mixture(const fabric::ForwardingTables& before,
                                        const fabric::ForwardingTables& wanted,
                                        const Transition& transition, int step, base::Prng& dice) {
  fabric::ForwardingTables mixed = wanted;
  for (std::uint32_t s = 0; s < wanted.switch_count(); ++s) {
    const auto row = mixed.row(fabric::SwitchIndex{s});
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      const mad::Lid number{static_cast<std::uint16_t>(lid)};
      const std::uint8_t old = before.out_port(fabric::SwitchIndex{s}, number).value;
      const int done = dice.below(2) == 0 ? step : step - 1;
      row[lid] = entry_after(transition, s, lid, old, row[lid], done);
    }
  }
  return mixed;
}

// Whether packets do that go to a LID that somebody has.
inline bool goes_round(const Subnet& subnet, const fabric::ForwardingTables& tables) {
  bool round = false;
  subnet.for_each_lid([&](mad::Lid lid, fabric::SwitchIndex, mad::PortNumber) {
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
      fabric::SwitchIndex at{s};
      std::size_t hops = 0;
      while (hops <= tables.switch_count()) {
        const auto out = tables.out_port(at, lid);
        if (out.value > subnet.topology.node(at).port_count) break;
        const auto channel = subnet.topology.channel_by_port(at, out);
        if (channel == fabric::kNoChannel) break;
        at = subnet.topology.channels()[channel.value].to;
        ++hops;
      }
      round = round || hops > tables.switch_count();
    }
  });
  return round;
}

}  // namespace heddle::routing
