// SPDX-License-Identifier: BSD-3-Clause
// Switches that do not take their forwarding tables: what the next steps may not build upon.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "routing/kept_entries.hpp"
#include "sm/programming.hpp"

namespace heddle::sm {

using fabric::ForwardingTables;
using fabric::PortIndex;
using fabric::SwitchIndex;

ForwardingTables held_tables(const Picture& picture) {
  const std::size_t switches = picture.frozen.topology->switch_count();
  ForwardingTables tables(switches, picture.lids->top());
  for (std::uint32_t s = 0; s < switches; ++s) {
    const auto& held = picture.observation[picture.frozen.node_of[s]].table;
    const auto row = tables.row(SwitchIndex{s});
    for (std::size_t block = 0; block < tables.block_count(); ++block) {
      if (!held.known(block)) continue;
      const auto bytes = held.block(block);
      std::copy(bytes.begin(), bytes.end(),
                row.begin() + static_cast<std::ptrdiff_t>(block * fabric::kLftBlockLids));
    }
  }
  return tables;
}

// What a switch will hold when all steps are done, unless it refuses that too.
std::uint8_t Programming::entry_in_the_end(const Picture& picture, SwitchIndex of,
                                           mad::Lid lid) const {
  const auto block = static_cast<std::uint32_t>(lid.value / fabric::kLftBlockLids);
  const std::size_t i = lid.value % fabric::kLftBlockLids;
  if (failed_blocks_.count({of.value, block}) == 0) {
    return picture.routes->routes.tables.block(of, block)[i];
  }
  const auto& held = picture.observation[picture.frozen.node_of[of.value]].table;
  return held.known(block) ? held.block(block)[i] : mad::kNoPortNumber.value;
}

bool Programming::goes_round(const Picture& picture, SwitchIndex from, mad::Lid lid) const {
  const auto& topology = *picture.frozen.topology;
  for (std::size_t hops = 0; hops <= topology.switch_count(); ++hops) {
    const mad::PortNumber out{entry_in_the_end(picture, from, lid)};
    const fabric::NodeIndex node{from.value};
    if (out.value == 0 || out.value > topology.node(node).port_count) return false;
    const PortIndex next = topology.peer(topology.port_of(node, out));
    if (next == fabric::kNoPort || !topology.is_switch(topology.node_of(next))) return false;
    from = SwitchIndex{topology.node_of(next).value};
  }
  return true;
}

std::set<TableBlock> Programming::unsettled_blocks(const Context& context) const {
  constexpr auto kTable = mad::AttributeId::LinearForwardingTable;
  std::set<TableBlock> found;
  for (const auto& [node, attribute, modifier] : failures_) {
    if (attribute == kTable) found.emplace(mad::Guid{node}, modifier);
  }
  for (const Request& request : context.transactions.sets_in_flight()) {
    if (request.attribute != kTable) continue;
    const auto node = context.picture.frozen.node_of[request.subject];
    found.emplace(context.picture.observation[node].info.node_guid, request.modifier);
  }
  return found;
}

void Programming::stick(mad::Lid lid) {
  if (stuck_.size() <= lid.value) stuck_.resize(lid.value + 1u);
  stuck_[lid.value] = true;
  empties_more_ = empties_more_ || is_emptied(lid.value);
}

// What is written at once gets on with whatever was there before.
bool Programming::takes_steps(mad::Lid lid) const {
  if (is_emptied(lid.value)) return true;
  return std::any_of(transition_.late.begin(), transition_.late.end(),
                     [lid](const auto& entry) { return entry.lid == lid; });
}

void Programming::find_stuck(const Picture& picture) {
  std::set<mad::Lid> in_doubt;
  for (const auto& [of, block] : failed_blocks_) {
    const SwitchIndex at{of};
    const auto wanted = wanted_block(picture, at, block);
    const auto& held = picture.observation[picture.frozen.node_of[of]].table;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(block * wanted.size() + i)};
      const bool same = held.known(block) && held.block(block)[i] == wanted[i];
      if (same || lid > picture.lids->top() || is_stuck(lid.value)) continue;
      if (!held.known(block) || goes_round(picture, at, lid)) {
        stick(lid);
      } else if (takes_steps(lid)) {
        in_doubt.insert(lid);
      }
    }
  }
  find_locking(picture, {in_doubt.begin(), in_doubt.end()});
}

// Our own LID is the last to stay without a way.
void Programming::find_locking(const Picture& picture, std::vector<mad::Lid> in_doubt) {
  in_doubt.erase(std::remove_if(in_doubt.begin(), in_doubt.end(),
                                [this](mad::Lid lid) { return is_stuck(lid.value); }),
                 in_doubt.end());
  if (in_doubt.empty()) return;
  const mad::Lid own = picture.lids->base(picture.sm_port);
  std::stable_partition(in_doubt.begin(), in_doubt.end(),
                        [own](mad::Lid lid) { return lid == own; });
  ForwardingTables now = held_tables(picture);
  ForwardingTables in_the_end = picture.routes->routes.tables;
  for (const auto& [of, block] : failed_blocks_) {
    const auto kept = now.block(SwitchIndex{of}, block);
    std::copy(kept.begin(), kept.end(),
              in_the_end.row(SwitchIndex{of}).begin() +
                  static_cast<std::ptrdiff_t>(block * fabric::kLftBlockLids));
  }
  const auto is_empty = [this](SwitchIndex at, mad::Lid lid) {
    return is_emptied(lid.value) &&
           failed_blocks_.count({at.value, lid.value / fabric::kLftBlockLids}) == 0;
  };
  for (std::uint16_t lid = 1; lid <= picture.lids->top().value; ++lid) {
    if (!is_stuck(lid)) continue;
    for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
      const SwitchIndex at{s};
      if (is_empty(at, {lid})) now.set(at, {lid}, mad::kNoPortNumber);
      in_the_end.set(at, {lid}, now.out_port(at, {lid}));
    }
  }
  ForwardingTables withheld = in_the_end;
  for (const mad::Lid lid : in_doubt) {
    for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
      const SwitchIndex at{s};
      withheld.set(at, lid, is_empty(at, lid) ? mad::kNoPortNumber : now.out_port(at, lid));
    }
  }
  const routing::Halfway halfway{now, in_the_end, withheld, picture.routes->routes.lanes};
  for (const mad::Lid lid :
       routing::lids_that_lock(*picture.frozen.topology, *picture.lids, halfway, in_doubt)) {
    stick(lid);
  }
}

}  // namespace heddle::sm
