// SPDX-License-Identifier: BSD-3-Clause
#include "sim/buffers.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace heddle::sim {
namespace {

using BufferKey = std::pair<PortIndex, std::uint8_t>;  // input port, lane

// One flow's way: hop i leaves by `out` into the buffer `into`.
struct Hop {
  PortIndex out = 0;
  BufferKey into;
};

struct BufferedPacket {
  std::uint32_t flow = 0;
  std::uint32_t hop = 0;  // the next one to take
};

class Fabric {
 public:
  Fabric(const Devices& devices, const std::vector<Flow>& flows, const BufferOptions& options)
      : options_(options) {
    for (const Flow& flow : flows) {
      const Walk way = walk(devices, flow.from, {flow.dlid, flow.sl, flow.p_key, 64});
      if (!way.arrived()) outcome_.unroutable += options.packets;
      std::vector<Hop> hops;
      for (std::size_t i = 0; way.arrived() && i + 1 < way.steps.size(); ++i) {
        const WalkStep& step = way.steps[i];
        const PortIndex out = devices.port_at(step.node, step.out_port);
        hops.push_back({out, {devices.lines[out].peer, step.lane}});
      }
      waiting_.push_back(hops.empty() ? 0 : options.packets);
      ways_.push_back(std::move(hops));
    }
  }

  BufferOutcome run() && {
    while (outcome_.cycles < options_.most_cycles) {
      if (!cycle()) break;
      ++outcome_.cycles;
    }
    for (const auto& [key, buffer] : buffers_) outcome_.stuck += buffer.size();
    if (outcome_.cycles == options_.most_cycles) outcome_.stuck = 0;  // still moving
    if (outcome_.stuck > 0) find_circle();
    return std::move(outcome_);
  }

 private:
  // Who wants a link: the first packet of a buffer, or a flow at its sender.
  struct Wish {
    std::optional<BufferKey> from;  // nothing: at the sender
    BufferedPacket packet;
  };

  bool is_last(const BufferedPacket& packet) const {
    return packet.hop + 1 == ways_[packet.flow].size();
  }

  bool has_room(const BufferedPacket& packet) const {
    if (is_last(packet)) return true;  // receivers take whatever comes
    const auto found = buffers_.find(ways_[packet.flow][packet.hop].into);
    return found == buffers_.end() || found->second.size() < options_.credits;
  }

  // Whether anything moved. All see the room that there was when the cycle began.
  bool cycle() {
    std::map<PortIndex, std::vector<Wish>> wishes;
    const auto wish = [&](std::optional<BufferKey> from, BufferedPacket packet) {
      if (has_room(packet)) wishes[ways_[packet.flow][packet.hop].out].push_back({from, packet});
    };
    for (const auto& [key, buffer] : buffers_) {
      if (!buffer.empty()) wish(key, buffer.front());
    }
    for (std::uint32_t flow = 0; flow < waiting_.size(); ++flow) {
      if (waiting_[flow] > 0) wish(std::nullopt, {flow, 0});
    }
    for (const auto& [out, wanting] : wishes) {
      // In turn: the same link does not serve the same place for ever.
      move(wanting[static_cast<std::size_t>(served_[out]++ % wanting.size())]);
    }
    return !wishes.empty();
  }

  void move(const Wish& wish) {
    if (wish.from) {
      buffers_[*wish.from].pop_front();
    } else {
      --waiting_[wish.packet.flow];
    }
    if (is_last(wish.packet)) {
      ++outcome_.delivered;
      return;
    }
    BufferedPacket moved = wish.packet;
    const BufferKey into = ways_[moved.flow][moved.hop].into;
    ++moved.hop;
    buffers_[into].push_back(moved);
  }

  // Nothing moves, so every first packet waits for a full buffer: following them leads round.
  void find_circle() {
    const auto full = std::find_if(buffers_.begin(), buffers_.end(),
                                   [](const auto& entry) { return !entry.second.empty(); });
    std::vector<BufferKey> path;
    BufferKey at = full->first;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const BufferedPacket& first = buffers_[at].front();
      at = ways_[first.flow][first.hop].into;
    }
    for (auto it = std::find(path.begin(), path.end(), at); it != path.end(); ++it) {
      outcome_.circle.push_back({it->first, it->second, buffers_[*it].size()});
    }
  }

  const BufferOptions& options_;
  std::vector<std::vector<Hop>> ways_;  // by flow
  std::vector<unsigned> waiting_;       // by flow: packets not yet sent
  std::map<BufferKey, std::deque<BufferedPacket>> buffers_;
  std::map<PortIndex, std::uint64_t> served_;
  BufferOutcome outcome_;
};

}  // namespace

base::Result<BufferOutcome> run_buffers(const Devices& devices, const std::vector<Flow>& flows,
                                        const BufferOptions& options) {
  constexpr unsigned kMostCredits = 1000;
  if (flows.size() > kMostBufferedFlows) {
    return base::error(fmt::format("{} flows; buffers are simulated for at most {}", flows.size(),
                                   kMostBufferedFlows));
  }
  if (options.credits < 1 || options.credits > kMostCredits) {
    return base::error(fmt::format("a buffer holds 1 to {} packets", kMostCredits));
  }
  return Fabric(devices, flows, options).run();
}

std::string describe(const Devices& devices, const BufferOutcome& outcome) {
  std::string text = fmt::format("{} packets delivered in {} cycles, {} stuck\n", outcome.delivered,
                                 outcome.cycles, outcome.stuck);
  const auto name = [&](const BufferWait& buffer) {
    return fmt::format("{} VL {} ({} packets)", describe(devices, buffer.port), buffer.lane,
                       buffer.held);
  };
  for (std::size_t i = 0; i < outcome.circle.size(); ++i) {
    text += fmt::format("{} waits for {}\n", name(outcome.circle[i]),
                        name(outcome.circle[(i + 1) % outcome.circle.size()]));
  }
  return text;
}

}  // namespace heddle::sim
