// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <regex.h>

#include "api/opensm_console_verbs.hpp"
#include "api/path.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

mad::PortNumber port_number(unsigned number) {
  return mad::PortNumber{static_cast<std::uint8_t>(number)};
}

std::string_view name_of_type(mad::NodeType type) {
  if (type == mad::NodeType::Switch) return "Switch";
  return type == mad::NodeType::Router ? "Router" : "Channel Adapter";
}

// --- portstatus ---------------------------------------------------------------------------------

std::optional<mad::LinkSpeed> fastest(mad::SpeedField field, unsigned bits) {
  std::optional<mad::LinkSpeed> best;
  for (const mad::LinkSpeedEntry& each : mad::kLinkSpeeds) {
    if (each.field == field && (bits & each.bit) != 0) best = each.speed;
  }
  return best;
}

// Of those that the port may use; nothing if none is known.
std::optional<mad::LinkSpeed> fastest_enabled(const mad::PortInfo& info) {
  if (auto speed = fastest(mad::SpeedField::LinkSpeedExt2, info.link_speed_ext2_enabled)) {
    return speed;
  }
  if (auto speed = fastest(mad::SpeedField::LinkSpeedExt, info.link_speed_ext_enabled)) {
    return speed;
  }
  return fastest(mad::SpeedField::LinkSpeed, info.link_speed_enabled);
}

bool is_enabled(const mad::PortInfo& info, mad::LinkSpeed speed) {
  const mad::LinkSpeedEntry& wanted = mad::entry(speed);
  const unsigned bits =
      wanted.field == mad::SpeedField::LinkSpeed       ? info.link_speed_enabled
      : wanted.field == mad::SpeedField::LinkSpeedExt  ? info.link_speed_ext_enabled
      : wanted.field == mad::SpeedField::LinkSpeedExt2 ? info.link_speed_ext2_enabled
                                                       : 0xFFu;
  return (bits & wanted.bit) != 0;
}

enum Issue {
  Disabled,
  SpeedUnenabled,
  SpeedReduced,
  SpeedUnknown,
  WidthUnenabled,
  WidthReduced,
  WidthUnknown
};
constexpr std::array<std::string_view, 7> kIssues{
    "disabled",           "with unenabled speed", "with reduced speed",
    "with unknown speed", "with unenabled width", "with reduced width",
    "with unknown width"};

class PortCounts {
 public:
  explicit PortCounts(const sm::Snapshot& fabric) : fabric_(fabric) {}

  void count(NodeIndex index) {
    const fabric::Node& node = fabric_.topology.node(index);
    ++nodes_;
    for (unsigned number = 1; number <= node.port_count; ++number) {
      count(node, number, fabric_.topology.port_of(index, port_number(number)));
    }
  }

  std::string text(std::string_view title, std::chrono::microseconds took) const {
    std::string out =
        fmt::format("\"{}\" port status:\n   {} port(s) scanned on {} nodes in {} us\n", title,
                    ports_, nodes_, took.count());
    const auto row = [&](std::uint64_t count, std::string_view what) {
      if (count != 0) out += fmt::format("   {} {}\n", count, what);
    };
    row(down_, "down");
    row(active_, "active");
    for (const mad::LinkWidthEntry& each : mad::kLinkWidths) {
      row(widths_[static_cast<std::size_t>(each.width)], fmt::format("at {}X", each.lanes));
    }
    for (const mad::LinkSpeedEntry& each : mad::kLinkSpeeds) {
      const bool is_fdr10 = each.speed == mad::LinkSpeed::FDR10;
      row(speeds_[static_cast<std::size_t>(each.speed)],
          "at " + (is_fdr10 ? "10.0 Gbps (FDR10)" : mad::rate_text(each.lane_rate)));
    }
    return out + "\n" + issues_text();
  }

 private:
  void count(const fabric::Node& node, unsigned number, PortIndex port) {
    const mad::PortInfo& info = fabric_.registers->ports[port.value];
    if (info.port_state == mad::PortState::NoChange) return;  // never read
    ++ports_;
    down_ += info.port_state == mad::PortState::Down;
    active_ += info.port_state == mad::PortState::Active;
    if (info.port_physical_state == mad::PortPhysicalState::Disabled) note(Disabled, node, number);
    if (info.port_state == mad::PortState::Down) return;
    count_width(info, node, number);
    count_speed(info, fabric::link_speed(*fabric_.registers, port), node, number);
  }

  void count_width(const mad::PortInfo& info, const fabric::Node& node, unsigned number) {
    const auto width = mad::active_width(info);
    if (!width) return note(WidthUnknown, node, number);
    ++widths_[static_cast<std::size_t>(*width)];
    if ((info.link_width_enabled & mad::entry(*width).bit) == 0) {
      return note(WidthUnenabled, node, number);
    }
    const bool wider = std::any_of(
        mad::kLinkWidths.begin(), mad::kLinkWidths.end(), [&](const mad::LinkWidthEntry& each) {
          return each.width > *width && (info.link_width_enabled & each.bit) != 0;
        });
    if (wider) note(WidthReduced, node, number);
  }

  void count_speed(const mad::PortInfo& info, std::optional<mad::LinkSpeed> speed,
                   const fabric::Node& node, unsigned number) {
    if (!speed) return note(SpeedUnknown, node, number);
    ++speeds_[static_cast<std::size_t>(*speed)];
    if (!is_enabled(info, *speed)) return note(SpeedUnenabled, node, number);
    const auto best = fastest_enabled(info);
    if (best && *best > *speed) note(SpeedReduced, node, number);
  }

  // The first ones by name: of a fabric in which all are slow nobody reads them all.
  void note(Issue issue, const fabric::Node& node, unsigned number) {
    constexpr std::size_t kMostNamed = 1000;
    if (++issues_[issue] > kMostNamed) return;
    named_[issue] += fmt::format("      {} {} ({})\n", base::hex(node.guid.value), number,
                                 base::printable(node.description));
    if (issues_[issue] == kMostNamed) named_[issue] += "      and no more than these are named\n";
  }

  std::string issues_text() const {
    std::string out;
    for (std::size_t i = 0; i < kIssues.size(); ++i) {
      if (issues_[i] != 0) out += fmt::format("   {} {}\n{}", issues_[i], kIssues[i], named_[i]);
    }
    return out.empty() ? out : "Possible issues:\n" + out + "\n";
  }

  const sm::Snapshot& fabric_;
  std::uint64_t nodes_ = 0, ports_ = 0, down_ = 0, active_ = 0;
  std::array<std::uint64_t, mad::kLinkWidths.size()> widths_{};
  std::array<std::uint64_t, mad::kLinkSpeeds.size()> speeds_{};
  std::array<std::uint64_t, kIssues.size()> issues_{};
  std::array<std::string, kIssues.size()> named_;
};

// --- balance ------------------------------------------------------------------------------------

std::optional<NodeIndex> switch_by(const sm::Snapshot& fabric, std::string_view word) {
  const auto guid = base::parse_number(word);
  const auto node = guid ? fabric.topology.find_node(mad::Guid{*guid}) : std::nullopt;
  return node && fabric.topology.is_switch(*node) ? node : std::nullopt;
}

// One text for each switch, as they are asked for: tables are long.
Pieces by_switch(std::shared_ptr<const sm::Snapshot> fabric, std::optional<NodeIndex> only,
                 std::string (*text)(const sm::Snapshot&, fabric::SwitchIndex, bool), bool all) {
  const std::uint32_t first = only ? only->value : 0;
  const std::uint32_t last =
      only ? first + 1 : static_cast<std::uint32_t>(fabric->topology.switch_count());
  return [=, at = first]() mutable -> std::optional<std::string> {
    if (at == last) return std::nullopt;
    return text(*fabric, fabric::SwitchIndex{at++}, all);
  };
}

// How many LIDs of hosts leave by each port.
std::array<std::uint32_t, 256> paths_of(const sm::Snapshot& fabric, fabric::SwitchIndex at) {
  std::array<std::uint32_t, 256> paths{};
  const fabric::ForwardingTables& tables = *tables_of(fabric);
  for (const PortIndex port : fabric.topology.endports()) {
    if (fabric.topology.is_switch(fabric.topology.node_of(port))) continue;
    const fabric::LidMap::Range range = fabric.lids.range(port);
    if (range.base == mad::kNoLid) continue;
    for (unsigned i = 0; i < range.count(); ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + i)};
      ++paths[tables.out_port(at, lid).value];
    }
  }
  return paths;
}

std::string title_of(const sm::Snapshot& fabric, fabric::SwitchIndex at) {
  const fabric::Node& node = fabric.topology.node(at);
  return fmt::format("{} ({})", base::hex(node.guid.value), base::printable(node.description));
}

// Links to hosts carry what is meant for these, and nobody could balance them.
std::string balance_of_switch(const sm::Snapshot& fabric, fabric::SwitchIndex at, bool all) {
  const auto paths = paths_of(fabric, at);
  std::uint32_t least = ~0u, most = 0;
  std::string rows;
  for (const fabric::Channel& channel : fabric.topology.channels_from(at)) {
    const std::uint32_t count = paths[channel.out.value];
    least = std::min(least, count);
    most = std::max(most, count);
    rows += fmt::format("Port {}: {}\n", channel.out.value, count);
  }
  const bool unbalanced = most > least && most - least > 1;
  if (!unbalanced && !all) return {};
  return fmt::format("{}: {}\n{}", unbalanced ? "Unbalanced Switch" : "Switch",
                     title_of(fabric, at), rows);
}

std::string balance_of_lids(const sm::Snapshot& fabric, fabric::SwitchIndex at, bool) {
  const fabric::ForwardingTables& tables = *tables_of(fabric);
  std::string text;
  for (const PortIndex port : fabric.topology.endports()) {
    const NodeIndex owner = fabric.topology.node_of(port);
    const fabric::LidMap::Range range = fabric.lids.range(port);
    if (range.base == mad::kNoLid || range.lmc == 0 || fabric.topology.is_switch(owner)) continue;
    std::map<std::uint8_t, unsigned> by_port;
    for (unsigned i = 0; i < range.count(); ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + i)};
      ++by_port[tables.out_port(at, lid).value];
    }
    const auto [least, most] =
        std::minmax_element(by_port.begin(), by_port.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->second - least->second <= 1) continue;
    const fabric::Node& node = fabric.topology.node(owner);
    text += fmt::format("Unbalanced Port Forwarding: Switch {}: Dest {}({}) -",
                        title_of(fabric, at), base::hex(fabric.topology.port(port).guid.value),
                        base::printable(node.description));
    for (const auto& [number, count] : by_port)
      text += fmt::format(" Port {} - {}:", number, count);
    text += "\n";
  }
  return text;
}

// --- dump_portguid ------------------------------------------------------------------------------

// POSIX's own, which takes what OpenSM's took.
class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : sound_(is_tame(text) &&
               ::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
  ~Pattern() {
    if (sound_) ::regfree(&compiled_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  bool sound() const { return sound_; }
  bool fits(const std::string& text) const {
    return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  // With counts and back references a few bytes ask for any amount of time and memory; each plus
  // doubles what it stands behind.
  static bool is_tame(std::string_view text) {
    constexpr std::size_t kLongest = 128;
    constexpr std::ptrdiff_t kMostPluses = 4;
    return text.size() <= kLongest && text.find_first_of("{\\") == std::string_view::npos &&
           std::count(text.begin(), text.end(), '+') <= kMostPluses;
  }
  regex_t compiled_{};
  bool sound_;
};

}  // namespace

std::optional<ConsoleAnswer> console_port_status(const State& state, ConsoleWords words) {
  struct Kind {
    std::string_view word, title;
    mad::NodeType type;
  };
  constexpr std::array<Kind, 3> kKinds{{{"ca", "Channel Adapter", mad::NodeType::ChannelAdapter},
                                        {"switch", "Switch", mad::NodeType::Switch},
                                        {"router", "Router", mad::NodeType::Router}}};
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) {
    return !words.empty() && each.word == words[0];
  });
  if (!words.empty() && kind == kKinds.end()) return std::nullopt;
  const auto begun = std::chrono::steady_clock::now();
  const fabric::Topology& topology = state.fabric->topology;
  PortCounts counts(*state.fabric);
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    if (words.empty() || topology.node(NodeIndex{i}).type == kind->type) counts.count(NodeIndex{i});
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begun);
  return console_says(counts.text(words.empty() ? "ALL" : kind->title, took));
}

ConsoleAnswer console_query_lid(const State& state, ConsoleWords words) {
  if (words.empty()) return console_says("no LID specified\n");
  const sm::Snapshot& fabric = *state.fabric;
  const auto lid = base::parse_number(words[0], mad::kLastUnicastLid.value);
  const PortIndex owner =
      lid ? fabric.lids.owner(mad::Lid{static_cast<std::uint16_t>(*lid)}) : fabric::kNoPort;
  if (owner == fabric::kNoPort) {
    return console_says(fmt::format("Invalid lid {}\n", base::printable(words[0])));
  }
  const NodeIndex index = fabric.topology.node_of(owner);
  const fabric::Node& node = fabric.topology.node(index);
  const auto is_kept_out = [&](unsigned number) {
    if (state.care == nullptr) return false;
    const auto& orders = state.care->orders;
    return std::any_of(orders.begin(), orders.end(), [&](const sm::OrderOutcome& each) {
      return each.carried_out && each.order.order != sm::LinkOrder::Enable &&
             each.order.node == node.guid && each.order.port.value == number;
    });
  };
  const unsigned first = fabric.topology.is_switch(index) ? 0 : 1;
  std::string text = fmt::format(
      "Query results for LID {}\n   GUID                : {}\n   Node Desc           : {}\n"
      "   Node Type           : {}\n   Num Ports           : {}\n",
      *lid, base::hex(fabric.topology.port(owner).guid.value), base::printable(node.description),
      name_of_type(node.type), node.port_count);
  for (unsigned number = first; number <= node.port_count; ++number) {
    text +=
        fmt::format("   Port {} health       : {}\n", number, is_kept_out(number) ? "ERROR" : "OK");
  }
  return console_says(std::move(text));
}

ConsoleAnswer console_switch_balance(const State& state, ConsoleWords words) {
  const bool verbose = !words.empty() && words[0] == "verbose";
  if (verbose) words = words.subspan(1);
  std::optional<NodeIndex> only;
  if (!words.empty() && !(only = switch_by(*state.fabric, words[0]))) {
    return console_says("guid not found\n");
  }
  if (tables_of(*state.fabric) == nullptr) return {};
  ConsoleAnswer answer;
  answer.pieces = by_switch(state.fabric, only, &balance_of_switch, verbose);
  return answer;
}

ConsoleAnswer console_lid_balance(const State& state, ConsoleWords words) {
  std::optional<NodeIndex> only;
  if (!words.empty() && !(only = switch_by(*state.fabric, words[0]))) {
    return console_says("switchguid not found\n");
  }
  if (tables_of(*state.fabric) == nullptr) return {};
  ConsoleAnswer answer;
  answer.pieces = by_switch(state.fabric, only, &balance_of_lids, false);
  return answer;
}

ConsoleAnswer console_port_guids(const State& state, ConsoleWords words) {
  if (!words.empty() && words[0] == "file") {
    return console_says(
        "No file is written for a console: leave 'file' out, and keep what is answered\n");
  }
  std::string text;
  std::vector<std::unique_ptr<Pattern>> patterns;
  for (const std::string_view word : words) {
    patterns.push_back(std::make_unique<Pattern>(std::string(word)));
    if (patterns.back()->sound()) continue;
    text += fmt::format("Cannot parse regular expression '{}'. Skipping\n", base::printable(word));
    patterns.pop_back();
  }
  if (patterns.empty()) return console_says(text + "No valid expression provided. Aborting\n");
  const fabric::Topology& topology = state.fabric->topology;
  for (const PortIndex port : topology.endports()) {
    const std::string& name = topology.node(topology.node_of(port)).description;
    const bool fits = std::any_of(patterns.begin(), patterns.end(),
                                  [&](const auto& pattern) { return pattern->fits(name); });
    if (fits) text += fmt::format("{:#x}\n", topology.port(port).guid.value);
  }
  return console_says(std::move(text));
}

}  // namespace heddle::api
