// SPDX-License-Identifier: BSD-3-Clause
#include "doors/fabric_host.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/check.hpp"

namespace heddle::doors {

FabricHost::FabricHost(boost::asio::io_context& loop, sim::World world)
    : loop_(loop),
      timer_(loop),
      start_(std::chrono::steady_clock::now()),
      world_(std::move(world)) {
  wake();
}

FabricHost::~FabricHost() {
  *alive_ = false;
}

FabricHost::Seat* FabricHost::find(sim::EndpointId port, const Guest* guest) {
  const auto seats = seats_.find(port);
  if (seats == seats_.end()) return nullptr;
  for (Seat& seat : seats->second) {
    if (seat.guest == guest) return &seat;
  }
  return nullptr;
}

void FabricHost::attach(sim::EndpointId port, Guest& guest) {
  HEDDLE_CHECK(find(port, &guest) == nullptr);
  seats_[port].push_back({&guest, false});
}

void FabricHost::detach(sim::EndpointId port, Guest& guest) {
  const auto seats = seats_.find(port);
  if (seats == seats_.end()) return;
  std::erase_if(seats->second, [&guest](const Seat& seat) { return seat.guest == &guest; });
  if (seats->second.empty()) seats_.erase(seats);
  tell_is_sm(port);
}

std::size_t FabricHost::guest_count(sim::EndpointId port) const {
  const auto seats = seats_.find(port);
  return seats == seats_.end() ? 0 : seats->second.size();
}

void FabricHost::set_is_sm(sim::EndpointId port, Guest& guest, bool is_sm) {
  Seat* seat = find(port, &guest);
  HEDDLE_CHECK(seat != nullptr);
  seat->is_sm = is_sm;
  tell_is_sm(port);
}

void FabricHost::tell_is_sm(sim::EndpointId port) {
  const auto seats = seats_.find(port);
  const bool any =
      seats != seats_.end() && std::any_of(seats->second.begin(), seats->second.end(),
                                           [](const Seat& seat) { return seat.is_sm; });
  world_.set_is_sm(port, any);
  wake();
}

bool FabricHost::send(sim::EndpointId port, mad::Datagram datagram) {
  const std::uint64_t discarded = world_.counters().discarded;
  world_.send(port, std::move(datagram), now());
  wake();
  return world_.counters().discarded == discarded;
}

void FabricHost::send_together(const std::function<void()>& sends) {
  const bool woken = std::exchange(woken_, true);
  moment_ = now();
  sends();
  moment_.reset();
  woken_ = woken;
  run();
}

base::Instant FabricHost::now() const {
  if (moment_) return *moment_;
  return base::Instant(
      std::chrono::duration_cast<base::Duration>(std::chrono::steady_clock::now() - start_));
}

void FabricHost::change(const std::function<void(sim::World&)>& what) {
  world_.advance(now());
  what(world_);
  wake();
}

void FabricHost::wake() {
  if (std::exchange(woken_, true)) return;
  boost::asio::post(loop_, [this, alive = alive_] {
    if (!*alive) return;
    woken_ = false;
    run();
  });
}

void FabricHost::run() {
  world_.advance(now());
  for (const sim::Delivery& delivery : world_.take_deliveries()) deliver(delivery);
  // What the guests answered waits for the next turn, so that the loop's other work has its own.
  if (!woken_) set_timer();
}

// A guest may attach or detach guests, itself included, so each is looked up anew.
void FabricHost::deliver(const sim::Delivery& delivery) {
  const auto seats = seats_.find(delivery.to);
  if (seats == seats_.end()) return;
  if (seats->second.size() == 1) {
    seats->second.front().guest->receive(delivery.datagram);
    return;
  }
  const std::vector<Seat> present = seats->second;
  for (const Seat& seat : present) {
    if (find(delivery.to, seat.guest) != nullptr) seat.guest->receive(delivery.datagram);
  }
}

void FabricHost::set_timer() {
  const base::Instant next = world_.next_event();
  // Traffic passes here with each batch, and hardly ever is anything new to wait for.
  if (next == timer_set_) return;
  timer_set_ = next;
  if (next == base::kNever) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                 next.time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    timer_set_ = base::kNever;
    if (!woken_) run();
  });
}

}  // namespace heddle::doors
