// SPDX-License-Identifier: BSD-3-Clause
#include "plan/multicast_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/traffic.hpp"
#include "routing/patterns.hpp"

namespace heddle::plan {
namespace {

constexpr mad::Lid kFirst{0xC000}, kLast{0xFFFE};
constexpr std::string_view kGroup = "group ";

struct Section {
  mad::Lid mlid{};
  std::string hosts;  // after as many line ends as stand before them in the file
};

base::Result<std::vector<Section>> split_groups(std::string_view text, std::string_view title) {
  std::vector<Section> sections;
  std::set<mad::Lid> known;
  std::size_t number = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw.substr(0, raw.find('#')));
    if (line.starts_with(kGroup)) {
      const auto mlid = base::parse_number(base::trim(line.substr(kGroup.size())), kLast.value);
      if (!mlid || *mlid < kFirst.value) {
        return base::error(
            fmt::format("{}:{}: a multicast LID from 0xC000 to 0xFFFE is wanted", title, number));
      }
      const mad::Lid lid{static_cast<std::uint16_t>(*mlid)};
      if (!known.insert(lid).second) {
        return base::error(fmt::format("{}:{}: this group was there before", title, number));
      }
      sections.push_back({lid, std::string(number, '\n')});
    } else if (!line.empty() && sections.empty()) {
      return base::error(fmt::format("{}:{}: 'group 0xC001' is wanted first", title, number));
    } else if (!sections.empty()) {
      sections.back().hosts += std::string(line) + "\n";
    }
  }
  return {boost::system::in_place_value, std::move(sections)};
}

}  // namespace

std::vector<multicast::RoleChange> broadcast_members(const fabric::Topology& topology,
                                                     const fabric::LidMap& lids) {
  std::vector<multicast::RoleChange> members;
  for (const fabric::PortIndex port : routing::order_hosts(topology, lids)) {
    members.push_back({kFirst, topology.port(port).guid, multicast::Role::Receiver});
  }
  return members;
}

base::Result<std::vector<multicast::RoleChange>> parse_groups(std::string_view text,
                                                              std::string_view title,
                                                              const fabric::Topology& topology,
                                                              const fabric::LidMap& lids) {
  const auto sections = split_groups(text, title);
  if (sections.has_error()) return sections.error();
  std::vector<multicast::RoleChange> members;
  for (const Section& section : *sections) {
    const auto hosts = parse_host_list(section.hosts, title, topology, lids);
    if (hosts.has_error()) return hosts.error();
    for (const fabric::PortIndex port : *hosts) {
      members.push_back({section.mlid, topology.port(port).guid, multicast::Role::Receiver});
    }
  }
  if (members.empty()) return base::error(fmt::format("{}: there is no group in it", title));
  return {boost::system::in_place_value, std::move(members)};
}

std::string multicast_list(const fabric::Topology& topology, const multicast::Tables& tables) {
  std::string text;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const fabric::SwitchIndex at{s};
    std::string lines;
    const std::size_t lids = tables.block_count(at) * mad::kMlidsPerMftBlock;
    for (std::size_t i = 0; i < lids && kFirst.value + i <= kLast.value; ++i) {
      const mad::Lid mlid{static_cast<std::uint16_t>(kFirst.value + i)};
      const multicast::PortSet ports = tables.entry(at, mlid);
      if (ports.empty()) continue;
      lines += fmt::format("0x{:04X} :", mlid.value);
      ports.for_each([&](mad::PortNumber port) { lines += fmt::format(" 0x{:03X} ", port.value); });
      lines += "\n";
    }
    if (lines.empty()) continue;
    text += fmt::format("Switch 0x{:016x}\nLID    : Out Port(s)\n", topology.node(at).guid.value);
    text += lines + "\n";
  }
  return text;
}

}  // namespace heddle::plan
