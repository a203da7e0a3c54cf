// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/box.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace heddle::test {
namespace {

sim::Blueprint blueprint_of(std::string_view fabric) {
  auto loaded = sim::load_fabric(fabric);
  if (!loaded) throw std::invalid_argument(loaded.error().message);
  return std::move(*loaded);
}

sim::EndpointId place(const sim::World& world, const BoxOptions& options) {
  const auto endpoint =
      options.at.empty() ? world.default_endpoint() : world.find_endpoint(options.at, options.port);
  if (!endpoint) throw std::invalid_argument("no such endpoint: " + options.at);
  return *endpoint;
}

}  // namespace

Box::Box(std::string_view fabric, BoxOptions options) : Box(blueprint_of(fabric), options) {}

Box::Box(sim::Blueprint blueprint, BoxOptions options)
    : options_(options.sm),
      world_(std::move(blueprint), options.world),
      endpoint_(place(world_, options)),
      transport_(
          {}, [this](mad::Datagram mad) { world_.send(endpoint_, std::move(mad), now_); },
          [this](bool is_sm) { world_.set_is_sm(endpoint_, is_sm); }),
      core_(options.sm, options.remembered) {
  transport_.set_receiver([this](std::span<transport::Received> batch) { receive(batch); });
  transport_.advance(now_);
  transport_.set_is_sm(true);
}

void Box::receive(std::span<transport::Received> batch) {
  for (auto& received : batch) {
    if (received.arrival == transport::Arrival::Message) {
      core_.step(now_, sm::MadReceived{std::move(received.datagram)});
    } else {
      core_.step(now_, sm::SendFailed{std::move(received.datagram)});
    }
    perform();
  }
}

void Box::restart(std::vector<sm::RememberedLids> remembered) {
  core_ = sm::Core(options_, std::move(remembered));
  snapshot_.reset();
  events_.clear();
}

void Box::input(sm::Input input) {
  core_.step(now_, std::move(input));
  perform();
}

void Box::perform() {
  // Routes are computed inline and returned at once, which may ask for more.
  for (auto outputs = core_.take_outputs(); !outputs.empty(); outputs = core_.take_outputs()) {
    for (auto& output : outputs) {
      if (auto* mad = std::get_if<sm::SendMad>(&output)) {
        transport_.send(std::move(mad->datagram));
      } else if (auto* event = std::get_if<sm::Event>(&output)) {
        if (listener_) listener_(*event);
        events_.push_back(std::move(*event));
      } else if (auto* publish = std::get_if<sm::Publish>(&output)) {
        snapshot_ = publish->snapshot;
      } else if (auto* store = std::get_if<sm::StoreLids>(&output)) {
        stored_ = std::move(store->lids);
      } else if (auto* work = std::get_if<sm::ComputeRoutes>(&output)) {
        auto selected = routing::select_routes(*work->topology, *work->lids, work->policy);
        sm::RoutesReady ready{work->ticket, base::error("")};
        if (selected) {
          ready.selected = std::make_shared<const routing::Selected>(std::move(*selected));
        } else {
          ready.selected = selected.error();
        }
        core_.step(now_, std::move(ready));
      }
    }
  }
}

void Box::step_once(base::Instant limit) {
  world_.advance(now_);
  auto deliveries = world_.take_deliveries();
  for (auto& delivery : deliveries) {
    if (delivery.to != endpoint_) continue;
    transport_.arrive(std::move(delivery.datagram));
  }
  if (!deliveries.empty()) return;
  const base::Instant next =
      std::min({core_.deadline(), world_.next_event(), transport_.deadline()});
  now_ = std::min(std::max(now_, next), limit);
  transport_.advance(now_);
  core_.step(now_, sm::Tick{});
  perform();
}

bool Box::run_until_quiet(base::Duration limit) {
  const base::Instant end = now_ + limit;
  core_.step(now_, sm::Tick{});
  perform();
  while (!core_.quiet() && now_ < end) step_once(end);
  return core_.quiet();
}

void Box::run_for(base::Duration time) {
  const base::Instant end = now_ + time;
  while (now_ < end) step_once(end);
}

}  // namespace heddle::test
