// SPDX-License-Identifier: BSD-3-Clause
// ibdm's .topo: systems by name and type, and cables between their front panels.
#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/fabric_cursor.hpp"
#include "sim/fabric_ibnl.hpp"
#include "sim/fabric_notes.hpp"
#include "sim/fabric_readers.hpp"
#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

// As the planner's: room for the GUIDs of ports between two nodes.
constexpr std::uint64_t kMadeUpGuids = 0x0248'4403'e000'0000;
constexpr std::uint64_t kGuidStep = 0x100;

template <class Kind>
std::optional<Kind> lesser(std::optional<Kind> a, std::optional<Kind> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

ArrowRate lesser(const ArrowRate& a, const ArrowRate& b) {
  return {lesser(a.width, b.width), lesser(a.speed, b.speed)};
}

class TopologyReader {
 public:
  TopologyReader(std::string_view title, const SystemLibrary& library)
      : notes_(title), library_(library) {}

  base::Result<> add(std::string_view raw, unsigned number) {
    place_ = {0, number};
    const std::string_view line = base::trim(raw.substr(0, raw.find('#')));
    if (line.empty()) return {};
    Cursor cursor(line);
    const std::string_view first = cursor.word().value_or("");
    const std::string_view second = cursor.word().value_or("");
    const auto arrow = read_arrow(second);
    if (!arrow) return wrong(arrow.error().message);
    if (*arrow) return add_cable(first, **arrow, cursor);
    if (second.empty()) return wrong("expected SYSTEM-TYPE NAME or PORT -> SYSTEM-TYPE NAME PORT");
    const auto modifiers = read_modifiers(base::trim(cursor.rest()));
    if (!modifiers) return modifiers.error();
    return begin_system(first, second, *modifiers);
  }

  base::Result<Blueprint> finish() &&;

 private:
  struct System {
    std::string type;
    DissolvedSystem inside;
    std::uint32_t first_node = 0;
    bool has_section = false;
    Place place;
  };
  struct PortAndRate {
    PlannedEnd end;
    ArrowRate rate;
  };

  base::Error wrong(std::string_view what) const { return base::error(notes_.at(place_, what)); }

  // "CFG: leaf3=R,leaf5=12x"
  base::Result<BoardModifiers> read_modifiers(std::string_view text) const {
    BoardModifiers modifiers;
    if (text.empty()) return modifiers;
    if (!text.starts_with("CFG:")) return wrong("expected CFG: or nothing behind the name");
    for (const std::string_view raw : base::split(text.substr(4), ',')) {
      const std::string_view piece = base::trim(raw);
      const std::size_t equals = piece.find('=');
      if (piece.empty()) continue;
      if (equals == 0 || equals == piece.npos) {
        return wrong(fmt::format("expected BOARD=VARIANT, not '{}'", base::printable(piece)));
      }
      modifiers.emplace(base::trim(piece.substr(0, equals)), base::trim(piece.substr(equals + 1)));
    }
    return modifiers;
  }

  base::Result<> begin_system(std::string_view type, std::string_view name,
                              const BoardModifiers& modifiers) {
    const auto known = by_name_.find(name);
    if (known != by_name_.end() && systems_[known->second].has_section) {
      return wrong(fmt::format("'{}' was described before, in line {}", base::printable(name),
                               systems_[known->second].place.line));
    }
    // Named before as somebody's peer; only now is it known what it is made of.
    if (known != by_name_.end() && !modifiers.empty()) {
      return wrong(
          fmt::format("'{}' is cabled above; its CFG must come first", base::printable(name)));
    }
    const auto system = system_named(type, name, modifiers);
    if (!system) return system.error();
    systems_[*system].has_section = true;
    systems_[*system].place = place_;
    current_ = *system;
    return {};
  }

  base::Result<std::size_t> system_named(std::string_view type, std::string_view name,
                                         const BoardModifiers& modifiers);
  void add_nodes(System& system, std::string_view name);
  base::Result<PortAndRate> panel_port(std::size_t system, std::string_view name,
                                       std::string_view port);
  base::Result<> add_cable(std::string_view port, const ArrowRate& rate, Cursor& cursor);
  base::Result<> lay(const PortAndRate& a, const PortAndRate& b, const ArrowRate& rate);

  FabricNotes notes_;
  const SystemLibrary& library_;
  Blueprint blueprint_;
  std::vector<System> systems_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, DissolvedSystem, std::less<>> plain_;  // by type, without modifiers
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::pair<PlannedEnd, Place>> taken_;
  std::size_t current_ = ~std::size_t{0};
  Place place_;
};

base::Result<std::size_t> TopologyReader::system_named(std::string_view type, std::string_view name,
                                                       const BoardModifiers& modifiers) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    const System& system = systems_[known->second];
    if (system.type == type) return known->second;
    return wrong(fmt::format("'{}' is a {} here and a {} in line {}", base::printable(name),
                             base::printable(type), system.type, system.place.line));
  }
  if (!library_.find(type)) {
    const std::vector<std::string_view> names = library_.names();
    const auto near = base::closest(type, names);
    return wrong(fmt::format("no .ibnl file in reach defines the system '{}'{}",
                             base::printable(type),
                             near ? fmt::format("; did you mean '{}'", *near) : std::string()));
  }
  auto plain = plain_.find(type);
  if (plain == plain_.end() || !modifiers.empty()) {
    auto inside = library_.dissolve(type, modifiers);
    if (!inside) {
      return wrong(fmt::format("the system '{}' ({}): {}", base::printable(type),
                               *library_.find(type), inside.error().message));
    }
    if (modifiers.empty()) plain = plain_.emplace(type, std::move(*inside)).first;
    systems_.push_back({std::string(type), modifiers.empty() ? plain->second : std::move(*inside),
                        0, false, place_});
  } else {
    systems_.push_back({std::string(type), plain->second, 0, false, place_});
  }
  System& system = systems_.back();
  if (blueprint_.nodes.size() + system.inside.nodes.size() > kMaxNodes) {
    return wrong(fmt::format("more than {} nodes", kMaxNodes));
  }
  add_nodes(system, name);
  by_name_.emplace(name, systems_.size() - 1);
  return systems_.size() - 1;
}

void TopologyReader::add_nodes(System& system, std::string_view name) {
  system.first_node = static_cast<std::uint32_t>(blueprint_.nodes.size());
  for (const DissolvedSystem::Node& inner : system.inside.nodes) {
    PlannedNode node;
    // A system of one chip is that chip; others are named as ibdm does.
    node.name = system.inside.nodes.size() == 1 ? std::string(name)
                                                : fmt::format("{}/{}", name, inner.name);
    constexpr std::size_t kNodeDescriptionBytes = 64;
    node.description =
        fmt::format("{} {}", node.name, inner.device).substr(0, kNodeDescriptionBytes);
    node.type = inner.type;
    node.port_count = inner.ports;
    node.guid = mad::Guid{kMadeUpGuids + (blueprint_.nodes.size() + 1) * kGuidStep};
    node.system_image_guid = node.guid;
    blueprint_.nodes.push_back(std::move(node));
  }
  for (const DissolvedSystem::Link& link : system.inside.links) {
    const auto at = [&](const DissolvedSystem::Port& port) {
      return PortAndRate{{system.first_node + port.node, port.port}, port.rate};
    };
    // A wire is often written from both ends; boards of odd variants may claim a port twice.
    (void)lay(at(link.a), at(link.b), {});
  }
}

base::Result<TopologyReader::PortAndRate> TopologyReader::panel_port(std::size_t index,
                                                                     std::string_view name,
                                                                     std::string_view port) {
  const System& system = systems_[index];
  const auto found = system.inside.panel.find(port);
  if (found == system.inside.panel.end()) {
    return wrong(fmt::format("'{}', a {}, has no port '{}' on its panel", base::printable(name),
                             system.type, base::printable(port)));
  }
  return PortAndRate{{system.first_node + found->second.node, found->second.port},
                     found->second.rate};
}

base::Result<> TopologyReader::add_cable(std::string_view port, const ArrowRate& rate,
                                         Cursor& cursor) {
  if (current_ >= systems_.size()) return wrong("a cable before any system");
  const std::string_view type = cursor.word().value_or("");
  const std::string_view peer = cursor.word().value_or("");
  const std::string_view peer_port = cursor.word().value_or("");
  if (peer_port.empty() || cursor.word()) return wrong("expected PORT -> SYSTEM-TYPE NAME PORT");
  const std::size_t here = current_;
  const auto there = system_named(type, peer, {});
  if (!there) return there.error();
  const auto from = panel_port(here, "this system", port);
  if (!from) return from.error();
  const auto to = panel_port(*there, peer, peer_port);
  if (!to) return to.error();
  return lay(*from, *to, rate);
}

base::Result<> TopologyReader::lay(const PortAndRate& a, const PortAndRate& b,
                                   const ArrowRate& rate) {
  const auto key = [](const PlannedEnd& end) { return std::pair{end.node, end.port}; };
  for (const auto& [end, other] : {std::pair{a.end, b.end}, std::pair{b.end, a.end}}) {
    const auto known = taken_.find(key(end));
    if (known == taken_.end()) continue;
    if (known->second.first == other) return {};  // the same cable, seen from its other end
    return wrong(fmt::format("port {} of '{}' is cabled elsewhere in line {}", end.port,
                             blueprint_.nodes[end.node].name, known->second.second.line));
  }
  if (a.end == b.end) return wrong("a cable leads from a port to itself");
  taken_.emplace(key(a.end), std::pair{b.end, place_});
  taken_.emplace(key(b.end), std::pair{a.end, place_});
  const ArrowRate both = lesser(a.rate, b.rate);
  // ibdm's own default is the slowest there ever was.
  blueprint_.cables.push_back({a.end, b.end, both.width.value_or(rate.width.value_or(Width::X4)),
                               both.speed.value_or(rate.speed.value_or(Speed::SDR))});
  return {};
}

base::Result<Blueprint> TopologyReader::finish() && {
  if (blueprint_.nodes.empty()) {
    return base::error(fmt::format("{}: no system is described here", notes_.title()));
  }
  blueprint_.title = notes_.title();
  blueprint_.warnings = std::move(notes_).finish();
  return std::move(blueprint_);
}

}  // namespace

base::Result<Blueprint> read_topology_file(std::string_view text, std::string_view title,
                                           const OtherFiles& others) {
  if (!others.system_definitions) {
    return base::error(fmt::format(
        "{}: an ibdm .topo file needs .ibnl files, which cannot be read from here", title));
  }
  const auto definitions = others.system_definitions();
  if (!definitions) return base::error(fmt::format("{}: {}", title, definitions.error().message));
  SystemLibrary library;
  for (const NamedText& file : *definitions) {
    const auto added = library.add(file);
    if (!added) return added.error();
  }
  TopologyReader reader(title, library);
  const auto done = for_each_line(
      text, [&](std::string_view line, unsigned number) { return reader.add(line, number); });
  if (!done) return done.error();
  return std::move(reader).finish();
}

}  // namespace heddle::sim
