// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/box.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sa/request.hpp"
#include "sm/memory.hpp"

namespace heddle::test {
namespace {

std::optional<transport::Mishaps> mishaps_of(const SeatOptions& options, bool inward) {
  if (!options.mishaps) return std::nullopt;
  transport::MishapOptions chosen = *options.mishaps;
  if (inward) chosen.seed = ~chosen.seed;  // so that the two ways do not suffer in step
  return transport::Mishaps(chosen);
}

sim::Blueprint blueprint_of(std::string_view fabric) {
  auto loaded = sim::load_fabric(fabric);
  if (!loaded) throw std::invalid_argument(loaded.error().message);
  return std::move(*loaded);
}

sim::EndpointId place(const sim::World& world, std::string_view node, std::uint8_t port) {
  const auto endpoint = node.empty() ? world.default_endpoint() : world.find_endpoint(node, port);
  if (!endpoint) throw std::invalid_argument("no such endpoint: " + std::string(node));
  return *endpoint;
}

}  // namespace

// --- Seat ----------------------------------------------------------------------------------------

Seat::Seat(sim::World& world, sim::EndpointId endpoint, SeatOptions options, base::Instant now)
    : options_(options.sm),
      on_way_out_(options.on_way_out),
      on_way_in_(options.on_way_in),
      routes_(options.routes),
      routing_takes_(options.routing_takes),
      on_work_(options.on_work),
      world_(world),
      endpoint_(endpoint),
      outward_(mishaps_of(options, false)),
      inward_(mishaps_of(options, true)),
      transport_(
          {}, [this](mad::Datagram mad) { send_to_world(std::move(mad)); },
          [this](bool is_sm) { world_.set_is_sm(endpoint_, is_sm); }),
      core_(options.sm, std::move(options.remembered)),
      now_(now) {
  transport_.set_receiver([this](std::span<transport::Received> batch) { receive(batch); });
  transport_.advance(now_);
  transport_.set_is_sm(true);
}

void Seat::send_to_world(mad::Datagram datagram) {
  if (!alive_) return;
  if (on_way_out_) on_way_out_(datagram);
  if (!outward_) return world_.send(endpoint_, std::move(datagram), now_);
  for (auto& leaving : outward_->pass(now_, {transport::Arrival::Message, std::move(datagram)})) {
    world_.send(endpoint_, std::move(leaving.datagram), now_);
  }
}

void Seat::arrive(mad::Datagram datagram) {
  if (!inward_) return hand_up(std::move(datagram));
  for (auto& leaving : inward_->pass(now_, {transport::Arrival::Message, std::move(datagram)})) {
    hand_up(std::move(leaving.datagram));
  }
}

void Seat::hand_up(mad::Datagram datagram) {
  if (!alive_) return;
  if (frozen_) return waiting_.push_back(std::move(datagram));
  if (on_way_in_) on_way_in_(datagram);
  transport_.arrive(std::move(datagram));
}

void Seat::receive(std::span<transport::Received> batch) {
  for (auto& received : batch) {
    if (received.arrival == transport::Arrival::Message) {
      input(sm::MadReceived{std::move(received.datagram)});
    } else {
      input(sm::SendFailed{std::move(received.datagram)});
    }
  }
}

void Seat::release_delayed() {
  if (!outward_) return;
  for (auto& due : outward_->take_due(now_)) {
    world_.send(endpoint_, std::move(due.datagram), now_);
  }
  for (auto& due : inward_->take_due(now_)) hand_up(std::move(due.datagram));
}

void Seat::tick(base::Instant now) {
  now_ = std::max(now_, now);
  if (!alive_ || frozen_) return;
  release_delayed();
  hear_shelf();
  if (!alive_) return;
  hear_router();
  transport_.advance(now_);
  input(sm::Tick{});
}

void Seat::hear_shelf() {
  for (sm::Stored& stored : shelf_.take_due(now_)) input(std::move(stored));
  if (shelf_.dead()) die();
}

void Seat::hear_router() {
  while (!routing_.empty() && routing_.front().first <= now_) {
    sm::RoutesReady ready = std::move(routing_.front().second);
    routing_.pop_front();
    input(std::move(ready));
  }
}

base::Instant Seat::deadline() const {
  if (!alive_ || frozen_) return base::kNever;
  base::Instant due = core_.deadline();
  if (due != base::kNever) due -= ahead_;
  base::Instant next = std::min({due, transport_.deadline(), shelf_.deadline()});
  if (!routing_.empty()) next = std::min(next, routing_.front().first);
  if (outward_) next = std::min({next, outward_->deadline(), inward_->deadline()});
  return next;
}

void Seat::input(sm::Input input) {
  if (!alive_) return;
  step(std::move(input));
  perform();
}

void Seat::step(sm::Input input) {
  if (on_work_) on_work_(true);
  core_.step(now_ + ahead_, std::move(input));
  if (on_work_) on_work_(false);
}

void Seat::restart(std::vector<sm::RememberedLids> remembered, std::string registrations) {
  core_ = sm::Core(options_, std::move(remembered), std::move(registrations));
  routing_.clear();
  snapshot_.reset();
  events_.clear();
  if (!std::exchange(alive_, true)) transport_.set_is_sm(true);
}

void Seat::restart_from_shelf() {
  shelf_.revive();
  sm::Recalled recalled = sm::recall(shelf_.records());
  restart(std::move(recalled.lids), std::move(recalled.registrations));
}

void Seat::thaw() {
  frozen_ = false;
  tick(now_);
  for (auto& datagram : std::exchange(waiting_, {})) hand_up(std::move(datagram));
}

void Seat::die() {
  transport_.set_is_sm(false);
  alive_ = false;
}

// Routes are computed inline; those that are returned at once may ask for more.
void Seat::perform() {
  for (auto outputs = core_.take_outputs(); !outputs.empty(); outputs = core_.take_outputs()) {
    for (auto& output : outputs) {
      if (auto* mad = std::get_if<sm::SendMad>(&output)) {
        transport_.send(std::move(mad->datagram));
      } else if (auto* event = std::get_if<sm::Event>(&output)) {
        if (listener_) listener_(*event);
        events_.push_back(std::move(*event));
      } else if (auto* publish = std::get_if<sm::Publish>(&output)) {
        snapshot_ = publish->snapshot;
      } else if (auto* groups = std::get_if<sm::PublishGroups>(&output)) {
        groups_ = groups->groups;
      } else if (auto* orders = std::get_if<sm::PublishOrders>(&output)) {
        outcomes_ = orders->outcomes;
      } else if (auto* write = std::get_if<sm::Store>(&output)) {
        shelf_.take(now_, std::move(*write));
      } else if (auto* store = std::get_if<sm::StoreLids>(&output)) {
        stored_ = std::move(store->lids);
      } else if (auto* work = std::get_if<sm::ComputeRoutes>(&output)) {
        compute(*work);
      } else if (auto* query = std::get_if<sm::LookUp>(&output)) {
        step(sm::LookedUp{query->ticket, sa::look_up(*query->view, query->key, query->request)});
      }
    }
  }
}

void Seat::compute(const sm::ComputeRoutes& work) {
  sm::RoutesReady ready =
      routes_ ? sm::RoutesReady{work.ticket, routes_(work)} : sm::carry_out(work, base::inline_for);
  if (routing_takes_ == base::Duration{0}) return step(std::move(ready));
  routing_.emplace_back(now_ + routing_takes_, std::move(ready));
}

// --- Box -----------------------------------------------------------------------------------------

Box::Box(std::string_view fabric, BoxOptions options)
    : Box(blueprint_of(fabric), std::move(options)) {}

Box::Box(sim::Blueprint blueprint, BoxOptions options)
    : world_(std::move(blueprint), options.world) {
  const auto endpoint = place(world_, options.at, options.port);
  seats_.emplace_back(
      world_, endpoint,
      SeatOptions{options.sm, std::move(options.remembered), options.mishaps,
                  std::move(options.on_way_out), std::move(options.on_way_in),
                  std::move(options.routes), options.routing_takes, std::move(options.on_work)},
      now_);
}

Seat& Box::add_seat(std::string_view node, SeatOptions options, std::uint8_t port) {
  return seats_.emplace_back(world_, place(world_, node, port), std::move(options), now_);
}

void Box::deliver(sim::Delivery delivery) {
  for (Seat& seat : seats_) {
    if (seat.endpoint() == delivery.to) return seat.arrive(std::move(delivery.datagram));
  }
  others_.push_back(std::move(delivery));
}

std::vector<mad::Datagram> Box::take_arrivals(sim::EndpointId at) {
  std::vector<mad::Datagram> arrivals;
  for (auto& delivery : std::exchange(others_, {})) {
    if (delivery.to == at) arrivals.push_back(std::move(delivery.datagram));
  }
  return arrivals;
}

void Box::step_once(base::Instant limit) {
  world_.advance(now_);
  auto deliveries = world_.take_deliveries();
  for (auto& delivery : deliveries) deliver(std::move(delivery));
  if (!deliveries.empty()) return;
  base::Instant next = world_.next_event();
  for (const Seat& seat : seats_) next = std::min(next, seat.deadline());
  now_ = std::min(std::max(now_, next), limit);
  for (Seat& seat : seats_) seat.tick(now_);
}

bool Box::quiet() const {
  return std::all_of(seats_.begin(), seats_.end(),
                     [](const Seat& seat) { return seat.core().quiet(); });
}

bool Box::run_until_quiet(base::Duration limit) {
  const base::Instant end = now_ + limit;
  for (Seat& seat : seats_) seat.tick(now_);
  while (!quiet() && now_ < end) step_once(end);
  return quiet();
}

void Box::stall(base::Duration time) {
  now_ += time;
  for (Seat& seat : seats_) seat.tick(now_);
}

void Box::run_for(base::Duration time) {
  const base::Instant end = now_ + time;
  while (now_ < end) step_once(end);
}

}  // namespace heddle::test
