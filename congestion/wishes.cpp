// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/wishes.hpp"

#include <algorithm>

namespace heddle::congestion {
namespace {

using Id = mad::CongestionAttributeId;
using Element = mad::SwitchPortCongestionSettingElement;
using Entry = mad::CACongestionEntry;

constexpr std::size_t kPerBlock = mad::kCongestionTableEntriesPerBlock;

mad::PortMask mask_of(const Ports& ports, const Agent& agent) {
  mad::PortMask mask = ports.mask;
  for (unsigned port = 0; port <= agent.port_count; ++port) {
    const bool is_in =
        (ports.hosts && agent.to_hosts[port]) || (ports.switches && agent.to_switches[port]);
    std::uint8_t& byte = mask[mask.size() - 1 - port / 8];
    if (is_in) byte = static_cast<std::uint8_t>(byte | 1u << (port % 8));
  }
  return mask;
}

Element element_of(const std::vector<PortRule>& rules, const Agent& agent, unsigned port) {
  const auto fits = [&](const PortRule& rule) {
    switch (rule.where) {
      case PortRule::Where::All:
        return agent.to_hosts[port] || agent.to_switches[port];
      case PortRule::Where::Hosts:
        return agent.to_hosts[port];
      case PortRule::Where::Switches:
        return agent.to_switches[port];
      case PortRule::Where::One:
        break;
    }
    return rule.node == agent.node && rule.port.value == port;
  };
  const auto found = std::find_if(rules.rbegin(), rules.rend(), fits);
  return found == rules.rend() ? Element{} : found->element;
}

void add_ports(const Settings& settings, const Agent& agent, std::vector<Wish>& out) {
  constexpr unsigned kPorts = mad::kCongestionPortsPerBlock;
  for (std::uint32_t block = 0; block <= agent.port_count / kPorts; ++block) {
    Wish wish{Id::SwitchPortCongestionSetting, block, {}};
    for (unsigned n = 0; n < kPorts; ++n) {
      const unsigned port = block * kPorts + n;
      if (port > agent.port_count) break;
      encode_at(wish.data, n * mad::kBytes<Element>, element_of(settings.ports, agent, port));
    }
    out.push_back(wish);
  }
}

void add_table(const Settings& settings, std::vector<Wish>& out) {
  const auto limit = static_cast<std::uint16_t>(settings.table.size() - 1);
  for (std::size_t first = 0; first < settings.table.size(); first += kPerBlock) {
    mad::CongestionControlTable table;
    table.ccti_limit = limit;
    const std::size_t count = std::min(kPerBlock, settings.table.size() - first);
    std::copy_n(settings.table.begin() + static_cast<std::ptrdiff_t>(first), count,
                table.entries.begin());
    Wish wish{Id::CongestionControlTable, static_cast<std::uint32_t>(first / kPerBlock), {}};
    encode_at(wish.data, 0, table);
    out.push_back(wish);
  }
}

Wish levels_wish(const Settings& settings) {
  mad::CACongestionSetting head;
  head.port_control = settings.by_level ? 1 : 0;
  Wish wish{Id::CACongestionSetting, 0, {}};
  for (const Level& level : settings.levels) {
    head.control_map = static_cast<std::uint16_t>(head.control_map | level.levels);
    for (std::size_t sl = 0; sl < kServiceLevels; ++sl) {
      if ((level.levels >> sl & 1) == 0) continue;
      encode_at(wish.data, mad::kBytes<mad::CACongestionSetting> + sl * mad::kBytes<Entry>,
                level.entry);
    }
  }
  encode_at(wish.data, 0, head);
  return wish;
}

// --- what of the standing bytes a wish speaks of

bool stands_in_switch(const Data& wanted, const Data& there) {
  const auto wish = decode_at<mad::SwitchCongestionSetting>(wanted, 0);
  auto held = decode_at<mad::SwitchCongestionSetting>(there, 0);
  if ((held.control_map & wish.control_map) != wish.control_map) return false;
  const auto speaks = [&](std::uint32_t bit) { return (wish.control_map & bit) != 0; };
  held.control_map = wish.control_map;
  if (!speaks(mad::kVictimMaskValid)) held.victim_mask = wish.victim_mask;
  if (!speaks(mad::kCreditMaskValid)) held.credit_mask = wish.credit_mask;
  if (!speaks(mad::kThresholdValid)) {
    held.threshold = wish.threshold;
    held.packet_size = wish.packet_size;
  }
  if (!speaks(mad::kStarvationValid)) {
    held.cs_threshold = wish.cs_threshold;
    held.cs_return_delay = wish.cs_return_delay;
  }
  if (!speaks(mad::kMarkingRateValid)) held.marking_rate = wish.marking_rate;
  return held == wish;
}

bool stands_at_ports(const Data& wanted, const Data& there) {
  for (unsigned n = 0; n < mad::kCongestionPortsPerBlock; ++n) {
    const auto wish = decode_at<Element>(wanted, n * mad::kBytes<Element>);
    const auto held = decode_at<Element>(there, n * mad::kBytes<Element>);
    if (wish.valid != held.valid || (wish.valid && wish != held)) return false;
  }
  return true;
}

bool stands_at_levels(const Data& wanted, const Data& there) {
  const auto wish = decode_at<mad::CACongestionSetting>(wanted, 0);
  const auto held = decode_at<mad::CACongestionSetting>(there, 0);
  if (wish.port_control != held.port_control) return false;
  if ((wish.control_map & held.control_map) != wish.control_map) return false;
  for (std::size_t sl = 0; sl < kServiceLevels; ++sl) {
    if ((wish.control_map >> sl & 1) == 0) continue;
    const std::size_t at = mad::kBytes<mad::CACongestionSetting> + sl * mad::kBytes<Entry>;
    if (decode_at<Entry>(wanted, at) != decode_at<Entry>(there, at)) return false;
  }
  return true;
}

bool stands_in_table(const Wish& wish, const Data& there) {
  const auto wanted = decode_at<mad::CongestionControlTable>(wish.data, 0);
  const auto held = decode_at<mad::CongestionControlTable>(there, 0);
  const std::size_t first = wish.block * kPerBlock;
  const std::size_t count = std::min(kPerBlock, wanted.ccti_limit + 1 - first);
  return wanted.ccti_limit == held.ccti_limit &&
         std::equal(wanted.entries.begin(),
                    wanted.entries.begin() + static_cast<std::ptrdiff_t>(count),
                    held.entries.begin());
}

}  // namespace

bool table_fits(const Settings& settings, std::size_t room) {
  return settings.table.size() <= room;
}

std::vector<Wish> wishes(const Settings& settings, const Agent& agent, std::size_t room) {
  std::vector<Wish> out;
  if (!agent.is_switch) {
    if (!table_fits(settings, room)) return out;
    if (!settings.table.empty()) add_table(settings, out);
    if (!settings.levels.empty()) out.push_back(levels_wish(settings));
    return out;
  }
  if (settings.switches) {
    mad::SwitchCongestionSetting value = settings.switches->value;
    value.victim_mask = mask_of(settings.switches->victims, agent);
    value.credit_mask = mask_of(settings.switches->credit_watch, agent);
    Wish wish{Id::SwitchCongestionSetting, 0, {}};
    encode_at(wish.data, 0, value);
    out.push_back(wish);
  }
  if (!settings.ports.empty()) add_ports(settings, agent, out);
  return out;
}

bool stands(const Wish& wish, const Data& there) {
  switch (wish.attribute) {
    case Id::SwitchCongestionSetting:
      return stands_in_switch(wish.data, there);
    case Id::SwitchPortCongestionSetting:
      return stands_at_ports(wish.data, there);
    case Id::CACongestionSetting:
      return stands_at_levels(wish.data, there);
    case Id::CongestionControlTable:
      return stands_in_table(wish, there);
    default:
      return wish.data == there;
  }
}

}  // namespace heddle::congestion
