// SPDX-License-Identifier: BSD-3-Clause
#include "app/summary.hpp"

#include <array>
#include <cstdint>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/text.hpp"
#include "mad/link.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kMostProblems = 20;

std::string summary_row(std::string_view name, std::string_view text) {
  return fmt::format("  {:<9} {}\n", name, text);
}

std::string nodes_text(const fabric::Topology& topology) {
  std::size_t switches = 0, adapters = 0, routers = 0;
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    switch (topology.node(fabric::NodeIndex{i}).type) {
      case mad::NodeType::Switch:
        ++switches;
        break;
      case mad::NodeType::Router:
        ++routers;
        break;
      case mad::NodeType::ChannelAdapter:
        ++adapters;
        break;
    }
  }
  std::vector<std::string> kinds{counted(switches, "switch", "switches"),
                                 counted(adapters, "channel adapter", "channel adapters")};
  if (routers > 0) kinds.push_back(counted(routers, "router", "routers"));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

std::string speed_of_link(const sm::Snapshot& snapshot, fabric::PortIndex port) {
  const auto width = mad::active_width(snapshot.registers->ports[port.value]);
  const auto speed = fabric::link_speed(*snapshot.registers, port);
  return width && speed ? mad::link_text(*width, *speed) : "unknown speed";
}

// "1,296 (648 at 4x EDR, 648 at 4x HDR)".
std::string links_text(const sm::Snapshot& snapshot) {
  const fabric::Topology& topology = snapshot.topology;
  std::map<std::string, std::uint64_t> by_speed;
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const fabric::PortIndex peer = topology.peer(fabric::PortIndex{i});
    if (peer == fabric::kNoPort || peer.value < i) continue;
    ++by_speed[speed_of_link(snapshot, fabric::PortIndex{i})];
  }
  std::vector<std::string> parts;
  for (const auto& [speed, count] : by_speed) {
    parts.push_back(fmt::format("{} at {}", with_commas(count), speed));
  }
  return fmt::format("{}{}{}{}", with_commas(topology.link_count()), parts.empty() ? "" : " (",
                     fmt::join(parts, ", "), parts.empty() ? "" : ")");
}

std::string ports_text(const sm::Snapshot& snapshot) {
  std::string text = fmt::format("{} ACTIVE", with_commas(snapshot.active_ports));
  if (snapshot.inactive_ports > 0) {
    text += fmt::format(", {} have a link and are not", with_commas(snapshot.inactive_ports));
  }
  return text;
}

std::string lids_text(const sm::Snapshot& snapshot) {
  if (snapshot.lids.top() == mad::kNoLid) return "none given out";
  std::uint64_t used = 0;
  for (const fabric::PortIndex port : snapshot.topology.endports()) {
    if (snapshot.lids.base(port) != mad::kNoLid) used += snapshot.lids.range(port).count();
  }
  return fmt::format("{} in use, LMC {}, highest {}", with_commas(used), snapshot.lmc,
                     with_commas(snapshot.lids.top().value));
}

std::string routing_text(const sm::Snapshot& snapshot, mad::SMState state) {
  if (state == mad::SMState::Standby) return summary_row("Routing", "left to the master");
  if (snapshot.topology.switch_count() == 0)
    return summary_row("Routing", "none needed: no switch");
  if (snapshot.routes == nullptr)
    return summary_row("Routing", "none: the fabric could not be routed");
  const routing::Selected& selected = *snapshot.routes;
  const unsigned vls = selected.routes.lanes.vls;
  std::string out =
      summary_row("Routing", vls == 1 ? selected.routes.engine
                                      : fmt::format("{} on {} VLs", selected.routes.engine, vls));
  for (const routing::Rejected& rejected : selected.rejected) {
    out += summary_row("", fmt::format("not {}: {}", rejected.engine, rejected.reason));
  }
  for (const std::string& note : selected.routes.notes) out += summary_row("", note);
  const fabric::Verification& proof = selected.proof;
  out += summary_row(
      "Routes",
      fmt::format("{} {}: at most {}, {:.2f} in the mean; {}", with_commas(proof.routes),
                  proof.reaches_all() ? "proven to arrive" : "walked",
                  counted(proof.max_hops, "hop", "hops"), proof.mean_hops,
                  proof.deadlock_free() ? "no credit loop" : "A CREDIT LOOP IS POSSIBLE"));
  if (!proof.reaches_all()) {
    out += summary_row("", fmt::format("{} do not arrive", with_commas(proof.faulty_routes)));
  }
  return out;
}

std::string packets_text(const sm::SweepStatistics& sweep) {
  return fmt::format("{} sent: {} Get, {} Set; {} of them repeated, {} unanswered",
                     with_commas(sweep.gets_sent + sweep.sets_sent), with_commas(sweep.gets_sent),
                     with_commas(sweep.sets_sent), with_commas(sweep.retries),
                     with_commas(sweep.unanswered));
}

std::string times_text(const Summary& summary) {
  std::vector<std::string> phases;
  for (std::size_t i = 0; i < sm::kPhaseCount; ++i) {
    const auto phase = static_cast<sm::Phase>(i);
    phases.push_back(
        fmt::format("{} {}", sm::phase_name(phase), short_duration(summary.times.of(phase))));
  }
  return summary_row("Time", fmt::format("{} ({})", short_duration(summary.times.total()),
                                         summary.times_are)) +
         summary_row("", fmt::format("{}", fmt::join(phases, ", ")));
}

std::string listed(std::string_view name, const std::vector<std::string>& lines) {
  std::string out = summary_row(name, lines.empty() ? "none" : with_commas(lines.size()) + ":");
  for (std::size_t i = 0; i < lines.size() && i < kMostProblems; ++i)
    out += summary_row("", lines[i]);
  if (lines.size() > kMostProblems) {
    out += summary_row("", fmt::format("and {} more", with_commas(lines.size() - kMostProblems)));
  }
  return out;
}

std::string verdict(const sm::Snapshot& snapshot, mad::SMState state, bool files_are_right) {
  if (snapshot.shadow) return "Nothing was written; what follows is how the fabric would be.\n";
  if (state == mad::SMState::Standby) {
    return "Another subnet manager is master; this one stands by and changed nothing.\n";
  }
  if (!wholly_up(snapshot, state)) return "The fabric is not wholly up.\n";
  return files_are_right ? "The fabric is up.\n"
                         : "The fabric is up, but not as all the configuration says.\n";
}

}  // namespace

std::string summary_text(const Summary& summary) {
  const sm::Snapshot& snapshot = summary.snapshot;
  std::string out = verdict(snapshot, summary.state, summary.files.empty());
  out += summary_row("Fabric", summary.title);
  out += summary_row("Nodes", nodes_text(snapshot.topology));
  out += summary_row("Links", links_text(snapshot));
  out += summary_row("Ports", ports_text(snapshot));
  out += summary_row("LIDs", lids_text(snapshot));
  out += routing_text(snapshot, summary.state);
  if (snapshot.shadow) out += summary_row("Would write", text(*snapshot.shadow));
  out += summary_row("SMPs", packets_text(snapshot.sweep));
  out += times_text(summary);
  if (!summary.remarks.empty()) out += listed("Remarks", summary.remarks);
  std::vector<std::string> problems = summary.files;
  problems.insert(problems.end(), snapshot.problems.begin(), snapshot.problems.end());
  return out + listed("Problems", problems);
}

bool wholly_up(const sm::Snapshot& snapshot, mad::SMState state) {
  const bool routed = snapshot.topology.switch_count() == 0 ||
                      (snapshot.routes != nullptr && snapshot.routes->proof.reaches_all());
  return state == mad::SMState::Master && routed && snapshot.inactive_ports == 0 &&
         snapshot.problems.empty();
}

}  // namespace heddle::app
