// SPDX-License-Identifier: BSD-3-Clause
// A subnet manager on an endpoint of a simulated fabric: what the daemon does with threads and
// sockets, done by hand. Between the two sit the transport that has the kernel's habits and, on
// the medium's side of it, whatever befalls the MADs.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "sim/world.hpp"
#include "sm/core.hpp"
#include "tests/support/shelf.hpp"
#include "transport/faulty.hpp"
#include "transport/kernel_habits.hpp"

namespace heddle::test {

using RouteMaker =
    std::function<base::Result<std::shared_ptr<const routing::Selected>>(const sm::ComputeRoutes&)>;

struct SeatOptions {
  sm::Options sm;
  std::vector<sm::RememberedLids> remembered;
  std::optional<transport::MishapOptions> mishaps;  // between the transport and the world
  // See, and may change, what leaves the machine and what arrives.
  std::function<void(mad::Datagram&)> on_way_out;
  std::function<void(mad::Datagram&)> on_way_in;
  // In place of routing::select_near_home.
  RouteMaker routes;
  // Until routes that were asked for are there. 0: they are at once.
  base::Duration routing_takes{0};
  // Hears when the machine begins to work (true) and when it has done so, for who measures that.
  std::function<void(bool)> on_work;
};

class Seat {
 public:
  // `world` must outlive this.
  Seat(sim::World& world, sim::EndpointId endpoint, SeatOptions options, base::Instant now);
  Seat(const Seat&) = delete;  // the transport refers to its seat
  Seat& operator=(const Seat&) = delete;

  // A MAD came in from the world.
  void arrive(mad::Datagram datagram);
  // Time passes: what is due is done.
  void tick(base::Instant now);
  base::Instant deadline() const;
  // Gives an input to the machine now.
  void input(sm::Input input);

  // Puts a new machine in place of the old one, as after a restart with or without memory; of one
  // that had died too.
  void restart(std::vector<sm::RememberedLids> remembered, std::string registrations = {});
  // The same with what the shelf holds.
  void restart_from_shelf();
  // Where a durable machine writes to.
  Shelf& shelf() { return shelf_; }
  bool alive() const { return alive_; }
  // Its host's clock jumps ahead, or did always show another time than the world's.
  void set_clock_ahead(base::Duration by) { ahead_ += by; }
  // Its process is stopped, while time goes on; what arrives waits for it. What is overdue when it
  // goes on is so at once, and what has arrived comes after it.
  void freeze() { frozen_ = true; }
  void thaw();
  // The program ends: its port is no SM's any more, and nothing is sent or heard.
  void die();

  sm::Core& core() { return core_; }
  const sm::Core& core() const { return core_; }
  sim::EndpointId endpoint() const { return endpoint_; }
  const sm::Snapshot& snapshot() const { return *snapshot_; }
  bool published() const { return snapshot_ != nullptr; }
  // The multicast groups as they were published last; null before.
  const std::shared_ptr<const sm::GroupList>& groups() const { return groups_; }
  // What became of orders about links, in the same way.
  const std::shared_ptr<const sm::OrderOutcomes>& outcomes() const { return outcomes_; }
  const std::vector<sm::Event>& events() const { return events_; }
  const std::vector<sm::RememberedLids>& stored() const { return stored_; }
  void forget_events() { events_.clear(); }
  // Hears each event at the moment it is said.
  using Listener = std::function<void(const sm::Event&)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  // How many events of this type were said.
  template <class EventType>
  std::size_t count() const {
    std::size_t found = 0;
    for (const auto& event : events_) found += std::holds_alternative<EventType>(event.value);
    return found;
  }
  template <class EventType>
  const EventType* last() const {
    for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
      if (const auto* value = std::get_if<EventType>(&event->value)) return value;
    }
    return nullptr;
  }

 private:
  void send_to_world(mad::Datagram datagram);
  void hand_up(mad::Datagram datagram);
  void receive(std::span<transport::Received> batch);
  void release_delayed();
  void hear_shelf();
  void hear_router();
  void perform();
  void compute(const sm::ComputeRoutes& work);
  void step(sm::Input input);

  sm::Options options_;
  std::function<void(mad::Datagram&)> on_way_out_;
  std::function<void(mad::Datagram&)> on_way_in_;
  RouteMaker routes_;
  base::Duration routing_takes_;
  std::function<void(bool)> on_work_;
  sim::World& world_;
  sim::EndpointId endpoint_;
  std::optional<transport::Mishaps> outward_;
  std::optional<transport::Mishaps> inward_;
  transport::KernelHabits transport_;
  sm::Core core_;
  base::Instant now_;
  base::Duration ahead_{0};  // of now_, for the machine
  bool alive_ = true;
  bool frozen_ = false;
  std::vector<mad::Datagram> waiting_;  // while it is frozen
  // Routes that are being made, and when they are done.
  std::deque<std::pair<base::Instant, sm::RoutesReady>> routing_;
  std::shared_ptr<const sm::Snapshot> snapshot_;
  std::shared_ptr<const sm::GroupList> groups_;
  std::shared_ptr<const sm::OrderOutcomes> outcomes_;
  std::vector<sm::Event> events_;
  Listener listener_;
  std::vector<sm::RememberedLids> stored_;
  Shelf shelf_;
};

}  // namespace heddle::test
