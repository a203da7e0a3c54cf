// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/survey.hpp"

#include <algorithm>
#include <array>

namespace heddle::fabric {
namespace {

std::vector<Target> find_targets(const Topology& topology, const LidMap& lids) {
  std::vector<Target> targets(std::size_t{lids.top().value} + 1);
  std::uint32_t switch_rows = 0;
  for (std::size_t lid = 1; lid < targets.size(); ++lid) {
    const PortIndex owner = lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
    if (owner == kNoPort) continue;
    const auto attachment = topology.attachment(owner);
    if (!attachment) continue;
    const bool own_lid = attachment->out.value == 0;
    targets[lid] = {attachment->at.value, attachment->out.value,
                    own_lid ? switch_rows++ : kNowhere};
  }
  return targets;
}

// One for each switch, more where enhanced ports 0 own ranges.
std::size_t count_switch_lids(const std::vector<Target>& targets) {
  return static_cast<std::size_t>(
      std::count_if(targets.begin(), targets.end(),
                    [](const Target& target) { return target.switch_row != kNowhere; }));
}

// A cable to the same switch is no channel.
bool leads_back(const Topology& topology, SwitchIndex at, unsigned number) {
  const auto out = mad::PortNumber{static_cast<std::uint8_t>(number)};
  const PortIndex far = topology.peer(topology.port_of(at, out));
  return far != kNoPort && topology.node_of(far).value == at.value;
}

}  // namespace

Wiring::Wiring(const Topology& topology) {
  const auto switches = static_cast<std::uint32_t>(topology.switch_count());
  first_port.reserve(switches);
  ports.reserve(switches);
  std::uint32_t all = 0;
  for (std::uint32_t s = 0; s < switches; ++s) {
    first_port.push_back(all);
    ports.push_back(topology.node(SwitchIndex{s}).port_count + 1u);
    all += ports.back() + 1;
  }
  next_switch.resize(all, kNowhere);
  for (std::uint32_t s = 0; s < switches; ++s) {
    std::uint32_t* const next = next_switch.data() + first_port[s];
    for (const Channel& channel : topology.channels_from(SwitchIndex{s})) {
      next[channel.out.value] = channel.to.value;
    }
    for (unsigned number = 0; number < ports[s]; ++number) {
      if (next[number] == kNowhere && leads_back(topology, SwitchIndex{s}, number))
        next[number] = s;
    }
  }
}

Survey::Survey(const Topology& topology_in, const LidMap& lids, const ForwardingTables& tables_in)
    : topology(topology_in),
      tables(tables_in),
      wiring(topology_in),
      islands(topology_in),
      targets(find_targets(topology_in, lids)),
      has_hosts(topology_in.switch_count()),
      forwards_words((count_switch_lids(targets) + 63) / 64),
      forwards(forwards_words * topology_in.switch_count()) {
  for (const PortIndex endport : topology.endports()) {
    const auto attachment = topology.attachment(endport);
    if (attachment && attachment->out.value != 0) has_hosts[attachment->at.value] = 1;
  }
}

void Columns::load(const ForwardingTables& tables, std::size_t block) {
  if (block >= tables.block_count()) {
    std::fill(entries_.begin(), entries_.end(), mad::kNoPortNumber.value);
    return;
  }
  // A few switches at a time, so that what is written stays in the first-level cache as well.
  constexpr std::size_t kStep = 16;
  for (std::size_t first = 0; first < switches_; first += kStep) {
    const std::size_t count = std::min(kStep, switches_ - first);
    std::array<const std::uint8_t*, kStep> rows{};
    for (std::size_t s = 0; s < count; ++s) {
      const SwitchIndex at{static_cast<std::uint32_t>(first + s)};
      rows[s] = tables.block(at, block).data();
    }
    for (std::size_t i = 0; i < kLftBlockLids; ++i) {
      std::uint8_t* to = entries_.data() + i * switches_ + first;
      for (std::size_t s = 0; s < count; ++s) to[s] = rows[s][i];
    }
  }
}

}  // namespace heddle::fabric
