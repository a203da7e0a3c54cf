// SPDX-License-Identifier: BSD-3-Clause
// Links that are slower than they should be, and what hangs together.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "plan/check.hpp"

namespace heddle::plan {
namespace {

using Cable = Inventory::Cable;

// Links between the same two levels of switches are expected to be alike, and links to hosts on one
// switch: older hosts stand together.
struct Kind {
  bool to_hosts = false;
  std::uint32_t low = 0, high = 0;  // levels; with hosts, the switch's node twice
  friend auto operator<=>(const Kind&, const Kind&) = default;
};

Kind kind_of(const Levels& levels, const Cable& cable) {
  const auto [low, high] = std::minmax(levels.of[cable.a.node], levels.of[cable.b.node]);
  if (high != Levels::kNone) return {false, low, high};
  const std::uint32_t at = levels.of[cable.a.node] == Levels::kNone ? cable.b.node : cable.a.node;
  return {true, at, at};
}

std::string text_of(const Inventory& fabric, const Kind& kind) {
  if (kind.to_hosts) return fmt::format("from {} to hosts", fabric.nodes[kind.low].name);
  return fmt::format("between switches of levels {} and {}", kind.low, kind.high);
}

struct Tally {
  std::map<std::tuple<unsigned, LaneSpeed>, std::size_t> rates;
  std::size_t links = 0;
};

// The rate of more than half of them; unknown if there is none.
Rate usual(const Tally& tally) {
  for (const auto& [rate, links] : tally.rates) {
    if (links * 2 <= tally.links) continue;
    return {static_cast<std::uint8_t>(std::get<0>(rate)), std::get<1>(rate)};
  }
  return {};
}

void add(Findings& findings, const Inventory& fabric, const Cable& cable, std::string code,
         std::string what) {
  const std::string a = name_of(fabric, cable.a), b = name_of(fabric, cable.b);
  findings.add({Severity::Warning,
                "links",
                std::move(code),
                fmt::format("{} - {} runs at {}, {}", a, b, name_of(cable.rate), what),
                {a, b},
                cable.line});
}

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t at) {
  while (parent[at] != at) at = parent[at] = parent[parent[at]];
  return at;
}

}  // namespace

void check_links(const Inventory& fabric, const Levels& levels, Findings& findings) {
  std::map<Kind, Tally> tallies;
  for (const Cable& cable : fabric.cables) {
    Tally& tally = tallies[kind_of(levels, cable)];
    ++tally.rates[{cable.rate.lanes, cable.rate.speed}];
    ++tally.links;
  }
  for (const Cable& cable : fabric.cables) {
    if (!cable.rate.known()) continue;
    const Rate ports = lesser(port_of(fabric.nodes[cable.a.node], cable.a.port).best,
                              port_of(fabric.nodes[cable.b.node], cable.b.port).best);
    if (lesser(ports, cable.rate) != ports && data_gigabits(ports) > data_gigabits(cable.rate)) {
      add(findings, fabric, cable, "below-ports",
          fmt::format("and its ports can do {}", name_of(ports)));
      continue;
    }
    const Kind kind = kind_of(levels, cable);
    const Rate most = usual(tallies[kind]);
    if (!most.known() || data_gigabits(cable.rate) >= data_gigabits(most)) continue;
    add(findings, fabric, cable, "below-level",
        fmt::format("and most links {} at {}", text_of(fabric, kind), name_of(most)));
  }
}

void check_islands(const Inventory& fabric, Findings& findings) {
  std::vector<std::uint32_t> parent(fabric.nodes.size());
  std::iota(parent.begin(), parent.end(), 0u);
  std::vector<bool> plugged(fabric.nodes.size());
  for (const Cable& cable : fabric.cables) {
    plugged[cable.a.node] = plugged[cable.b.node] = true;
    parent[root(parent, cable.a.node)] = root(parent, cable.b.node);
  }
  std::map<std::uint32_t, std::size_t> islands;
  for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
    if (plugged[i]) {
      ++islands[root(parent, i)];
      continue;
    }
    findings.add({Severity::Warning,
                  "islands",
                  "alone",
                  fmt::format("{} has no cable", fabric.nodes[i].name),
                  {fabric.nodes[i].name},
                  fabric.nodes[i].line});
  }
  if (islands.size() < 2) return;
  std::vector<std::size_t> sizes;
  for (const auto& [name, size] : islands) sizes.push_back(size);
  std::sort(sizes.rbegin(), sizes.rend());
  findings.add({Severity::Warning,
                "islands",
                "islands",
                fmt::format("the fabric is in {} pieces that no cable joins; the largest has {} "
                            "nodes, the next {}",
                            sizes.size(), sizes[0], sizes[1]),
                {}});
}

Levels check_fabric(const Inventory& fabric, std::uint8_t lmc, Findings& findings) {
  Levels levels = find_levels(fabric);
  check_guids(fabric, findings);
  check_lids(fabric, findings);
  check_links(fabric, levels, findings);
  check_budgets(fabric, lmc, findings);
  check_islands(fabric, findings);
  check_symmetry(fabric, levels, findings);
  check_rails(fabric, findings);
  return levels;
}

}  // namespace heddle::plan
