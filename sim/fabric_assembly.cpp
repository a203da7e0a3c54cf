// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_assembly.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/generators.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

constexpr std::size_t kNodeDescriptionBytes = 64;
constexpr std::size_t kMaxIdBytes = 256;
// For nodes of which the file says no GUID, as ibsim's files do; spaced for the GUIDs of ports.
constexpr std::uint64_t kMadeUpGuids = 0x0248'4403'c000'0000;
constexpr std::uint64_t kGuidStep = 0x100;

std::string quoted(std::string_view id) {
  return fmt::format("\"{}\"", base::printable(id));
}

// "S-0c42a10300a9b026": the GUID is in the name.
std::uint64_t guid_of_id(std::string_view id) {
  if (id.size() < 3 || id[1] != '-') return 0;
  return base::parse_hex(id.substr(2)).value_or(0);
}

// The GUIDs that a node takes from a series: one for itself, one for each port that has its own.
std::uint64_t guids_taken(const PlannedNode& node) {
  return node.type == mad::NodeType::Switch ? 1u : node.port_count + 1u;
}

mad::NodeType type_of_key(std::string_view key) {
  if (key == "switchguid") return mad::NodeType::Switch;
  return key == "rtguid" ? mad::NodeType::Router : mad::NodeType::ChannelAdapter;
}

}  // namespace

std::string FabricAssembly::port_name(const End& end) const {
  return fmt::format("{}[{}]", quoted(nodes_[end.first].name), end.second);
}

// Names are those of their module, unless they say another one: "M#S1", "M@uplink".
std::string FabricAssembly::scoped(std::string_view id) const {
  if (id.starts_with('@')) return module_ + std::string(id);
  if (module_.empty() || id.find_first_of("#@") != id.npos) return std::string(id);
  return fmt::format("{}#{}", module_, id);
}

PlannedPort& FabricAssembly::planned_port(std::uint32_t node, std::uint8_t port) {
  auto& ports = nodes_[node].ports;
  if (ports.size() <= port) ports.resize(std::size_t{port} + 1);
  return ports[port];
}

base::Result<> FabricAssembly::add(const FabricLine& line, Place place) {
  if (const auto* key = std::get_if<KeyLine>(&line)) add_key(*key);
  if (const auto* node = std::get_if<NodeLine>(&line)) return add_node(*node, place);
  if (const auto* port = std::get_if<PortLine>(&line)) {
    return is_skipping_ ? base::Result<>() : add_port(*port, place);
  }
  if (const auto* node = std::get_if<UnknownNodeLine>(&line)) {
    notes_.warn(place, fmt::format("'{}' is no kind of node that is known: {} is left out with all "
                                   "its cables",
                                   base::printable(node->word), quoted(node->id)));
    unknown_.insert(scoped(node->id));
    is_skipping_ = true;
  }
  if (const auto* module = std::get_if<ModuleLine>(&line)) {
    if (module->name.size() > kMaxIdBytes) return wrong(place, "the module's name is too long");
    module_ = std::string(module->name);
  }
  if (const auto* setting = std::get_if<SettingLine>(&line)) {
    if (setting->bits.width) settings_.width = setting->bits.width;
    if (setting->bits.speed) settings_.speed = setting->bits.speed;
    if (setting->bits.extended) settings_.extended = setting->bits.extended;
  }
  if (const auto* command = std::get_if<CommandLine>(&line)) {
    notes_.warn(place, fmt::format("the console command '{}' is not carried out",
                                   base::printable(command->command)));
  }
  // Before the first node anything may stand: a terminal's banner, a tool's complaints.
  if (std::holds_alternative<NoiseLine>(line) && has_nodes()) {
    notes_.warn(place, "this line is not understood and was skipped");
  }
  return {};
}

void FabricAssembly::add_key(const KeyLine& key) {
  if (key.key == "vendid") vendor_id_ = static_cast<std::uint32_t>(key.value & 0xFF'FFFF);
  if (key.key == "devid") device_id_ = static_cast<std::uint16_t>(key.value & 0xFFFF);
  if (key.key == "sysimgguid") system_image_guid_ = key.value;
  if (!key.key.ends_with("guid") && !key.key.ends_with("guids")) return;
  if (key.key == "sysimgguid") return;
  GuidSeries& series = series_[type_of_key(key.key)];
  if (!key.relative) series.base = key.value;
  series.next = key.relative ? series.base + key.value : key.value;
  series.is_fresh = true;
  series.port0 = key.in_brackets;
}

// By what stands before the header; else by the node's name; else the next of the last series.
std::optional<std::uint64_t> FabricAssembly::take_guid(PlannedNode& node, std::string_view id) {
  node.guid = mad::Guid{guid_of_id(id)};
  const auto found = series_.find(node.type);
  if (found == series_.end()) return std::nullopt;
  GuidSeries& series = found->second;
  if (!series.is_fresh && node.guid != mad::Guid{}) return std::nullopt;
  node.guid = mad::Guid{series.next};
  series.next += guids_taken(node);
  series.is_fresh = false;
  return std::exchange(series.port0, std::nullopt);
}

base::Result<> FabricAssembly::add_node(const NodeLine& line, Place place) {
  if (line.id.size() > kMaxIdBytes) return wrong(place, "the node's name is too long");
  is_skipping_ = false;
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  const std::string id = scoped(line.id);
  const auto [known, is_new] = by_id_.emplace(id, index);
  if (!is_new) return take_node_again(line, known->second, place);
  current_ = index;
  if (index >= kMaxNodes) return wrong(place, fmt::format("more than {} nodes", kMaxNodes));
  PlannedNode node;
  node.name = id;
  node.description = line.description.value_or(id).substr(0, kNodeDescriptionBytes);
  node.type = line.type;
  node.port_count = line.port_count;
  node.enhanced_port0 = line.enhanced_port0;
  node.vendor_id = vendor_id_;
  node.device_id = device_id_;
  node.system_image_guid = mad::Guid{system_image_guid_.value_or(0)};
  system_image_guid_.reset();
  const auto port0_guid = take_guid(node, line.id);
  nodes_.push_back(std::move(node));
  headers_.push_back(place);
  if (line.type == mad::NodeType::Switch) {
    if (port0_guid) planned_port(index, 0).guid = mad::Guid{*port0_guid};
    note_lid(planned_port(index, 0), line.lid, line.lmc, place);
  }
  return {};
}

base::Result<> FabricAssembly::take_node_again(const NodeLine& line, std::uint32_t node,
                                               Place place) {
  const std::string before = notes_.line_of(headers_[node], place);
  if (guid_of_id(line.id) == 0 || nodes_[node].type != line.type) {
    return wrong(place, fmt::format("{} was described before, in {}", quoted(line.id), before));
  }
  if (nodes_[node].port_count != line.port_count) {
    return wrong(place, fmt::format("{} has {} ports here and {} in {}", quoted(line.id),
                                    line.port_count, nodes_[node].port_count, before));
  }
  const auto lid = nodes_[node].ports.empty() ? mad::kNoLid : nodes_[node].ports[0].lid;
  const bool other_lid = line.lid && lid != mad::kNoLid && *line.lid != lid.value;
  notes_.warn(place, fmt::format("{} was described before, in {}: what is the same counts once{}",
                                 quoted(line.id), before,
                                 other_lid ? fmt::format("; it has LID {} here and keeps LID {}",
                                                         *line.lid, lid.value)
                                           : std::string()));
  current_ = node;
  system_image_guid_.reset();
  const auto series = series_.find(line.type);
  if (series != series_.end()) series->second.is_fresh = false;
  return {};
}

// Which of them is true only the other end can say.
base::Result<> FabricAssembly::take_port_again(const PortLine& line, End here, std::size_t first,
                                               Place place) {
  const Claim& claim = claims_[first];
  if (guid_of_id(nodes_[here.first].name) == 0) {
    return wrong(place, fmt::format("{} was described before, in {}", port_name(here),
                                    notes_.line_of(claim.place, place)));
  }
  const bool same = claim.peer == scoped(line.peer) && claim.there.second == line.peer_port;
  if (same) return {};
  notes_.warn(place, fmt::format("{} leads elsewhere than in {}: it counts what the other end says",
                                 port_name(here), notes_.line_of(claim.place, place)));
  contested_[here] = claims_.size();
  claims_.push_back({here, scoped(line.peer), {0, line.peer_port}, place, {}, {}, false});
  note_rate(claims_.back(), line);
  hearsay_.push_back({0, line.peer_port, line.peer_guid, line.peer_lid, place,
                      std::string(line.peer_description.value_or(""))});
  return {};
}

void FabricAssembly::note_lid(PlannedPort& port, std::optional<std::uint64_t> lid,
                              std::optional<std::uint64_t> lmc, Place place) {
  if (!lid || *lid == 0) return;
  if (*lid > mad::kLastUnicastLid.value) {
    if (bad_lids_++ == 0) first_bad_lid_ = notes_.at(place, fmt::format("LID {}", *lid));
    return;
  }
  port.lid = mad::Lid{static_cast<std::uint16_t>(*lid)};
  if (lmc && *lmc <= mad::kMaxLmc) port.lmc = static_cast<std::uint8_t>(*lmc);
}

base::Result<> FabricAssembly::add_port(const PortLine& line, Place place) {
  if (!has_nodes()) return wrong(place, "a port before any node");
  const std::uint32_t node = current_;
  if (line.port > nodes_[node].port_count) {
    return wrong(place, fmt::format("port {} of {}, which has {} ports", line.port,
                                    quoted(nodes_[node].name), nodes_[node].port_count));
  }
  if (line.peer.size() > kMaxIdBytes) return wrong(place, "the peer's name is too long");
  const End here{node, line.port};
  if (line.is_alias) return add_alias(line, here, place);
  const auto [known, is_new] = claim_at_.emplace(here, claims_.size());
  if (!is_new) return take_port_again(line, here, known->second, place);
  claims_.push_back({here, scoped(line.peer), {0, line.peer_port}, place, {}, {}, false});
  note_rate(claims_.back(), line);
  if (line.has_unknown_rate) notes_.warn(place, "the link's width or speed is not known");
  hearsay_.push_back({0, line.peer_port, line.peer_guid, line.peer_lid, place,
                      std::string(line.peer_description.value_or(""))});
  if (nodes_[node].type == mad::NodeType::Switch) return {};
  PlannedPort& port = planned_port(node, line.port);
  if (line.guid) port.guid = mad::Guid{*line.guid};
  note_lid(port, line.lid, line.lmc, place);
  return {};
}

base::Result<> FabricAssembly::add_alias(const PortLine& line, End here, Place place) {
  if (line.peer.find_first_of("#@") != line.peer.npos) {
    return wrong(place, "'#' and '@' cannot be in the name of a port");
  }
  if (!aliases_.emplace(fmt::format("{}@{}", module_, line.peer), here).second) {
    return wrong(place, fmt::format("another port is called {}", quoted(line.peer)));
  }
  return {};
}

// The port's own registers first, then what the dump measured, then what holds for the file.
void FabricAssembly::note_rate(Claim& claim, const PortLine& line) {
  const auto widest = [](std::optional<std::uint8_t> bits) {
    return bits ? widest_of(*bits) : std::nullopt;
  };
  const auto fastest = [](const EnabledBits& bits) -> std::optional<Speed> {
    if (!bits.speed && !bits.extended) return std::nullopt;
    return fastest_of({bits.speed.value_or(0), bits.extended.value_or(0)});
  };
  claim.width = widest(line.bits.width);
  claim.speed = fastest(line.bits);
  if (!claim.width) claim.width = line.width;
  if (!claim.speed) claim.speed = line.speed;
  if (!claim.width) claim.width = widest(settings_.width);
  if (!claim.speed) claim.speed = fastest(settings_);
}

base::Result<Blueprint> FabricAssembly::finish() && {
  const auto resolved = resolve_peers();
  if (!resolved) return resolved.error();
  finish_nodes();
  cable_confirmed();
  complete_one_sided();
  if (bad_lids_ > 0) {
    notes_.conclude(
        fmt::format("{} is no unicast LID ({} such in the file): the port starts without one",
                    first_bad_lid_, bad_lids_));
  }
  if (implied_ > 1) {
    notes_.conclude(
        fmt::format("{}: {} nodes of {} are named and not described, as in a dump that "
                    "was cut short: they may have more ports and cables",
                    notes_.title(), implied_, nodes_.size()));
  }
  if (guesses_ > 0 && guesses_ < cables_.size()) {
    notes_.conclude(fmt::format("{} ({} such of {}): what is missing is taken for 4x HDR",
                                first_guess_, guesses_, cables_.size()));
  }
  Blueprint blueprint;
  blueprint.title = notes_.title();
  blueprint.nodes = std::move(nodes_);
  blueprint.cables = std::move(cables_);
  blueprint.warnings = std::move(notes_).finish();
  return blueprint;
}

base::Result<> FabricAssembly::resolve_peers() {
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    Claim& claim = claims_[i];
    const auto alias = aliases_.find(claim.peer);
    auto found = by_id_.find(claim.peer);
    if (alias != aliases_.end()) {
      claim.there = alias->second;
      hearsay_[i].node = claim.there.first;
      hearsay_[i].port = claim.there.second;
      continue;
    }
    if (found == by_id_.end() && leads_nowhere(claim, hearsay_[i])) continue;
    if (found == by_id_.end()) {
      const auto added = add_implied(claim, hearsay_[i]);
      if (!added) return added;
      found = by_id_.find(claim.peer);
    }
    claim.there.first = hearsay_[i].node = found->second;
    PlannedNode& peer = nodes_[found->second];
    if (claim.there.second <= peer.port_count) continue;
    if (headers_[found->second].line != 0) {
      return wrong(claim.place,
                   fmt::format("leads to port {} of {}, which has {} ports", claim.there.second,
                               quoted(claim.peer), peer.port_count));
    }
    peer.port_count = claim.there.second;
  }
  return {};
}

bool FabricAssembly::leads_nowhere(Claim& claim, Hearsay& said) {
  const char kind = claim.peer.front();
  const bool is_known = kind == 'S' || kind == 'H' || kind == 'R';
  if (unknown_.count(claim.peer) == 0 && (is_known || guid_of_id(claim.peer) == 0)) return false;
  notes_.warn(claim.place, fmt::format("leads to {}, which is no node that is known: left open",
                                       quoted(claim.peer)));
  claim.used = true;
  claim.there = claim.here;
  said = {claim.here.first, claim.here.second, {}, {}, claim.place};
  return true;
}

// A node that others name and the file does not describe, as in a dump cut short.
base::Result<> FabricAssembly::add_implied(Claim& claim, const Hearsay& said) {
  const std::uint64_t guid = guid_of_id(claim.peer);
  const char kind = claim.peer.front();
  if (guid == 0 || (kind != 'S' && kind != 'H' && kind != 'R')) {
    return wrong(claim.place,
                 fmt::format("leads to {}, which is not described anywhere", quoted(claim.peer)));
  }
  if (nodes_.size() >= kMaxNodes) {
    return wrong(claim.place, fmt::format("more than {} nodes", kMaxNodes));
  }
  notes_.warn(claim.place,
              fmt::format("{} is not described: it gets only the ports that others name",
                          quoted(claim.peer)));
  PlannedNode node;
  ++implied_;
  node.name = claim.peer;
  node.description =
      said.description.empty() ? claim.peer : said.description.substr(0, kNodeDescriptionBytes);
  node.type = kind == 'S'   ? mad::NodeType::Switch
              : kind == 'H' ? mad::NodeType::ChannelAdapter
                            : mad::NodeType::Router;
  node.guid = mad::Guid{guid};
  node.port_count = claim.there.second;
  by_id_.emplace(claim.peer, static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back(std::move(node));
  headers_.push_back({});
  return {};
}

void FabricAssembly::finish_nodes() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PlannedNode& node = nodes_[i];
    if (node.guid == mad::Guid{}) node.guid = mad::Guid{kMadeUpGuids + (i + 1) * kGuidStep};
    if (node.system_image_guid == mad::Guid{}) node.system_image_guid = node.guid;
    if (!node.ports.empty()) node.ports.resize(std::size_t{node.port_count} + 1);
    if (headers_[i].file == 0) node.line = headers_[i].line;
  }
  for (const Hearsay& said : hearsay_) {
    const std::uint32_t node = said.node;
    const bool is_switch = nodes_[node].type == mad::NodeType::Switch;
    if (!said.guid && !said.lid) continue;
    PlannedPort& port = planned_port(node, is_switch ? std::uint8_t{0} : said.port);
    if (said.guid && !is_switch && port.guid == mad::Guid{}) port.guid = mad::Guid{*said.guid};
    const bool says_nothing = claim_at_.count({node, said.port}) == 0 || is_switch;
    if (says_nothing && headers_[node].line == 0 && port.lid == mad::kNoLid) {
      note_lid(port, said.lid, std::nullopt, said.place);
    }
  }
}

void FabricAssembly::lay(Claim& claim, const Claim* confirming) {
  PlannedCable cable{{claim.here.first, claim.here.second},
                     {claim.there.first, claim.there.second}};
  const Claim& other = confirming != nullptr ? *confirming : claim;
  cable.width = std::min(claim.width.value_or(other.width.value_or(cable.width)),
                         other.width.value_or(claim.width.value_or(cable.width)));
  cable.speed = std::min(claim.speed.value_or(other.speed.value_or(cable.speed)),
                         other.speed.value_or(claim.speed.value_or(cable.speed)));
  if (claim.width != other.width || claim.speed != other.speed) {
    notes_.warn(claim.place, fmt::format("{} says another width or speed of the same cable; the "
                                         "lesser is taken",
                                         notes_.line_of(other.place, claim.place)));
  }
  const bool has_rate = (claim.width || other.width) && (claim.speed || other.speed);
  if (!has_rate && guesses_++ == 0) {
    first_guess_ = notes_.at(claim.place, "no width and speed of this cable are known");
  }
  if (claim.place.file == 0) cable.line = claim.place.line;
  claim.used = true;
  plugged_.insert(claim.here);
  plugged_.insert(claim.there);
  cables_.push_back(cable);
}

void FabricAssembly::cable_confirmed() {
  for (Claim& claim : claims_) {
    if (claim.used) continue;
    if (claim.here == claim.there) {
      notes_.warn(claim.place, fmt::format("{} leads to itself: left open", port_name(claim.here)));
      claim.used = true;
      continue;
    }
    if (plugged_.count(claim.here) + plugged_.count(claim.there) > 0) continue;
    for (const auto* said : {&claim_at_, &contested_}) {
      const auto back = said->find(claim.there);
      if (back == said->end() || claims_[back->second].there != claim.here) continue;
      lay(claim, &claims_[back->second]);
      claims_[back->second].used = true;
      break;
    }
  }
}

void FabricAssembly::complete_one_sided() {
  std::map<End, Place> taken;  // far ends completed here, and by which line
  for (Claim& claim : claims_) {
    if (claim.used) continue;
    const auto contested = contested_.find(claim.here);
    if (contested != contested_.end()) {
      const bool is_last = &claims_[contested->second] == &claim;
      if (is_last && plugged_.count(claim.here) == 0) {
        notes_.warn(claim.place,
                    fmt::format("{} leads to two ports, and neither says so: left open",
                                port_name(claim.here)));
      }
      continue;
    }
    const auto contradicting = claim_at_.find(claim.there);
    if (contradicting != claim_at_.end()) {
      notes_.warn(claim.place,
                  fmt::format("leads to {}, but {} says that this leads elsewhere: left "
                              "open",
                              port_name(claim.there),
                              notes_.line_of(claims_[contradicting->second].place, claim.place)));
      continue;
    }
    const auto [other, is_free] = taken.emplace(claim.there, claim.place);
    if (!is_free) {
      notes_.warn(claim.place,
                  fmt::format("leads to {}, as {} does already: left open", port_name(claim.there),
                              notes_.line_of(other->second, claim.place)));
      continue;
    }
    lay(claim, nullptr);
  }
}

}  // namespace heddle::sim
