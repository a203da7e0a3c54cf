// SPDX-License-Identifier: BSD-3-Clause
// A channel is one lane of the sending side of a link. A packet that holds one and wants the next
// makes the one depend on the other; a circle of such waits can stop for ever (Dally and Seitz).
#include <array>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "sim/checker.hpp"
#include "sim/forwarding.hpp"
#include "sim/subnet_view.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint32_t kLanes = 16;

// A port and a lane: port * kLanes + lane.
using Channel = std::uint32_t;

class Channels {
 public:
  Channels(const SubnetView& view, const LevelOf& level_of)
      : view_(view),
        row_of_(view.devices.lines.size() * kLanes, kNone),
        entered_(view.devices.switches.size() * kLanes) {
    for (const PortIndex host : view.endpoints) {
      const PortIndex peer = view.devices.lines[host].peer;
      if (view.is_host(host) && peer != kNone) entries_.push_back(host);
    }
    for (const PortIndex owner : view.endpoints) {
      if (!view.is_host(owner)) continue;
      const mad::PortInfo& info = view.devices.ports[owner].info;
      for (unsigned offset = 0; offset < 1u << info.lmc; ++offset) {
        follow_all(mad::Lid{static_cast<std::uint16_t>(info.lid.value + offset)}, level_of);
      }
    }
  }

  // Some cycle, as channels in the order of their waits.
  std::optional<std::vector<Channel>> find_cycle() const;

 private:
  // What a channel waits for is all of the switch at its far end: one bit per port and lane.
  static constexpr std::uint32_t kBits = 256 * kLanes;
  using Row = std::array<std::uint64_t, kBits / 64>;

  PortIndex way_out(NodeIndex node, mad::Lid lid) const {
    const Devices& devices = view_.devices;
    const std::uint8_t out = devices.route(devices.switch_at(node), lid);
    if (out == 0 || out > devices.nodes[node].port_count) return kNone;
    const PortIndex port = devices.port_at(node, out);
    return devices.lines[port].peer == kNone ? kNone : port;
  }

  // All ways of hosts to one LID, level by level; each switch is passed once.
  void follow_all(mad::Lid lid, const LevelOf& level_of) {
    std::array<std::vector<PortIndex>, kLanes> by_level;
    for (const PortIndex host : entries_) {
      by_level[level_of ? level_of(host, lid).value % kLanes : 0].push_back(host);
    }
    for (std::uint32_t level = 0; level < by_level.size(); ++level) {
      ++round_;
      const mad::ServiceLevel sl{static_cast<std::uint8_t>(level)};
      for (const PortIndex host : by_level[level]) {
        follow(view_.devices.lines[host].peer, lid, sl);
      }
    }
  }

  // `in`: the port by which the packet comes in.
  void follow(PortIndex in, mad::Lid lid, mad::ServiceLevel sl) {
    const Devices& devices = view_.devices;
    Channel held = kNone;
    while (devices.is_switch(devices.lines[in].node)) {
      const NodeIndex node = devices.lines[in].node;
      const PortIndex out = way_out(node, lid);
      if (out == kNone) return;
      const std::uint32_t lane = lane_of(devices, out, devices.lines[in].number, sl);
      if (lane == 15) return;  // dropped
      if (held != kNone) wait(held, devices.lines[out].number * kLanes + lane);
      std::uint32_t& entered = entered_[devices.nodes[node].switch_index * kLanes + lane];
      if (entered == round_) return;
      entered = round_;
      held = out * kLanes + lane;
      in = devices.lines[out].peer;
    }
  }

  void wait(Channel held, std::uint32_t bit) {
    if (row_of_[held] == kNone) {
      row_of_[held] = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back();
    }
    rows_[row_of_[held]][bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  // The first channel that `held` waits for whose bit is at least `from`; kNone when there is none.
  Channel next_wait(Channel held, std::uint32_t from) const {
    if (row_of_[held] == kNone) return kNone;
    const Devices& devices = view_.devices;
    const Row& row = rows_[row_of_[held]];
    for (std::uint32_t word = from / 64; word < row.size(); ++word) {
      const std::uint64_t below = word == from / 64 ? (std::uint64_t{1} << (from % 64)) - 1 : 0;
      const std::uint64_t left = row[word] & ~below;
      if (left == 0) continue;
      const std::uint32_t bit = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      const NodeIndex node = devices.lines[devices.lines[held / kLanes].peer].node;
      return devices.port_at(node, static_cast<std::uint8_t>(bit / kLanes)) * kLanes + bit % kLanes;
    }
    return kNone;
  }
  std::uint32_t bit_of(Channel channel) const {
    return view_.devices.lines[channel / kLanes].number * kLanes + channel % kLanes;
  }

  const SubnetView& view_;
  std::vector<std::uint32_t> row_of_;  // by channel, into rows_; kNone: waits for nothing
  std::vector<Row> rows_;
  std::vector<PortIndex> entries_;      // ports of hosts with a link
  std::vector<std::uint32_t> entered_;  // by (switch, lane): when it was last passed
  std::uint32_t round_ = 0;
};

std::optional<std::vector<Channel>> Channels::find_cycle() const {
  enum class Mark : std::uint8_t { New, OnPath, Done };
  std::vector<Mark> marks(row_of_.size(), Mark::New);
  struct Step {
    Channel channel;
    std::uint32_t next_bit;
  };
  for (Channel start = 0; start < row_of_.size(); ++start) {
    if (marks[start] != Mark::New || row_of_[start] == kNone) continue;
    std::vector<Step> path{{start, 0}};
    marks[start] = Mark::OnPath;
    while (!path.empty()) {
      const Channel wanted = next_wait(path.back().channel, path.back().next_bit);
      if (wanted == kNone) {
        marks[path.back().channel] = Mark::Done;
        path.pop_back();
        continue;
      }
      path.back().next_bit = bit_of(wanted) + 1;
      if (marks[wanted] == Mark::OnPath) {
        std::vector<Channel> cycle;
        std::size_t at = path.size();
        while (path[--at].channel != wanted) {
        }
        for (; at < path.size(); ++at) cycle.push_back(path[at].channel);
        return cycle;
      }
      if (marks[wanted] == Mark::New) {
        marks[wanted] = Mark::OnPath;
        path.push_back({wanted, 0});
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Complaints check_credit_loops(const World& world, EndpointId sm, const LevelOf& level_of) {
  const SubnetView view(world.devices(), sm);
  const auto cycle = Channels(view, level_of).find_cycle();
  if (!cycle) return {};
  std::string text;
  constexpr std::size_t kMostNamed = 16;
  for (std::size_t i = 0; i < cycle->size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : " -> ") + view.name((*cycle)[i] / kLanes);
    if (level_of) text += fmt::format(" VL {}", (*cycle)[i] % kLanes);
  }
  return {fmt::format("credit loop of {} channels: {}", cycle->size(), text)};
}

}  // namespace heddle::sim
