// SPDX-License-Identifier: BSD-3-Clause
// A simulated fabric that lives in real time on an Asio loop, with guests on its ports: the doors
// (sockets, devices) through which programs of others come in. Everything here runs on the loop's
// thread, and nothing in it blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "sim/world.hpp"

namespace heddle::doors {

// Management software on one port: a CA's or router's port, or port 0 of a switch.
class Guest {
 public:
  virtual ~Guest() = default;
  // A MAD that the port's own device did not answer: answers to what was sent from this port, and
  // what others ask of its software. Every guest of the port gets the same MAD and takes what is
  // its own by transaction id, class and method. May send, attach and detach.
  virtual void receive(const mad::Datagram& datagram) = 0;
};

class FabricHost {
 public:
  FabricHost(boost::asio::io_context& loop, sim::World world);
  ~FabricHost();
  FabricHost(const FabricHost&) = delete;
  FabricHost& operator=(const FabricHost&) = delete;

  // The guest must be detached before it dies; detaching also takes back its IsSM.
  void attach(sim::EndpointId port, Guest& guest);
  void detach(sim::EndpointId port, Guest& guest);
  std::size_t guest_count(sim::EndpointId port) const;

  // A MAD leaves the port's QP0 or QP1 (datagram.peer.qpn). What comes of it arrives later, never
  // from inside this call. False: a device discarded it already, because it has no way to where it
  // should go.
  bool send(sim::EndpointId port, mad::Datagram datagram);

  // For a guest with a batch to send, all of it at one moment: what comes of it arrives before this
  // returns, as far as it is due, and not at the loop's next turn. Not from inside receive().
  void send_together(const std::function<void()>& sends);

  // Whether an SM sits on this port is the affair of all its guests: one that says so is enough.
  void set_is_sm(sim::EndpointId port, Guest& guest, bool is_sm);

  // Time of the world: 0 when the host was made, then as on the wall.
  base::Instant now() const;

  // For looking at registers.
  const sim::World& world() const { return world_; }
  // Faults and whatever else changes the world from outside: runs it now, then lets the world go
  // on.
  void change(const std::function<void(sim::World&)>& what);

 private:
  struct Seat {
    Guest* guest = nullptr;
    bool is_sm = false;
  };
  Seat* find(sim::EndpointId port, const Guest* guest);
  void tell_is_sm(sim::EndpointId port);
  void wake();  // run() soon, from the loop
  void run();   // everything that is due, then the timer for what comes next
  void deliver(const sim::Delivery& delivery);
  void set_timer();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point start_;
  sim::World world_;
  std::map<sim::EndpointId, std::vector<Seat>> seats_;
  bool woken_ = false;
  std::optional<base::Instant> moment_;                         // of send_together()
  base::Instant timer_set_ = base::kNever;                      // what timer_ waits for
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted to the loop
};

}  // namespace heddle::doors
