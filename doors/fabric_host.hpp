// SPDX-License-Identifier: BSD-3-Clause
// A simulated fabric that lives on an Asio loop, in real time unless told otherwise, with guests on
// its ports: the doors (sockets, devices) through which programs of others come in. Everything here
// runs on the loop's thread, and nothing in it blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "sim/agenda.hpp"
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

// Hears of everything that comes into the world from outside, in its order and before it acts.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void sent(base::Instant when, sim::EndpointId port, const mad::Datagram& datagram) = 0;
  virtual void is_sm(base::Instant when, sim::EndpointId port, bool is_sm) = 0;
  virtual void verb(base::Instant when, std::string_view line) = 0;
};

// How the world's time goes beside that on the wall. Programs of others have the wall's time, and
// so have their time limits.
struct Pace {
  double factor = 1;   // so many seconds of the world in one on the wall, kLeast up to kMost
  bool leaps = false;  // over all time in which nothing happens, when the guests have been silent
  static constexpr double kLeast = 0.001;
  static constexpr double kMost = 1000;
};
// "real", "virtual" (leaps) or a factor ("10x", "0.1x").
std::optional<Pace> parse_pace(std::string_view text);
std::string text_of(const Pace& pace);

class FabricHost {
 public:
  // So long nobody sends before time leaps: programs get their chance to answer.
  static constexpr base::Duration kSilence = std::chrono::milliseconds(5);

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

  // While it lives, time stands still: for several steps that shall be one moment.
  class Held {
   public:
    explicit Held(FabricHost& host) : host_(host), owns_(!host.moment_) {
      if (owns_) host.moment_ = host.now();
    }
    ~Held() {
      if (owns_) host_.moment_.reset();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    FabricHost& host_;
    bool owns_;
  };

  // Whether an SM sits on this port is the affair of all its guests: one that says so is enough.
  void set_is_sm(sim::EndpointId port, Guest& guest, bool is_sm);

  // Time on the wall: 0 when the host was made.
  base::Instant now() const;
  // Time of the world, from 0 too.
  base::Instant world_now() const;
  void set_pace(const Pace& pace);
  const Pace& pace() const { return pace_; }
  // Calls from the loop, once, when the world's time has come to this.
  void at(base::Instant when, std::function<void()> what);

  // Null for none; must outlive the host or the loop that runs it.
  void set_recorder(Recorder* recorder) { recorder_ = recorder; }
  // The verb that changes the world next.
  void note_verb(std::string_view line);
  // For playing a recording, with a pace of factor 0: time stands still but for this.
  void go_to(base::Instant when);

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
  void refuse(const sim::Delivery& delivery);
  void run_tasks();
  base::Instant next_event() const;
  void set_timer();
  void on_timer();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point start_;
  sim::World world_;
  std::map<sim::EndpointId, std::vector<Seat>> seats_;
  bool woken_ = false;
  std::optional<base::Instant> moment_;     // of a Held
  base::Instant timer_set_ = base::kNever;  // what timer_ waits for, in the world's time
  Pace pace_;
  base::Instant wall_then_{};   // at this time on the wall
  base::Instant world_then_{};  // the world had this one
  base::Instant last_sent_{};   // on the wall
  sim::Agenda tasks_;
  Recorder* recorder_ = nullptr;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted to the loop
};

}  // namespace heddle::doors
