// SPDX-License-Identifier: BSD-3-Clause
// One line of a .lst is one direction of a link: '{ end } { end } PHY=4x LOG=ACT SPD=2.5', an end
// being a port with its node. Numbers are hexadecimal.
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/fabric_assembly.hpp"
#include "sim/fabric_cursor.hpp"
#include "sim/fabric_readers.hpp"
#include "sim/generators.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

struct ListedEnd {
  mad::NodeType type{};
  std::uint64_t ports = 0;
  std::uint64_t system_guid = 0;
  std::uint64_t node_guid = 0;
  std::uint64_t port_guid = 0;
  std::uint64_t vendor = 0;
  std::uint64_t device = 0;
  std::string_view description;
  std::uint64_t lid = 0;
  std::uint64_t port = 0;
};

struct ListedLink {
  ListedEnd from;
  ListedEnd to;
  std::optional<Width> width;
  std::optional<Speed> speed;
  bool has_unknown_rate = false;
};

base::Result<std::uint64_t> read_field(Cursor& cursor, std::string_view name) {
  if (!cursor.eat(name)) return base::error(fmt::format("expected {}", name));
  const auto word = cursor.word();
  const auto number = word ? base::parse_hex(*word) : std::nullopt;
  if (!number) return base::error(fmt::format("{} needs a hexadecimal number", name));
  return *number;
}

base::Result<mad::NodeType> read_type(Cursor& cursor) {
  const std::string_view word = cursor.word().value_or("");
  const std::string_view type = word.substr(0, word.find('-'));  // "CA-SM": the SM's own port
  if (type == "CA") return mad::NodeType::ChannelAdapter;
  if (type == "SW") return mad::NodeType::Switch;
  if (type == "Rt" || type == "RT") return mad::NodeType::Router;
  return base::error(fmt::format("'{}' is no kind of node (CA, SW, Rt)", base::printable(word)));
}

base::Result<ListedEnd> read_end(Cursor& cursor) {
  ListedEnd end;
  if (!cursor.eat('{')) return base::error("expected an end of a link in braces");
  const auto type = read_type(cursor);
  if (!type) return type.error();
  end.type = *type;
  std::uint64_t revision = 0;
  const std::array<std::pair<std::string_view, std::uint64_t*>, 7> fields{
      {{"Ports:", &end.ports},
       {"SystemGUID:", &end.system_guid},
       {"NodeGUID:", &end.node_guid},
       {"PortGUID:", &end.port_guid},
       {"VenID:", &end.vendor},
       {"DevID:", &end.device},
       {"Rev:", &revision}}};
  for (const auto& [name, value] : fields) {
    const auto read = read_field(cursor, name);
    if (!read) return read.error();
    *value = *read;
  }
  if (!cursor.eat('{')) return base::error("expected a node's description in braces");
  // The description itself may hold braces; what follows it is always the same.
  const auto description = cursor.until(std::string_view("} LID:"));
  if (!description) return base::error("the node's description does not end with '} LID:'");
  end.description = *description;
  const auto lid = base::parse_hex(cursor.word().value_or(""));
  if (!lid) return base::error("LID: needs a hexadecimal number");
  end.lid = *lid;
  const auto port = read_field(cursor, "PN:");
  if (!port) return port.error();
  end.port = *port;
  if (!cursor.eat('}')) return base::error("an end of a link is not closed by '}'");
  // Old tools print the device with the revision's room behind it.
  if (end.device > 0xFFFF) end.device >>= 16;
  if (end.node_guid == 0) return base::error("NodeGUID is 0");
  if (end.ports == 0 || end.ports > kMaxSwitchPorts) {
    return base::error(fmt::format("a node needs 1 to {} ports", kMaxSwitchPorts));
  }
  if (end.port == 0 || end.port > end.ports) {
    return base::error(fmt::format("port {} of a node with {} ports", end.port, end.ports));
  }
  return end;
}

// Gb/s of one lane, as ibdiagnet rounds them.
std::optional<Speed> speed_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Speed>, 9> kSpeeds{{{"2.5", Speed::SDR},
                                                                       {"5", Speed::DDR},
                                                                       {"10", Speed::QDR},
                                                                       {"FDR10", Speed::FDR10},
                                                                       {"14", Speed::FDR},
                                                                       {"25", Speed::EDR},
                                                                       {"50", Speed::HDR},
                                                                       {"100", Speed::NDR},
                                                                       {"200", Speed::XDR}}};
  for (const auto& [name, speed] : kSpeeds) {
    if (text == name) return speed;
  }
  return std::nullopt;
}

base::Result<ListedLink> read_link(std::string_view line) {
  Cursor cursor(line);
  ListedLink link;
  for (ListedEnd* end : {&link.from, &link.to}) {
    const auto read = read_end(cursor);
    if (!read) return read.error();
    *end = *read;
  }
  link.speed = Speed::SDR;  // lists from before there was another one say nothing
  while (const auto word = cursor.word()) {
    if (word->starts_with("PHY=")) link.width = parse_width(word->substr(4));
    if (word->starts_with("SPD=")) link.speed = speed_of(word->substr(4));
  }
  link.has_unknown_rate = !link.width || !link.speed;
  return link;
}

std::string id_of(const ListedEnd& end, mad::NodeType type) {
  const char kind = type == mad::NodeType::Switch ? 'S' : type == mad::NodeType::Router ? 'R' : 'H';
  return fmt::format("{}-{:016x}", kind, end.node_guid);
}

class LinkList {
 public:
  explicit LinkList(std::string_view title) : assembly_(title) {}

  base::Result<> add(std::string_view line, unsigned number) {
    if (base::trim(line).empty() || base::trim(line).front() == '#') return {};
    const auto link = read_link(line);
    const Place place{0, number};
    if (!link) return base::error(assembly_.notes().at(place, link.error().message));
    const auto from = add_end(link->from, place);
    if (!from) return from.error();
    const auto to = add_end(link->to, place);
    if (!to) return to.error();
    nodes_[*from].links.emplace_back(place, *link);
    return {};
  }

  base::Result<Blueprint> finish() &&;

 private:
  struct Node {
    ListedEnd about;
    Place place;
    std::vector<std::pair<Place, ListedLink>> links;
    std::vector<PlannedPort> ports;
  };

  base::Result<std::size_t> add_end(const ListedEnd& end, Place place);
  void guess_types();
  base::Result<> describe(const Node& node);

  FabricAssembly assembly_;
  std::vector<Node> nodes_;
  std::map<std::uint64_t, std::size_t> by_guid_;
};

base::Result<std::size_t> LinkList::add_end(const ListedEnd& end, Place place) {
  const auto [found, is_new] = by_guid_.emplace(end.node_guid, nodes_.size());
  if (is_new) nodes_.push_back({end, place, {}, std::vector<PlannedPort>(end.ports + 1)});
  Node& node = nodes_[found->second];
  if (end.ports != node.about.ports) {
    return base::error(assembly_.notes().at(
        place, fmt::format("node {:016x} has {} ports here and {} in line {}", end.node_guid,
                           end.ports, node.about.ports, node.place.line)));
  }
  // Some lists call switches CAs where they stand second.
  if (end.type == mad::NodeType::Switch) node.about.type = mad::NodeType::Switch;
  if (node.about.device == 0) node.about.device = end.device;
  PlannedPort& port = node.ports[end.port];
  port.guid = mad::Guid{end.port_guid};
  if (end.lid <= mad::kLastUnicastLid.value) {
    port.lid = mad::Lid{static_cast<std::uint16_t>(end.lid)};
  }
  return found->second;
}

// ibdm's own examples call every node a CA; no adapter has so many ports.
void LinkList::guess_types() {
  constexpr std::uint64_t kMostPortsOfAdapters = 8;
  for (Node& node : nodes_) {
    if (node.about.type != mad::NodeType::ChannelAdapter) continue;
    if (node.about.ports <= kMostPortsOfAdapters) continue;
    node.about.type = mad::NodeType::Switch;
    assembly_.notes().warn(node.place, fmt::format("node {:016x} is called a CA and has {} ports: "
                                                   "it is taken for a switch",
                                                   node.about.node_guid, node.about.ports));
  }
}

base::Result<> LinkList::describe(const Node& node) {
  const ListedEnd& about = node.about;
  const std::string id = id_of(about, about.type);
  assembly_.add_key({"vendid", about.vendor, {}, false});
  assembly_.add_key({"devid", about.device, {}, false});
  assembly_.add_key({"sysimgguid", about.system_guid, {}, false});
  NodeLine header;
  header.type = about.type;
  header.port_count = static_cast<std::uint8_t>(about.ports);
  header.id = id;
  header.description = about.description;
  const auto added = assembly_.add(FabricLine{header}, node.place);
  if (!added) return added;
  for (const auto& [place, link] : node.links) {
    const Node& peer = nodes_[by_guid_.at(link.to.node_guid)];
    const std::string peer_id = id_of(link.to, peer.about.type);
    PortLine line;
    line.port = static_cast<std::uint8_t>(link.from.port);
    line.peer = peer_id;
    line.peer_port = static_cast<std::uint8_t>(link.to.port);
    line.width = link.width;
    line.speed = link.speed;
    line.has_unknown_rate = link.has_unknown_rate;
    const auto claimed = assembly_.add(FabricLine{line}, place);
    if (!claimed) return claimed;
  }
  return {};
}

base::Result<Blueprint> LinkList::finish() && {
  guess_types();
  for (const Node& node : nodes_) {
    const auto described = describe(node);
    if (!described) return described.error();
  }
  auto blueprint = std::move(assembly_).finish();
  if (!blueprint) return blueprint;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PlannedNode& planned = blueprint->nodes[i];
    planned.ports = std::move(nodes_[i].ports);
    if (planned.type != mad::NodeType::Switch) continue;
    // Every port of a switch is listed with the LID and GUID of its port 0.
    const auto told = std::find_if(planned.ports.begin(), planned.ports.end(),
                                   [](const PlannedPort& p) { return p.lid != mad::kNoLid; });
    const PlannedPort own = told == planned.ports.end() ? PlannedPort{} : *told;
    planned.ports.assign(planned.ports.size(), PlannedPort{});
    planned.ports.front().lid = own.lid;
  }
  return blueprint;
}

}  // namespace

base::Result<Blueprint> read_link_list(std::string_view text, std::string_view title) {
  LinkList list(title);
  const auto done = for_each_line(
      text, [&](std::string_view line, unsigned number) { return list.add(line, number); });
  if (!done) return done.error();
  return std::move(list).finish();
}

}  // namespace heddle::sim
