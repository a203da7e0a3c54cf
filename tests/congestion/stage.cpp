// SPDX-License-Identifier: BSD-3-Clause
#include "tests/congestion/stage.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "sim/devices.hpp"

namespace heddle::test {

CongestionStage::CongestionStage(std::string_view fabric, congestion::Options options)
    : world(sim::make_world(fabric)),
      manager(world, *world.default_endpoint()),
      machine(std::move(options)) {
  manager.bring_up();
  now = manager.probe.now;
}

std::shared_ptr<const congestion::Picture> CongestionStage::picture() const {
  auto out = std::make_shared<congestion::Picture>();
  const sim::Devices& devices = world.devices();
  for (const auto& [port, lid] : manager.lids) {
    const auto& line = devices.lines[port];
    congestion::Agent agent;
    agent.node = devices.plan.nodes[line.node].guid;
    agent.port = mad::PortNumber{line.number};
    agent.is_switch = devices.is_switch(line.node);
    agent.lid = lid;
    if (agent.is_switch) agent.port_count = devices.nodes[line.node].port_count;
    for (unsigned n = 1; n <= agent.port_count; ++n) {
      const auto peer = devices.lines[port + n].peer;
      if (peer == sim::kNone) continue;
      (devices.is_switch(devices.lines[peer].node) ? agent.to_switches : agent.to_hosts).set(n);
    }
    out->agents.push_back(agent);
  }
  std::sort(out->agents.begin(), out->agents.end(), [](const auto& a, const auto& b) {
    return std::pair(a.node, a.port) < std::pair(b.node, b.port);
  });
  return out;
}

void CongestionStage::give(std::shared_ptr<const congestion::Picture> picture) {
  step(congestion::PictureChanged{std::move(picture)});
}

void CongestionStage::change(congestion::Options options) {
  step(congestion::OptionsChanged{std::move(options)});
}

void CongestionStage::tell_of_return(std::string_view name) {
  step(congestion::NodeReturned{guid(name)});
}

void CongestionStage::step(congestion::Input input) {
  machine.step(now, std::move(input));
  for (congestion::Output& output : machine.take_outputs()) {
    if (auto* mad = std::get_if<congestion::SendMad>(&output)) {
      most_in_flight = std::max(most_in_flight, ++in_flight_);
      sent.push_back({now, *congestion::from_datagram(mad->datagram), mad->datagram.peer.lid});
      world.send(manager.probe.at, std::move(mad->datagram), now);
    } else {
      published.push_back(std::get<congestion::Publish>(output).report);
    }
  }
}

void CongestionStage::turn() {
  world.advance(now);
  for (sim::Delivery& delivery : world.take_deliveries()) {
    auto mad = congestion::from_datagram(delivery.datagram);
    if (!mad || (mad->header.transaction_id.value & kForeign) != 0) continue;
    --in_flight_;
    if (on_answer) {
      if (!on_answer(delivery.datagram, *mad)) continue;
      delivery.datagram = congestion::to_datagram(*mad, delivery.datagram.peer.lid, {});
    }
    step(congestion::MadReceived{std::move(delivery.datagram)});
  }
  step(congestion::Tick{});
}

void CongestionStage::run_checks(unsigned count) {
  const auto done = [this] { return published.empty() ? 0 : published.back()->checks; };
  const std::uint64_t wanted = done() + count;
  const base::Instant end = now + std::chrono::hours(1);
  while (done() < wanted && now < end) {
    turn();
    if (done() == wanted) break;
    const base::Instant next = std::min(world.next_event(), machine.deadline());
    ASSERT_NE(next, base::kNever);
    now = std::max(now, next);
  }
  ASSERT_EQ(done(), wanted);
}

void CongestionStage::run_for(base::Duration time) {
  const base::Instant end = now + time;
  while (now < end) {
    turn();
    now = std::max(now, std::min({world.next_event(), machine.deadline(), end}));
  }
  turn();
}

const congestion::AgentReport& CongestionStage::agent(std::string_view name) const {
  const auto& agents = report().agents;
  const auto found = std::find_if(agents.begin(), agents.end(),
                                  [&](const auto& each) { return each.node == guid(name); });
  static const congestion::AgentReport kNone{};
  EXPECT_NE(found, agents.end()) << name;
  return found == agents.end() ? kNone : *found;
}

sim::PortIndex CongestionStage::port_of(std::string_view name) const {
  const sim::Devices& devices = world.devices();
  for (const auto& [port, lid] : manager.lids) {
    if (devices.lines[port].node == node(name)) return port;
  }
  ADD_FAILURE() << name;
  return 0;
}

congestion::Data CongestionStage::bytes(std::string_view name, mad::CongestionAttributeId attribute,
                                        std::uint32_t block) const {
  const auto& all = world.devices().congestion;
  const auto registers = all.find(port_of(name));
  if (registers == all.end()) return {};
  const auto found =
      registers->second.settings.find({static_cast<std::uint16_t>(attribute), block});
  return found == registers->second.settings.end() ? congestion::Data{} : found->second;
}

mad::CongestionKeyInfo CongestionStage::key_of(std::string_view name) const {
  const auto& all = world.devices().congestion;
  const auto registers = all.find(port_of(name));
  return registers == all.end() ? mad::CongestionKeyInfo{} : registers->second.key;
}

void CongestionStage::deliver(std::string_view name, const congestion::CongestionMad& mad) {
  world.send(manager.probe.at, congestion::to_datagram(mad, manager.lids.at(port_of(name)), {}),
             now);
  run_for(std::chrono::milliseconds(10));
}

void CongestionStage::restart_all() {
  const auto count = static_cast<std::uint32_t>(world.devices().nodes.size());
  for (std::uint32_t each = 0; each < count; ++each) world.power_off(each);
  for (std::uint32_t each = 0; each < count; ++each) world.power_on(each);
  manager.probe.now = now;
  manager.bring_up();
  now = std::max(now, manager.probe.now);
}

std::size_t CongestionStage::writes() const {
  return static_cast<std::size_t>(std::count_if(sent.begin(), sent.end(), [](const Sent& each) {
    return each.mad.header.method == mad::Method::Set;
  }));
}

}  // namespace heddle::test
