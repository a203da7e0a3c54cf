// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_assembly.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/generators.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

constexpr std::size_t kMaxWarnings = 100;
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

}  // namespace

FabricAssembly::FabricAssembly(std::string_view title) : title_(title) {
  blueprint_.title = title_;
}

std::string FabricAssembly::at(unsigned number, std::string_view what) const {
  return fmt::format("{}:{}: {}", title_, number, what);
}

void FabricAssembly::warn(unsigned number, std::string_view what) {
  if (blueprint_.warnings.size() < kMaxWarnings) {
    blueprint_.warnings.push_back(at(number, what));
  } else {
    ++suppressed_;
  }
}

std::string FabricAssembly::port_name(const End& end) const {
  return fmt::format("{}[{}]", quoted(blueprint_.nodes[end.first].name), end.second);
}

PlannedPort& FabricAssembly::planned_port(std::uint32_t node, std::uint8_t port) {
  auto& ports = blueprint_.nodes[node].ports;
  if (ports.size() <= port) ports.resize(std::size_t{port} + 1);
  return ports[port];
}

base::Result<> FabricAssembly::add(const FabricLine& line, unsigned number) {
  if (const auto* key = std::get_if<KeyLine>(&line)) return add_key(*key);
  if (const auto* node = std::get_if<NodeLine>(&line)) return add_node(*node, number);
  if (const auto* port = std::get_if<PortLine>(&line)) return add_port(*port, number);
  // Before the first node anything may stand: a terminal's banner, a tool's complaints.
  if (std::holds_alternative<NoiseLine>(line) && has_nodes()) {
    warn(number, "this line is not understood and was skipped");
  }
  return {};
}

base::Result<> FabricAssembly::add_key(const KeyLine& key) {
  keys_.emplace_back(key.key, key);
  return {};
}

base::Result<> FabricAssembly::add_node(const NodeLine& line, unsigned number) {
  if (line.id.size() > kMaxIdBytes) return base::error(at(number, "the node's name is too long"));
  const auto index = static_cast<std::uint32_t>(blueprint_.nodes.size());
  const auto [known, is_new] = by_id_.emplace(std::string(line.id), index);
  if (!is_new) {
    return base::error(at(number, fmt::format("{} was described before, in line {}",
                                              quoted(line.id), header_lines_[known->second])));
  }
  if (index >= kMaxNodes) {
    return base::error(at(number, fmt::format("more than {} nodes", kMaxNodes)));
  }
  PlannedNode node;
  node.name = std::string(line.id);
  node.description =
      std::string(line.description.value_or(line.id).substr(0, kNodeDescriptionBytes));
  node.type = line.type;
  node.port_count = line.port_count;
  node.enhanced_port0 = line.enhanced_port0;
  node.guid = mad::Guid{guid_of_id(line.id)};
  std::optional<std::uint64_t> port0_guid;
  for (const auto& [key, value] : keys_) {
    if (key == "vendid") node.vendor_id = static_cast<std::uint32_t>(value.value & 0xFF'FFFF);
    if (key == "devid") node.device_id = static_cast<std::uint16_t>(value.value & 0xFFFF);
    if (key == "sysimgguid") node.system_image_guid = mad::Guid{value.value};
    if (key.ends_with("guid") && key != "sysimgguid") {
      node.guid = mad::Guid{value.value};
      port0_guid = value.in_brackets;
    }
  }
  keys_.clear();
  blueprint_.nodes.push_back(std::move(node));
  header_lines_.push_back(number);
  if (line.type == mad::NodeType::Switch) {
    if (port0_guid) planned_port(index, 0).guid = mad::Guid{*port0_guid};
    note_lid(planned_port(index, 0), line.lid, line.lmc, number);
  }
  return {};
}

void FabricAssembly::note_lid(PlannedPort& port, std::optional<std::uint64_t> lid,
                              std::optional<std::uint64_t> lmc, unsigned number) {
  if (!lid || *lid == 0) return;
  if (*lid > mad::kLastUnicastLid.value) {
    if (bad_lids_++ == 0) first_bad_lid_ = at(number, fmt::format("LID {}", *lid));
    return;
  }
  port.lid = mad::Lid{static_cast<std::uint16_t>(*lid)};
  if (lmc && *lmc <= mad::kMaxLmc) port.lmc = static_cast<std::uint8_t>(*lmc);
}

base::Result<> FabricAssembly::add_port(const PortLine& line, unsigned number) {
  if (!has_nodes()) return base::error(at(number, "a port before any node"));
  const auto node = static_cast<std::uint32_t>(blueprint_.nodes.size() - 1);
  if (line.port > blueprint_.nodes[node].port_count) {
    return base::error(at(number, fmt::format("port {} of {}, which has {} ports", line.port,
                                              quoted(blueprint_.nodes[node].name),
                                              blueprint_.nodes[node].port_count)));
  }
  const End here{node, line.port};
  const auto [known, is_new] = claim_at_.emplace(here, claims_.size());
  if (!is_new) {
    return base::error(at(number, fmt::format("{} was described before, in line {}",
                                              port_name(here), claims_[known->second].line)));
  }
  claims_.push_back({here, std::string(line.peer), {}, number, line.width, line.speed, false});
  if (line.has_unknown_rate) warn(number, "the link's width or speed is not known");
  read_facts(line, number);
  return {};
}

void FabricAssembly::read_facts(const PortLine& line, unsigned number) {
  Claim& claim = claims_.back();
  claim.there.second = line.peer_port;
  hearsay_.push_back({claim.peer, line.peer_port, line.peer_guid, line.peer_lid, number});
  if (blueprint_.nodes[claim.here.first].type == mad::NodeType::Switch) return;
  PlannedPort& port = planned_port(claim.here.first, claim.here.second);
  if (line.guid) port.guid = mad::Guid{*line.guid};
  note_lid(port, line.lid, line.lmc, number);
}

base::Result<Blueprint> FabricAssembly::finish() && {
  const auto resolved = resolve_peers();
  if (!resolved) return resolved.error();
  finish_nodes();
  cable_confirmed();
  complete_one_sided();
  if (bad_lids_ > 0) {
    blueprint_.warnings.push_back(
        fmt::format("{} is no unicast LID ({} such in the file): the port starts without one",
                    first_bad_lid_, bad_lids_));
  }
  if (suppressed_ > 0) {
    blueprint_.warnings.push_back(
        fmt::format("{}: and {} more warnings of these kinds", title_, suppressed_));
  }
  return std::move(blueprint_);
}

base::Result<> FabricAssembly::resolve_peers() {
  for (Claim& claim : claims_) {
    auto found = by_id_.find(claim.peer);
    if (found == by_id_.end()) {
      const auto added = add_implied(claim);
      if (!added) return added;
      found = by_id_.find(claim.peer);
    }
    claim.there.first = found->second;
    PlannedNode& peer = blueprint_.nodes[found->second];
    if (claim.there.second <= peer.port_count) continue;
    if (header_lines_[found->second] != 0) {
      return base::error(
          at(claim.line, fmt::format("leads to port {} of {}, which has {} ports",
                                     claim.there.second, quoted(claim.peer), peer.port_count)));
    }
    peer.port_count = claim.there.second;
  }
  return {};
}

// A node that others name and the file does not describe, as in a dump cut short.
base::Result<> FabricAssembly::add_implied(Claim& claim) {
  const std::uint64_t guid = guid_of_id(claim.peer);
  const char kind = claim.peer.front();
  if (guid == 0 || (kind != 'S' && kind != 'H' && kind != 'R')) {
    return base::error(at(claim.line, fmt::format("leads to {}, which is not described anywhere",
                                                  quoted(claim.peer))));
  }
  if (blueprint_.nodes.size() >= kMaxNodes) {
    return base::error(at(claim.line, fmt::format("more than {} nodes", kMaxNodes)));
  }
  warn(claim.line, fmt::format("{} is not described: it gets only the ports that others name",
                               quoted(claim.peer)));
  PlannedNode node;
  node.name = node.description = claim.peer;
  node.type = kind == 'S'   ? mad::NodeType::Switch
              : kind == 'H' ? mad::NodeType::ChannelAdapter
                            : mad::NodeType::Router;
  node.guid = mad::Guid{guid};
  node.port_count = claim.there.second;
  by_id_.emplace(claim.peer, static_cast<std::uint32_t>(blueprint_.nodes.size()));
  blueprint_.nodes.push_back(std::move(node));
  header_lines_.push_back(0);
  return {};
}

void FabricAssembly::finish_nodes() {
  for (std::size_t i = 0; i < blueprint_.nodes.size(); ++i) {
    PlannedNode& node = blueprint_.nodes[i];
    if (node.guid == mad::Guid{}) node.guid = mad::Guid{kMadeUpGuids + (i + 1) * kGuidStep};
    if (node.system_image_guid == mad::Guid{}) node.system_image_guid = node.guid;
    if (!node.ports.empty()) node.ports.resize(std::size_t{node.port_count} + 1);
  }
  for (const Hearsay& said : hearsay_) {
    const std::uint32_t node = by_id_.find(said.id)->second;
    const bool is_switch = blueprint_.nodes[node].type == mad::NodeType::Switch;
    if (!said.guid && !said.lid) continue;
    PlannedPort& port = planned_port(node, is_switch ? std::uint8_t{0} : said.port);
    if (said.guid && !is_switch && port.guid == mad::Guid{}) port.guid = mad::Guid{*said.guid};
    const bool says_nothing = claim_at_.count({node, said.port}) == 0 || is_switch;
    if (says_nothing && header_lines_[node] == 0 && port.lid == mad::kNoLid) {
      note_lid(port, said.lid, std::nullopt, said.line);
    }
  }
}

void FabricAssembly::lay(Claim& claim, const Claim* confirming) {
  PlannedCable cable{{claim.here.first, claim.here.second},
                     {claim.there.first, claim.there.second}};
  const Claim& other = confirming != nullptr ? *confirming : claim;
  const auto lesser_width = [](Width a, Width b) {
    constexpr Width kByRank[] = {Width::X1, Width::X2, Width::X4, Width::X8, Width::X12};
    const auto rank = [&](Width w) { return std::find(kByRank, kByRank + 5, w); };
    return rank(a) < rank(b) ? a : b;
  };
  cable.width = lesser_width(claim.width.value_or(other.width.value_or(cable.width)),
                             other.width.value_or(claim.width.value_or(cable.width)));
  cable.speed = std::min(claim.speed.value_or(other.speed.value_or(cable.speed)),
                         other.speed.value_or(claim.speed.value_or(cable.speed)));
  if (claim.width != other.width || claim.speed != other.speed) {
    warn(claim.line, fmt::format("line {} says another width or speed of the same cable; the "
                                 "lesser is taken",
                                 other.line));
  }
  claim.used = true;
  blueprint_.cables.push_back(cable);
}

void FabricAssembly::cable_confirmed() {
  for (Claim& claim : claims_) {
    if (claim.used) continue;
    if (claim.here == claim.there) {
      warn(claim.line, fmt::format("{} leads to itself: left open", port_name(claim.here)));
      claim.used = true;
      continue;
    }
    const auto back = claim_at_.find(claim.there);
    if (back == claim_at_.end() || claims_[back->second].there != claim.here) continue;
    lay(claim, &claims_[back->second]);
    claims_[back->second].used = true;
  }
}

void FabricAssembly::complete_one_sided() {
  std::map<End, unsigned> taken;  // far ends completed here, and by which line
  for (Claim& claim : claims_) {
    if (claim.used) continue;
    const auto contradicting = claim_at_.find(claim.there);
    if (contradicting != claim_at_.end()) {
      warn(claim.line, fmt::format("leads to {}, but line {} says that this leads elsewhere: left "
                                   "open",
                                   port_name(claim.there), claims_[contradicting->second].line));
      continue;
    }
    const auto [other, is_free] = taken.emplace(claim.there, claim.line);
    if (!is_free) {
      warn(claim.line, fmt::format("leads to {}, as line {} does already: left open",
                                   port_name(claim.there), other->second));
      continue;
    }
    lay(claim, nullptr);
  }
}

}  // namespace heddle::sim
