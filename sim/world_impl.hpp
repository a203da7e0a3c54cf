// SPDX-License-Identifier: BSD-3-Clause
// Inside the world: the queue of flights and what becomes of them.
#pragma once

#include <deque>
#include <map>
#include <queue>
#include <vector>

#include "base/prng.hpp"
#include "sim/agenda.hpp"
#include "sim/devices.hpp"
#include "sim/forwarding.hpp"
#include "sim/world.hpp"

namespace heddle::sim {

// A MAD that has passed its links and is about to be handled where it arrived.
struct Flight {
  base::Instant due{};
  std::uint64_t order = 0;
  bool to_software = false;  // else to the device's agent
  bool is_smp = true;
  Passage passage;
  mad::Smp smp;
  mad::Datagram packet;  // when it is not an SMP
};

// What is due later; earlier first, and in the order of sending where times are equal.
struct Later {
  base::Instant due{};
  std::uint64_t order = 0;
  std::uint32_t slot = 0;
  bool operator<(const Later& other) const {
    return due != other.due ? due > other.due : order > other.order;
  }
};

struct World::Impl {
  Impl(Blueprint blueprint, WorldOptions wanted);

  void send(EndpointId from, mad::Datagram datagram, base::Instant at);
  void advance(base::Instant until);
  base::Instant next_event() const;

  // What devices left to be done: traps for what changed in them, links that began to train. After
  // each step, and after each change from outside.
  void follow_up();
  void flap(CableIndex cable, base::Duration down, base::Duration up, unsigned times);
  void power_on(NodeIndex node);
  void storm(NodeIndex node, base::Duration interval, unsigned count);
  void schedule_sample(PortIndex port);
  void send_notice(PortIndex from, const mad::Notice& notice);
  void send_class_trap(PortIndex from, const mad::Datagram& trap);

  Devices devices;
  WorldOptions options;
  base::Prng prng;
  base::Instant now{};
  WorldCounters counters;
  Watcher watcher;
  std::vector<Delivery> deliveries;
  Agenda agenda;

 private:
  std::uint32_t take_slot();
  std::uint32_t take_due(base::Instant until);
  void arrive(std::uint32_t slot);
  void schedule(std::uint32_t slot, base::Duration delay);
  void run(std::uint32_t slot);

  void send_smp(EndpointId from, const mad::Smp& smp, mad::Lid dlid);
  void send_packet(EndpointId from, mad::Datagram datagram);
  void launch_packet(std::uint32_t slot);
  void answer_packet(std::uint32_t slot);
  bool admit(Flight& flight);
  bool turn_global_route(Flight& flight, PortIndex from);
  // Carries the flight's SMP on from where it is and schedules its arrival.
  void launch(std::uint32_t slot);
  bool wants_software(const Flight& flight) const;
  void answer(std::uint32_t slot);
  void turn_round(Flight& flight);
  void damage(mad::Smp& smp);
  void deliver(Flight& flight);
  bool device_has_trap(mad::TransactionId id) const { return unrepressed_.contains(id.value); }
  void repeat(std::uint64_t trap);
  bool account(Fate fate, const Flight& flight);
  void report(Sighting::What what, PortIndex port, const mad::Smp* smp) const;

  base::Duration travel(const Passage& passage) const {
    return options.hop_delay * static_cast<std::int64_t>(passage.hops) + passage.delay;
  }
  // When what was sent there now is dealt with.
  base::Duration until_done(const Flight& flight);
  // What the agent where the flight arrived takes, nothing for software.
  base::Duration thought(const Flight& flight) const {
    if (flight.to_software) return base::Duration::zero();
    const NodeIndex node = devices.lines[flight.passage.at].node;
    return options.agent_delay + devices.nodes[node].misbehaviour.delay;
  }

  std::deque<Flight> flights_;  // slots; addresses stay
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> at_once_;  // due when they were scheduled: no heap for zero delay
  std::priority_queue<Later> later_;
  std::uint64_t order_ = 0;
  std::uint64_t trap_count_ = 0;
  // Traps that are repeated until somebody represses them, by transaction id.
  struct Unrepressed {
    PortIndex from = 0;
    unsigned left = 0;
    mad::Smp smp;
  };
  std::map<std::uint64_t, Unrepressed> unrepressed_;
};

}  // namespace heddle::sim
