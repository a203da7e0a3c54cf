// SPDX-License-Identifier: BSD-3-Clause
// A channel is the sending side of a link. A packet that holds one and wants the next makes the one
// depend on the other; a circle of such waits can stop for ever (Dally and Seitz).
#include <array>
#include <optional>

#include <fmt/format.h>

#include "sim/checker.hpp"
#include "sim/subnet_view.hpp"

namespace heddle::sim {
namespace {

// The channels that a channel waits for are all of the switch at its far end: one bit per port.
using PortBits = std::array<std::uint64_t, 4>;

class Channels {
 public:
  explicit Channels(const SubnetView& view)
      : view_(view), waits_(view.devices.lines.size()), entered_(view.devices.switches.size()) {
    std::vector<bool> has_hosts(view.devices.nodes.size(), false);
    for (const PortIndex host : view.endpoints) {
      const PortIndex peer = view.devices.lines[host].peer;
      if (view.is_host(host) && peer != kNone) has_hosts[view.devices.lines[peer].node] = true;
    }
    for (const NodeIndex node : view.switches) {
      if (has_hosts[node]) entries_.push_back(node);
    }
    for (const PortIndex owner : view.endpoints) {
      if (!view.is_host(owner)) continue;
      const mad::PortInfo& info = view.devices.ports[owner].info;
      for (unsigned offset = 0; offset < 1u << info.lmc; ++offset) {
        follow_all(mad::Lid{static_cast<std::uint16_t>(info.lid.value + offset)});
      }
    }
  }

  // Some cycle, as channels in the order of their waits.
  std::optional<std::vector<PortIndex>> find_cycle() const;

 private:
  PortIndex channel(NodeIndex node, mad::Lid lid) const {
    const Devices& devices = view_.devices;
    const std::uint8_t out = devices.route(devices.switch_at(node), lid);
    if (out == 0 || out > devices.nodes[node].port_count) return kNone;
    const PortIndex port = devices.port_at(node, out);
    return devices.lines[port].peer == kNone ? kNone : port;
  }

  // All ways to one LID from the switches that have hosts; each switch is passed once.
  void follow_all(mad::Lid lid) {
    ++round_;
    for (const NodeIndex node : entries_) follow(node, lid);
  }

  void follow(NodeIndex node, mad::Lid lid) {
    PortIndex held = kNone;
    while (view_.devices.is_switch(node)) {
      const PortIndex wanted = channel(node, lid);
      if (wanted == kNone) return;
      if (held != kNone) {
        const std::uint8_t number = view_.devices.lines[wanted].number;
        waits_[held][number / 64] |= std::uint64_t{1} << (number % 64);
      }
      std::uint32_t& entered = entered_[view_.devices.nodes[node].switch_index];
      if (entered == round_) return;
      entered = round_;
      held = wanted;
      node = view_.devices.lines[view_.devices.lines[wanted].peer].node;
    }
  }

  // The first channel that `held` waits for behind port `from`, kNone when there is none.
  PortIndex next_wait(PortIndex held, unsigned from) const {
    const NodeIndex node = view_.devices.lines[view_.devices.lines[held].peer].node;
    for (unsigned number = from; number <= view_.devices.nodes[node].port_count; ++number) {
      if (waits_[held][number / 64] >> (number % 64) & 1) {
        return view_.devices.port_at(node, static_cast<std::uint8_t>(number));
      }
    }
    return kNone;
  }

  const SubnetView& view_;
  std::vector<PortBits> waits_;
  std::vector<NodeIndex> entries_;      // switches with hosts
  std::vector<std::uint32_t> entered_;  // by switch: the round in which it was last passed
  std::uint32_t round_ = 0;
};

std::optional<std::vector<PortIndex>> Channels::find_cycle() const {
  enum class Mark : std::uint8_t { New, OnPath, Done };
  std::vector<Mark> marks(waits_.size(), Mark::New);
  struct Step {
    PortIndex channel;
    unsigned next_port;
  };
  for (PortIndex start = 0; start < waits_.size(); ++start) {
    if (marks[start] != Mark::New || view_.devices.lines[start].peer == kNone) continue;
    std::vector<Step> path{{start, 1}};
    marks[start] = Mark::OnPath;
    while (!path.empty()) {
      const PortIndex wanted = next_wait(path.back().channel, path.back().next_port);
      if (wanted == kNone) {
        marks[path.back().channel] = Mark::Done;
        path.pop_back();
        continue;
      }
      path.back().next_port = view_.devices.lines[wanted].number + 1u;
      if (marks[wanted] == Mark::OnPath) {
        std::vector<PortIndex> cycle;
        std::size_t at = path.size();
        while (path[--at].channel != wanted) {
        }
        for (; at < path.size(); ++at) cycle.push_back(path[at].channel);
        return cycle;
      }
      if (marks[wanted] == Mark::New) {
        marks[wanted] = Mark::OnPath;
        path.push_back({wanted, 1});
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Complaints check_credit_loops(const World& world, EndpointId sm) {
  const SubnetView view(world.devices(), sm);
  const auto cycle = Channels(view).find_cycle();
  if (!cycle) return {};
  std::string text;
  constexpr std::size_t kMostNamed = 16;
  for (std::size_t i = 0; i < cycle->size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : " -> ") + view.name((*cycle)[i]);
  }
  return {fmt::format("credit loop of {} channels: {}", cycle->size(), text)};
}

}  // namespace heddle::sim
