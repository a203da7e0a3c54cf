// SPDX-License-Identifier: BSD-3-Clause
// Two subnet managers' connection in virtual time, as app/partner.hpp makes one: what the one
// writes the other is told some time later, and a promise waits for that; it is cut, and mended.
// Who is master itself takes nothing, and hears once of each later master on the other side.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <utility>

#include "tests/support/box.hpp"

namespace heddle::test {

class Wire {
 public:
  static constexpr auto kSilence = std::chrono::milliseconds(250);
  static constexpr auto kPatience = std::chrono::milliseconds(500);

  Wire(Box& box, Seat& from, Seat& to, base::Duration delay)
      : box_(box), from_(from), to_(to), delay_(delay) {
    connect();
  }
  ~Wire() { from_.shelf().on_written = nullptr; }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool connected() const { return connected_; }
  // What is under way is lost; the master's promises wait for it in vain for a while.
  void cut() {
    if (!std::exchange(connected_, false)) return;
    under_way_.clear();
    silent_ = box_.now() + kSilence;
    from_.shelf().ack_delay = {};
    from_.shelf().ack_not_before = box_.now() + kPatience;
  }
  // The master tells all anew.
  void mend() {
    if (connected_) return;
    connect();
    tell_all();
  }
  // Time passes, for the fabric as well.
  void run_for(base::Duration time) {
    for (const auto end = box_.now() + time; box_.now() < end;) {
      box_.run_for(std::chrono::milliseconds(1));
      pass();
    }
  }
  // What is due now, where somebody else lets the fabric's time pass.
  void pass() {
    while (!under_way_.empty() && under_way_.front().when <= box_.now()) {
      sm::Shared shared = std::move(under_way_.front().shared);
      under_way_.pop_front();
      if (is_master(to_)) missed_ = true;
      if (!missed_) to_.input(std::move(shared));
    }
    if (connected_ && !from_.alive()) cut();
    compare_offices();
    if (box_.now() < silent_) return;
    silent_ = base::kNever;
    to_.input(sm::PeerSilent{});
  }
  // For how many milliseconds both were master.
  std::uint64_t rivalry() const { return rivalry_; }

 private:
  static bool is_master(const Seat& seat) {
    return seat.alive() && seat.core().state() == mad::SMState::Master;
  }
  static std::uint64_t epoch_of(Seat& seat) {
    const auto office = seat.shelf().facts().find("office");
    if (office == seat.shelf().facts().end()) return 0;
    return std::stoull(office->second.substr(office->second.rfind(' ')));
  }
  void tell_all() {
    missed_ = false;
    if (const auto epoch = epoch_of(from_)) send({epoch, true, from_.shelf().records()});
  }
  void compare_offices() {
    if (is_master(from_) && is_master(to_)) {
      ++rivalry_;
      const auto epoch = epoch_of(from_);
      if (!connected_ || epoch <= epoch_of(to_) || std::exchange(warned_of_, epoch) == epoch) {
        return;
      }
      to_.input(sm::Shared{epoch, true, {}});
    } else if (connected_ && missed_ && is_master(from_)) {
      tell_all();
    }
  }
  struct UnderWay {
    base::Instant when{};
    sm::Shared shared;
  };
  void connect() {
    connected_ = true;
    silent_ = base::kNever;
    from_.shelf().ack_delay = 2 * delay_;
    from_.shelf().on_written = [this](const sm::Store& store) {
      if (connected_) send({store.epoch, store.whole, store.records});
    };
  }
  void send(sm::Shared shared) { under_way_.push_back({box_.now() + delay_, std::move(shared)}); }

  Box& box_;
  Seat& from_;
  Seat& to_;
  base::Duration delay_;
  bool connected_ = false;
  bool missed_ = false;  // it took something for nothing, and must be told all anew
  std::uint64_t warned_of_ = 0;
  std::uint64_t rivalry_ = 0;
  base::Instant silent_ = base::kNever;
  std::deque<UnderWay> under_way_;
};

}  // namespace heddle::test
