// SPDX-License-Identifier: BSD-3-Clause
#include "doors/fabric_host.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "base/check.hpp"
#include "doors/refusal.hpp"
#include "sim/devices.hpp"

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
  const Held held(*this);
  world_.advance(world_now());
  if (recorder_ != nullptr) recorder_->is_sm(world_now(), port, any);
  world_.set_is_sm(port, any);
  wake();
}

bool FabricHost::send(sim::EndpointId port, mad::Datagram datagram) {
  last_sent_ = now();
  const base::Instant when = world_now();
  // First what is due before, so that a run does not depend on when the loop had its turns.
  world_.advance(when);
  if (recorder_ != nullptr) recorder_->sent(when, port, datagram);
  const std::uint64_t discarded = world_.counters().discarded;
  world_.send(port, std::move(datagram), when);
  wake();
  return world_.counters().discarded == discarded;
}

void FabricHost::send_together(const std::function<void()>& sends) {
  const bool woken = std::exchange(woken_, true);
  {
    const Held held(*this);
    sends();
  }
  woken_ = woken;
  run();
}

base::Instant FabricHost::now() const {
  if (moment_) return *moment_;
  return base::Instant(
      std::chrono::duration_cast<base::Duration>(std::chrono::steady_clock::now() - start_));
}

base::Instant FabricHost::world_now() const {
  const auto spent = static_cast<double>((now() - wall_then_).count()) * pace_.factor;
  return world_then_ + base::Duration(static_cast<base::Duration::rep>(spent));
}

void FabricHost::set_pace(const Pace& pace) {
  world_then_ = world_now();
  wall_then_ = now();
  pace_ = pace;
  timer_set_ = base::kNever;
  wake();
}

void FabricHost::note_verb(std::string_view line) {
  world_.advance(world_now());
  if (recorder_ != nullptr) recorder_->verb(world_now(), line);
}

void FabricHost::go_to(base::Instant when) {
  HEDDLE_CHECK(pace_.factor == 0);
  world_then_ = std::max(world_then_, when);
  world_.advance(world_then_);
  for (const sim::Delivery& delivery : world_.take_deliveries()) deliver(delivery);
}

void FabricHost::at(base::Instant when, std::function<void()> what) {
  tasks_.add(when, std::move(what));
  wake();
}

void FabricHost::change(const std::function<void(sim::World&)>& what) {
  world_.advance(world_now());
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
  run_tasks();
  world_.advance(world_now());
  for (const sim::Delivery& delivery : world_.take_deliveries()) deliver(delivery);
  // What the guests answered waits for the next turn, so that the loop's other work has its own.
  if (!woken_) set_timer();
}

// A guest may attach or detach guests, itself included, so each is looked up anew.
void FabricHost::deliver(const sim::Delivery& delivery) {
  const auto seats = seats_.find(delivery.to);
  if (seats == seats_.end()) return refuse(delivery);
  if (seats->second.size() == 1) {
    seats->second.front().guest->receive(delivery.datagram);
    return;
  }
  const std::vector<Seat> present = seats->second;
  for (const Seat& seat : present) {
    if (find(delivery.to, seat.guest) != nullptr) seat.guest->receive(delivery.datagram);
  }
}

// Nobody's programs run on this node: its system says so, as Linux does. In a recording that is
// played its answer is there already, among what came from outside.
void FabricHost::refuse(const sim::Delivery& delivery) {
  const auto& devices = world_.devices();
  const bool is_frozen = devices.nodes[devices.lines[delivery.to].node].misbehaviour.silent;
  if (pace_.factor == 0 || is_frozen) return;
  if (auto refusal = refusal_of(delivery.datagram)) send(delivery.to, std::move(*refusal));
}

// A task sees the world as it was at its time, however late it is.
void FabricHost::run_tasks() {
  constexpr int kMostInARow = 256;
  for (int i = 0; i < kMostInARow && tasks_.next() <= world_now(); ++i) {
    world_.advance(tasks_.next());
    tasks_.take()();
  }
}

base::Instant FabricHost::next_event() const {
  return std::min(world_.next_event(), tasks_.next());
}

void FabricHost::set_timer() {
  const base::Instant next = next_event();
  // Traffic passes here with each batch, and hardly ever is anything new to wait for.
  if (next == timer_set_) return;
  timer_set_ = next;
  if (next == base::kNever) {
    timer_.cancel();
    return;
  }
  const auto ahead = static_cast<double>((next - world_then_).count()) / pace_.factor;
  base::Instant wall = wall_then_ + base::Duration(static_cast<base::Duration::rep>(ahead));
  if (pace_.leaps) wall = std::min(wall, std::max(last_sent_ + kSilence, now()));
  timer_.expires_at(start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                 wall.time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) on_timer();
  });
}

void FabricHost::on_timer() {
  timer_set_ = base::kNever;
  if (woken_) return;
  const base::Duration ahead = next_event() - world_now();
  const bool silent = now() - last_sent_ >= kSilence;
  if (pace_.leaps && silent && ahead > base::Duration::zero()) world_then_ += ahead;
  run();
}

std::optional<Pace> parse_pace(std::string_view text) {
  if (text == "real") return Pace{};
  if (text == "virtual") return Pace{1, true};
  if (!text.ends_with('x')) return std::nullopt;
  text.remove_suffix(1);
  if (text.empty() || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  const double factor = std::strtod(std::string(text).c_str(), nullptr);
  if (!(factor >= Pace::kLeast && factor <= Pace::kMost)) return std::nullopt;
  return Pace{factor, false};
}

std::string text_of(const Pace& pace) {
  if (pace.leaps) return "virtual";
  return pace.factor == 1 ? "real" : fmt::format("{}x", pace.factor);
}

}  // namespace heddle::doors
