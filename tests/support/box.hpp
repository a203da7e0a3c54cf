// SPDX-License-Identifier: BSD-3-Clause
// A simulated fabric and the subnet managers on it in one box, in virtual time.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "sim/world.hpp"
#include "tests/support/seat.hpp"

namespace heddle::test {

struct BoxOptions {
  sm::Options sm;
  sim::WorldOptions world;
  std::vector<sm::RememberedLids> remembered;
  std::string at;  // node the SM sits on; empty: the world's default
  std::uint8_t port = 0;
  std::optional<transport::MishapOptions> mishaps;
  std::function<void(mad::Datagram&)> on_way_out;
  std::function<void(mad::Datagram&)> on_way_in;
  RouteMaker routes;
  base::Duration routing_takes{0};
  std::function<void(bool)> on_work;
};

class Box {
 public:
  // `fabric` as on the command line; a mistake in it fails the test by an exception.
  explicit Box(std::string_view fabric, BoxOptions options = {});
  Box(sim::Blueprint blueprint, BoxOptions options);

  // Until every machine rests, or `limit` of virtual time has passed: true when they rest.
  bool run_until_quiet(base::Duration limit = std::chrono::seconds(60));
  // Lets virtual time pass, light sweeps included.
  void run_for(base::Duration time);

  // No machine runs for so long, while the fabric goes on: what is overdue then is so at once, and
  // what has arrived meanwhile comes after it.
  void stall(base::Duration time);

  sim::World& world() { return world_; }
  base::Instant now() const { return now_; }

  // Another SM, on another endpoint of the same fabric.
  Seat& add_seat(std::string_view node, SeatOptions options, std::uint8_t port = 0);
  // The first SM, and what it did.
  Seat& seat() { return seats_.front(); }
  sm::Core& core() { return seat().core(); }
  sim::EndpointId endpoint() const { return seats_.front().endpoint(); }
  const sm::Snapshot& snapshot() const { return seats_.front().snapshot(); }
  bool published() const { return seats_.front().published(); }
  const std::vector<sm::Event>& events() const { return seats_.front().events(); }
  const std::vector<sm::RememberedLids>& stored() const { return seats_.front().stored(); }
  template <class EventType>
  std::size_t count() const {
    return seats_.front().count<EventType>();
  }
  template <class EventType>
  const EventType* last() const {
    return seats_.front().last<EventType>();
  }
  void forget_events() { seat().forget_events(); }
  void set_listener(Seat::Listener listener) { seat().set_listener(std::move(listener)); }
  void restart(std::vector<sm::RememberedLids> remembered, std::string registrations = {}) {
    seat().restart(std::move(remembered), std::move(registrations));
  }
  void input(sm::Input input) { seat().input(std::move(input)); }

  // An endpoint without an SM, whose arrivals are kept for the test.
  std::vector<mad::Datagram> take_arrivals(sim::EndpointId at);

 private:
  void step_once(base::Instant limit);
  void deliver(sim::Delivery delivery);
  bool quiet() const;

  sim::World world_;
  base::Instant now_{std::chrono::seconds(1)};
  std::deque<Seat> seats_;
  std::vector<sim::Delivery> others_;
};

}  // namespace heddle::test
