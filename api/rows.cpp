// SPDX-License-Identifier: BSD-3-Clause
#include "api/rows.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "mad/names.hpp"
#include "mad/sa_rate.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

// "ChannelAdapter" is "channel-adapter" here.
std::string word(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !out.empty() && out.back() != '-') out += '-';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

Json hex_json(std::uint64_t value, unsigned digits = 16) {
  return base::hex(value, digits);
}

// What a link runs at: width, speed and both in one number.
void add_rate(const sm::Snapshot& fabric, PortIndex port, Json& row) {
  const auto width = mad::active_width(fabric.registers->ports[port.value]);
  const auto speed = fabric::link_speed(*fabric.registers, port);
  row["width"] = width ? Json(mad::entry(*width).name) : Json(nullptr);
  row["speed"] = speed ? Json(mad::entry(*speed).name) : Json(nullptr);
  row["gigabits"] = width && speed ? Json(mad::link_rate(*width, *speed) / 64.0) : Json(nullptr);
}

std::size_t linked_ports(const fabric::Topology& topology, NodeIndex node) {
  std::size_t linked = 0;
  for (unsigned number = 1; number <= topology.node(node).port_count; ++number) {
    const auto port = topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(number)});
    linked += topology.peer(port) != fabric::kNoPort;
  }
  return linked;
}

Json lost_end(const LostLink::End& end) {
  return {{"node", end.name}, {"guid", base::hex(end.node.value)}, {"port", end.port.value}};
}

double seconds(base::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string text(const mad::Gid& gid) {
  std::string out;
  for (const std::uint64_t half : {gid.prefix.value, gid.guid.value}) {
    for (int shift = 48; shift >= 0; shift -= 16) {
      out += fmt::format("{}{:04x}", out.empty() ? "" : ":", half >> shift & 0xFFFF);
    }
  }
  return out;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json node_row(const sm::Snapshot& fabric, NodeIndex index) {
  const fabric::Node& node = fabric.topology.node(index);
  Json row{{"guid", base::hex(node.guid.value)},
           {"name", node.description},
           {"type", word(mad::name_of(node.type))}};
  Json lids = Json::array();
  for (unsigned number = fabric.topology.is_switch(index) ? 0 : 1; number <= node.port_count;
       ++number) {
    const auto port =
        fabric.topology.port_of(index, mad::PortNumber{static_cast<std::uint8_t>(number)});
    const mad::Lid lid = lid_of(fabric, port);
    if (lid != mad::kNoLid) lids.push_back(lid.value);
    if (number == 0) break;
  }
  row["lids"] = std::move(lids);
  row["ports"] = node.port_count;
  row["linked_ports"] = linked_ports(fabric.topology, index);
  row["system_image_guid"] = base::hex(node.system_image_guid.value);
  row["vendor_id"] = hex_json(node.vendor_id, 6);
  row["device_id"] = hex_json(node.device_id, 4);
  return row;
}

Json end_row(const fabric::Topology& topology, PortIndex port) {
  const fabric::Node& node = topology.node(topology.node_of(port));
  return {{"node", node.description},
          {"guid", base::hex(node.guid.value)},
          {"port", topology.number_of(port).value}};
}

Json port_row(const sm::Snapshot& fabric, PortIndex port) {
  const mad::PortInfo& info = fabric.registers->ports[port.value];
  Json row = end_row(fabric.topology, port);
  const mad::Guid guid = fabric.topology.port(port).guid;
  row["port_guid"] = guid == mad::Guid{} ? Json(nullptr) : Json(base::hex(guid.value));
  const mad::Lid lid = lid_of(fabric, port);
  row["lid"] = lid == mad::kNoLid ? Json(nullptr) : Json(lid.value);
  row["state"] = word(mad::name_of(info.port_state));
  row["physical_state"] = word(mad::name_of(info.port_physical_state));
  add_rate(fabric, port, row);
  row["mtu"] = mad::mtu_bytes(info.neighbor_mtu);
  const PortIndex peer = fabric.topology.peer(port);
  row["peer"] = peer == fabric::kNoPort ? Json(nullptr) : end_row(fabric.topology, peer);
  return row;
}

Json link_row(const sm::Snapshot& fabric, PortIndex port) {
  const PortIndex peer = fabric.topology.peer(port);
  Json row{{"a", end_row(fabric.topology, port)}, {"b", end_row(fabric.topology, peer)}};
  add_rate(fabric, port, row);
  const auto& info = fabric.registers->ports;
  // Of the end that is less far.
  row["state"] =
      word(mad::name_of(std::min(info[port.value].port_state, info[peer.value].port_state)));
  return row;
}

Json partition_row(const sm::Snapshot& fabric, const partitions::Memberships& memberships,
                   const partitions::Partition& partition) {
  std::size_t full = 0, limited = 0;
  for (const PortIndex port : fabric.topology.endports()) {
    const auto membership = memberships.membership(port, partition.key);
    if (!membership) continue;
    ++(*membership == partitions::Membership::Limited ? limited : full);
  }
  return {{"p_key", base::hex(partition.key.value, 4)},
          {"name", partition.name},
          {"service_level", partition.sl.value},
          {"ipoib", partition.ipoib},
          {"index0", partition.index0},
          {"full_members", full},
          {"limited_members", limited}};
}

Json group_row(const sm::ListedGroup& group) {
  const mad::MCMemberRecord& terms = group.terms;
  Json members = Json::array();
  const bool untold = group.members == nullptr && group.member_count > 0;
  if (group.members != nullptr) {
    for (const multicast::Member& member : *group.members) {
      members.push_back({{"port_gid", text(member.port_gid)}, {"join_state", member.join_state}});
    }
  }
  return {{"mgid", text(terms.mgid)},
          {"mlid", base::hex(terms.mlid.value, 4)},
          {"p_key", base::hex(terms.p_key.value, 4)},
          {"mtu", mad::mtu_bytes(terms.mtu)},
          {"rate", terms.rate},
          {"service_level", terms.sl.value},
          {"permanent", group.permanent},
          {"member_count", group.member_count},
          {"members", untold ? Json(nullptr) : std::move(members)}};
}

Json manager_row(const sm::Snapshot& fabric, const sm::OtherManager& manager) {
  return {{"guid", base::hex(manager.guid.value)},
          {"priority", manager.priority},
          {"state", word(mad::name_of(manager.state))},
          {"takes_part", manager.may_take_part},
          {"at", manager.port == fabric::kNoPort ? Json(nullptr)
                                                 : end_row(fabric.topology, manager.port)}};
}

Json event_row(const JournalEvent& event) {
  constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};
  Json fields = Json::object();
  for (const auto& [name, value] : event.fields) fields[std::string(name)] = value;
  return {{"number", event.number},
          {"time", text(event.time)},
          {"level", kLevels[static_cast<std::size_t>(event.severity)]},
          {"event", event.name},
          {"message", event.sentence},
          {"fields", std::move(fields)}};
}

Json sweep_row(const JournalSweep& sweep) {
  const sm::SweepStatistics& statistics = sweep.statistics;
  Json phases = Json::object();
  for (std::size_t i = 0; i < sm::kPhaseCount; ++i) {
    phases[std::string(sm::phase_name(static_cast<sm::Phase>(i)))] = seconds(statistics.phase[i]);
  }
  return {{"number", statistics.number},
          {"finished", text(sweep.finished)},
          {"full", sweep.full},
          {"reason", sweep.reason},
          {"seconds", seconds(statistics.total)},
          {"phases", std::move(phases)},
          {"gets", statistics.gets_sent},
          {"sets", statistics.sets_sent},
          {"retries", statistics.retries},
          {"unanswered", statistics.unanswered}};
}

Json lost_row(const LostLink& link, bool is_ordered) {
  return {{"a", lost_end(link.a)},
          {"b", lost_end(link.b)},
          {"between_switches", link.between_switches},
          {"ordered", is_ordered},
          {"since", text(link.since)}};
}

}  // namespace heddle::api
