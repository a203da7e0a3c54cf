// SPDX-License-Identifier: BSD-3-Clause
#include "app/dumps.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/files.hpp"
#include "app/lane_dumps.hpp"
#include "mad/link.hpp"
#include "plan/multicast_plan.hpp"
#include "routing/lid_matrix.hpp"

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

constexpr std::uint8_t kNoRoute = mad::kNoPortNumber.value;

std::string_view node_kind(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::Switch:
      return "SW";
    case mad::NodeType::Router:
      return "Rt";
    case mad::NodeType::ChannelAdapter:
      break;
  }
  return "CA";
}

std::string_view long_kind(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::Switch:
      return "Switch";
    case mad::NodeType::Router:
      return "Router";
    case mad::NodeType::ChannelAdapter:
      break;
  }
  return "Channel Adapter";
}

// Braces end a description in the subnet list.
std::string without_braces(std::string text) {
  std::replace(text.begin(), text.end(), '{', '(');
  std::replace(text.begin(), text.end(), '}', ')');
  return text;
}

// The port that stands for a node's port in the LID map: all ports of a switch share port 0's LID.
PortIndex lid_port(const fabric::Topology& topology, PortIndex port) {
  const NodeIndex node = topology.node_of(port);
  return topology.is_switch(node) ? topology.port_of(node, mad::PortNumber{0}) : port;
}

// A sweep that ended before LIDs were given out has an empty map, which must not be asked by port.
mad::Lid lid_of(const sm::Snapshot& snapshot, PortIndex port) {
  return snapshot.lids.top() == mad::kNoLid ? mad::kNoLid : snapshot.lids.base(port);
}

std::string_view state_word(mad::PortState state) {
  switch (state) {
    case mad::PortState::Active:
      return "ACT";
    case mad::PortState::Armed:
      return "ARM";
    case mad::PortState::Init:
      return "INI";
    default:
      return "DWN";
  }
}

// As OpenSM writes them: Gb/s per lane, without fractions above 5.
std::string_view speed_word(std::optional<mad::LinkSpeed> speed) {
  if (!speed) return "??";
  switch (*speed) {
    case mad::LinkSpeed::SDR:
      return "2.5";
    case mad::LinkSpeed::DDR:
      return "5";
    case mad::LinkSpeed::QDR:
      return "10";
    case mad::LinkSpeed::FDR10:
      return "FDR10";
    case mad::LinkSpeed::FDR:
      return "14";
    case mad::LinkSpeed::EDR:
      return "25";
    case mad::LinkSpeed::HDR:
      return "50";
    case mad::LinkSpeed::NDR:
      return "100";
    case mad::LinkSpeed::XDR:
      return "200";
  }
  return "??";
}

std::string end_text(const sm::Snapshot& snapshot, PortIndex port) {
  const fabric::Topology& topology = snapshot.topology;
  const NodeIndex index = topology.node_of(port);
  const fabric::Node& node = topology.node(index);
  const PortIndex owner = lid_port(topology, port);
  const bool is_sm =
      snapshot.sm_port != fabric::kNoPort && topology.node_of(snapshot.sm_port) == index;
  return fmt::format(
      "{{ {}{} Ports:{:02X} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:{:08X} "
      "DevID:{:04X} Rev:{:08X} {{{}}} LID:{:04X} PN:{:02X} }}",
      node_kind(node.type), is_sm ? "-SM" : "", node.port_count, node.system_image_guid.value,
      node.guid.value, topology.port(owner).guid.value, node.vendor_id, node.device_id,
      node.revision, without_braces(node.description), lid_of(snapshot, owner).value,
      topology.number_of(port).value);
}

// Fewest links between every two switches; kFar where there is no way.
class Distances {
 public:
  static constexpr std::uint16_t kFar = 0xFFFF;

  explicit Distances(const fabric::Topology& topology)
      : count_(topology.switch_count()), hops_(count_ * count_, kFar) {
    std::vector<SwitchIndex> queue;
    for (std::uint32_t to = 0; to < count_; ++to) {
      queue.assign(1, SwitchIndex{to});
      at(SwitchIndex{to}, SwitchIndex{to}) = 0;
      for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const fabric::Channel& channel : topology.channels_from(queue[head])) {
          std::uint16_t& hops = at(channel.to, SwitchIndex{to});
          if (hops != kFar) continue;
          hops = static_cast<std::uint16_t>(at(queue[head], SwitchIndex{to}) + 1);
          queue.push_back(channel.to);
        }
      }
    }
  }

  std::uint16_t between(SwitchIndex from, SwitchIndex to) const {
    return hops_[from.value * count_ + to.value];
  }

 private:
  std::uint16_t& at(SwitchIndex from, SwitchIndex to) {
    return hops_[from.value * count_ + to.value];
  }

  std::size_t count_;
  std::vector<std::uint16_t> hops_;
};

// Switches passed on the way, the last included when the LID is a host's; nothing when the tables
// do not lead there.
std::optional<unsigned> walk(const sm::Snapshot& snapshot, SwitchIndex from, mad::Lid lid) {
  const fabric::Topology& topology = snapshot.topology;
  const auto& tables = snapshot.routes->routes.tables;
  const auto end = topology.attachment(snapshot.lids.owner(lid));
  if (!end) return std::nullopt;
  const unsigned last_link = end->out.value == 0 ? 0 : 1;
  SwitchIndex at = from;
  for (unsigned hops = 0; hops <= topology.switch_count(); ++hops) {
    if (at == end->at) return hops + last_link;
    const mad::PortNumber out = tables.out_port(at, lid);
    if (out.value > topology.node(at).port_count) return std::nullopt;
    const fabric::ChannelIndex channel = topology.channel_by_port(at, out);
    if (channel == fabric::kNoChannel) return std::nullopt;
    at = topology.channels()[channel.value].to;
  }
  return std::nullopt;
}

std::string forwarding_line(const sm::Snapshot& snapshot, const Distances& distances,
                            SwitchIndex from, mad::Lid lid) {
  const mad::PortNumber out = snapshot.routes->routes.tables.out_port(from, lid);
  const auto hops = out.value == kNoRoute ? std::nullopt : walk(snapshot, from, lid);
  if (!hops) return fmt::format("0x{:04X} : UNREACHABLE\n", lid.value);
  const auto end = snapshot.topology.attachment(snapshot.lids.owner(lid));
  const unsigned fewest = distances.between(from, end->at) + (end->out.value == 0 ? 0u : 1u);
  const std::string optimal =
      *hops == fewest ? "yes" : fmt::format("No {} hop path possible", fewest);
  return fmt::format("0x{:04X} : {:03}  : {:02}   : {}\n", lid.value, out.value, *hops, optimal);
}

SwitchIndex switch_at(std::size_t index) {
  return SwitchIndex{static_cast<std::uint32_t>(index)};
}

}  // namespace

void write_subnet_list(std::ostream& out, const sm::Snapshot& snapshot) {
  const fabric::Topology& topology = snapshot.topology;
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const PortIndex port{i};
    if (topology.peer(port) == fabric::kNoPort) continue;
    const mad::PortInfo& info = snapshot.registers->ports[i];
    const auto width = mad::active_width(info);
    out << fmt::format("{} {} PHY={} LOG={} SPD={}\n", end_text(snapshot, port),
                       end_text(snapshot, topology.peer(port)),
                       width ? mad::entry(*width).name : "??", state_word(info.port_state),
                       speed_word(fabric::link_speed(*snapshot.registers, port)));
  }
}

void write_forwarding_list(std::ostream& out, const sm::Snapshot& snapshot) {
  if (snapshot.routes == nullptr) return;
  const fabric::Topology& topology = snapshot.topology;
  const Distances distances(topology);
  for (std::size_t i = 0; i < topology.switch_count() && out; ++i) {
    std::string text =
        fmt::format("dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops : Optimal\n",
                    topology.node(switch_at(i)).guid.value);
    for (std::uint32_t lid = 1; lid <= snapshot.lids.top().value; ++lid) {
      const mad::Lid number{static_cast<std::uint16_t>(lid)};
      if (snapshot.lids.owner(number) == fabric::kNoPort) continue;
      text += forwarding_line(snapshot, distances, switch_at(i), number);
    }
    out << text << "\n";
  }
}

void write_forwarding_dump(std::ostream& out, const sm::Snapshot& snapshot, SwitchIndex of) {
  const fabric::Topology& topology = snapshot.topology;
  const fabric::Node& from = topology.node(of);
  const PortIndex own = topology.port_of(of, mad::PortNumber{0});
  std::string text = fmt::format("Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n",
                                 snapshot.lids.top().value, lid_of(snapshot, own).value,
                                 from.guid.value, from.description);
  unsigned dumped = 0;
  for (std::uint32_t lid = 1; lid <= snapshot.lids.top().value; ++lid) {
    const mad::Lid number{static_cast<std::uint16_t>(lid)};
    const mad::PortNumber port = snapshot.routes->routes.tables.out_port(of, number);
    const PortIndex owner = snapshot.lids.owner(number);
    if (port.value == kNoRoute || owner == fabric::kNoPort) continue;
    const fabric::Node& node = topology.node(topology.node_of(owner));
    fmt::format_to(std::back_inserter(text), "0x{:04x} {:03} # {} portguid 0x{:016x}: '{}'\n", lid,
                   port.value, long_kind(node.type), topology.port(owner).guid.value,
                   node.description);
    ++dumped;
  }
  out << text << fmt::format("{} lids dumped\n\n", dumped);
}

void write_forwarding_dump(std::ostream& out, const sm::Snapshot& snapshot) {
  if (snapshot.routes == nullptr) return;
  for (std::size_t i = 0; i < snapshot.topology.switch_count() && out; ++i) {
    write_forwarding_dump(out, snapshot, switch_at(i));
  }
}

void write_lid_matrix(std::ostream& out, const sm::Snapshot& snapshot) {
  const fabric::Topology& topology = snapshot.topology;
  const std::size_t cells = topology.switch_count() * topology.channels().size();
  if (cells > routing::kMaxMatrixCells || snapshot.lids.top() == mad::kNoLid) return;
  const Distances distances(topology);
  std::vector<std::vector<std::uint8_t>> hops(topology.switch_count());
  for (std::size_t to = 0; to < hops.size(); ++to) {
    for (std::size_t from = 0; from < hops.size(); ++from) {
      const unsigned far = distances.between(switch_at(from), switch_at(to));
      hops[to].push_back(static_cast<std::uint8_t>(std::min(far, 0xFFu)));
    }
  }
  for (std::size_t from = 0; from < hops.size(); ++from) {
    out << routing::lid_matrix_text(topology, snapshot.lids, switch_at(from), hops);
  }
}

base::Result<void> write_dumps(const std::filesystem::path& directory,
                               const sm::Snapshot& snapshot) {
  struct Dump {
    const char* name;
    void (*write)(std::ostream&, const sm::Snapshot&);
  };
  for (const Dump& dump :
       {Dump{"opensm-subnet.lst", &write_subnet_list}, Dump{"opensm.fdbs", &write_forwarding_list},
        Dump{"opensm-lfts.dump", &write_forwarding_dump},
        Dump{"opensm-lid-matrix.dump", &write_lid_matrix}}) {
    const auto written =
        replace_file(directory / dump.name, [&](std::ostream& out) { dump.write(out, snapshot); });
    if (written.has_error()) return written.error();
  }
  for (const Dump& dump : {Dump{"opensm-path-sl.dump", &write_path_levels},
                           Dump{"opensm-sl2vl.dump", &write_lane_maps}}) {
    if (!has_lane_dumps(snapshot)) {
      std::error_code gone;  // an old one would speak of other routes
      std::filesystem::remove(directory / dump.name, gone);
      continue;
    }
    const auto written =
        replace_file(directory / dump.name, [&](std::ostream& out) { dump.write(out, snapshot); });
    if (written.has_error()) return written.error();
  }
  return {};
}

base::Result<void> write_multicast_dump(const std::filesystem::path& directory,
                                        const fabric::Topology& topology,
                                        const multicast::Tables& tables) {
  if (tables.switch_count() != topology.switch_count()) return {};
  return replace_file(directory / "opensm.mcfdbs",
                      [&](std::ostream& out) { out << plan::multicast_list(topology, tables); });
}

}  // namespace heddle::app
