// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/stage.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "sim/devices.hpp"

namespace heddle::test {

PerfStage::PerfStage(std::string_view fabric, perf::Options options)
    : world(sim::make_world(fabric)),
      manager(world, *world.default_endpoint()),
      machine(std::move(options)) {
  manager.bring_up();
  now = manager.probe.now;
}

std::shared_ptr<const perf::Picture> PerfStage::picture(bool with_hosts) const {
  constexpr std::uint64_t kEdr = 100'000'000'000;
  auto out = std::make_shared<perf::Picture>();
  const sim::Devices& devices = world.devices();
  for (const auto& [port, lid] : manager.lids) {
    const auto& line = devices.lines[port];
    const bool is_switch = devices.is_switch(line.node);
    if (!is_switch && !with_hosts) continue;
    perf::Agent agent;
    agent.node = devices.plan.nodes[line.node].guid;
    agent.is_switch = is_switch;
    agent.lid = lid;
    const unsigned last = is_switch ? devices.nodes[line.node].port_count : 0u;
    for (unsigned n = is_switch ? 1u : 0u; n <= last; ++n) {
      if (devices.lines[port + n].peer == sim::kNone) continue;
      agent.ports.push_back({mad::PortNumber{devices.lines[port + n].number}, kEdr, coding});
    }
    if (!agent.ports.empty()) out->agents.push_back(std::move(agent));
  }
  std::sort(out->agents.begin(), out->agents.end(), [](const auto& a, const auto& b) {
    return std::pair(a.node, a.ports[0].number) < std::pair(b.node, b.ports[0].number);
  });
  return out;
}

void PerfStage::give(std::shared_ptr<const perf::Picture> picture) {
  step(perf::PictureChanged{std::move(picture)});
}

void PerfStage::change(perf::Options options) {
  step(perf::OptionsChanged{std::move(options)});
}

void PerfStage::step(perf::Input input) {
  machine.step(now, std::move(input));
  for (perf::Output& output : machine.take_outputs()) {
    if (auto* mad = std::get_if<perf::SendMad>(&output)) {
      sent.push_back({now, *perf::from_datagram(mad->datagram), mad->datagram.peer.lid});
      world.send(manager.probe.at, std::move(mad->datagram), now);
    } else {
      published.push_back(std::get<perf::Publish>(output).readings);
    }
  }
}

void PerfStage::turn() {
  world.advance(now);
  for (sim::Delivery& delivery : world.take_deliveries()) {
    auto mad = perf::from_datagram(delivery.datagram);
    if (!mad) continue;
    if (on_answer && !on_answer(*mad)) continue;
    auto changed = perf::to_datagram(*mad, delivery.datagram.peer.lid, {});
    step(perf::MadReceived{std::move(changed)});
  }
  step(perf::Tick{});
}

void PerfStage::run_sweeps(unsigned count) {
  const std::size_t wanted = published.size() + count;
  const base::Instant end = now + std::chrono::hours(1);
  while (published.size() < wanted && now < end) {
    turn();
    if (published.size() == wanted) break;
    const base::Instant next = std::min(world.next_event(), machine.deadline());
    ASSERT_NE(next, base::kNever);
    now = std::max(now, next);
  }
  ASSERT_EQ(published.size(), wanted);
}

void PerfStage::run_for(base::Duration time) {
  const base::Instant end = now + time;
  while (now < end) {
    turn();
    now = std::max(now, std::min({world.next_event(), machine.deadline(), end}));
  }
}

const perf::PortReading& PerfStage::port(std::string_view name, std::uint8_t number) const {
  const auto* found =
      readings().find(world.devices().plan.nodes[node(name)].guid, mad::PortNumber{number});
  static const perf::PortReading kNone{};
  EXPECT_NE(found, nullptr) << name << "/" << unsigned{number};
  return found == nullptr ? kNone : *found;
}

void PerfStage::inject(std::string_view name, std::uint8_t port, std::string_view counter,
                       std::uint64_t amount) {
  const auto done = world.inject(node(name), port, counter, amount);
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
}

void PerfStage::set_counter(std::string_view name, std::uint8_t port, std::string_view counter,
                            std::uint64_t value) {
  const auto done = world.set_counter(node(name), port, counter, value);
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
}

}  // namespace heddle::test
