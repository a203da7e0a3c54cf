// SPDX-License-Identifier: BSD-3-Clause
// A subnet manager and a simulated fabric in one box, in virtual time: what the daemon does with
// threads and sockets, done by hand and step by step. Between the two sits the transport that has
// the kernel's habits.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "sim/world.hpp"
#include "sm/core.hpp"
#include "transport/kernel_habits.hpp"

namespace heddle::test {

struct BoxOptions {
  sm::Options sm;
  sim::WorldOptions world;
  std::vector<sm::RememberedLids> remembered;
  std::string at;  // node the SM sits on; empty: the world's default
  std::uint8_t port = 0;
};

class Box {
 public:
  // `fabric` as on the command line; a mistake in it fails the test by an exception.
  explicit Box(std::string_view fabric, BoxOptions options = {});
  Box(sim::Blueprint blueprint, BoxOptions options);
  Box(const Box&) = delete;  // the transport refers to the world beside it
  Box& operator=(const Box&) = delete;

  // Until the machine rests, or `limit` of virtual time has passed: true when it rests.
  bool run_until_quiet(base::Duration limit = std::chrono::seconds(60));
  // Lets virtual time pass, light sweeps included.
  void run_for(base::Duration time);

  sim::World& world() { return world_; }
  sm::Core& core() { return core_; }
  base::Instant now() const { return now_; }
  sim::EndpointId endpoint() const { return endpoint_; }
  const sm::Snapshot& snapshot() const { return *snapshot_; }
  bool published() const { return snapshot_ != nullptr; }
  const std::vector<sm::Event>& events() const { return events_; }
  const std::vector<sm::RememberedLids>& stored() const { return stored_; }

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
  void forget_events() { events_.clear(); }
  // Hears each event at the moment it is said.
  using Listener = std::function<void(const sm::Event&)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  // Puts a new machine in place of the old one, as after a restart with or without memory.
  void restart(std::vector<sm::RememberedLids> remembered);
  // Gives an input to the machine now.
  void input(sm::Input input);

 private:
  void receive(std::span<transport::Received> batch);
  void perform();
  void step_once(base::Instant limit);

  sm::Options options_;
  sim::World world_;
  sim::EndpointId endpoint_;
  transport::KernelHabits transport_;
  sm::Core core_;
  base::Instant now_{std::chrono::seconds(1)};
  std::shared_ptr<const sm::Snapshot> snapshot_;
  std::vector<sm::Event> events_;
  Listener listener_;
  std::vector<sm::RememberedLids> stored_;
};

}  // namespace heddle::test
