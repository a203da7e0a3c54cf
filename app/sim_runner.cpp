// SPDX-License-Identifier: BSD-3-Clause
#include "app/sim_runner.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "app/clock.hpp"

namespace heddle::app {

SimRunner::SimRunner(Setup setup, Log& log, Progress& progress)
    : world_(std::move(setup.world)),
      endpoint_(setup.endpoint),
      parallel_(std::move(setup.parallel)),
      record_(setup.record),
      core_(begin_machine(record_, now_, setup.options, std::move(setup.remembered))),
      kernel_(
          {kernel_timeout(setup.options)},
          [this](mad::Datagram datagram) { world_.send(endpoint_, std::move(datagram), now_); },
          [this](bool is_sm) { world_.set_is_sm(endpoint_, is_sm); }),
      progress_(progress),
      performer_(Sinks{[this](mad::Datagram datagram) {
                         if (record_ != nullptr) record_->sent(now_, datagram);
                         kernel_.send(std::move(datagram));
                       },
                       [this](sm::ComputeRoutes request) { asked_ = std::move(request); },
                       [this](sm::LookUp work) { ready_.push_back(look_up(work)); },
                       {},
                       [this](std::shared_ptr<const sm::OrderOutcomes> outcomes) {
                         companions_.hear(std::move(outcomes));
                       },
                       [this](const sm::Event& event) { hear(event); }},
                 std::move(setup.files), log, progress, setup.audience),
      companions_(
          std::move(setup.meter),
          [this](mad::Datagram datagram) { kernel_.send(std::move(datagram)); }, setup.audience,
          [this] { return now_; }, log) {
  kernel_.set_receiver([this](std::span<transport::Received> batch) { receive(batch); });
  kernel_.set_is_sm(!setup.options.shadow);
}

void SimRunner::receive(std::span<transport::Received> batch) {
  for (transport::Received& received : batch) {
    if (companions_.take(received, now_)) continue;
    step(input_of(std::move(received)));
  }
}

void SimRunner::feed(sm::Input input) {
  if (record_ != nullptr) record_->input(now_, input);
  core_.step(now_, std::move(input));
}

// Routes are made when they are waited for: there is nobody to make them beside anything else, and
// so their time is told as what it is.
void SimRunner::hear(const sm::Event& event) {
  const auto* phase = std::get_if<sm::PhaseStarted>(&event.value);
  if (phase != nullptr && phase->phase == sm::Phase::Routing) awaits_routes_ = true;
  companions_.hear(event);
}

bool SimRunner::has_results() {
  if (asked_ && std::exchange(awaits_routes_, false)) {
    ready_.push_back(sm::carry_out(*std::exchange(asked_, std::nullopt), parallel_));
  }
  return !ready_.empty();
}

// What arrives may cause more outputs.
void SimRunner::step(sm::Input input) {
  feed(std::move(input));
  performer_.perform(core_.take_outputs(), steady_now());
  while (has_results()) {
    for (sm::Input& result : std::exchange(ready_, {})) feed(std::move(result));
    performer_.perform(core_.take_outputs(), steady_now());
  }
}

// What the world has ready at now_, and the machine's answer to all of it.
void SimRunner::turn() {
  world_.advance(now_);
  for (sim::Delivery& delivery : world_.take_deliveries()) {
    if (delivery.to == endpoint_) kernel_.arrive(std::move(delivery.datagram));
  }
  kernel_.advance(now_);
  step(sm::Tick{});
  companions_.advance(performer_.shown(), core_.state(), now_);
  give_orders();
  progress_.update(core_.progress(), steady_now());
}

void SimRunner::give_orders() {
  if (auto orders = companions_.take_orders()) step(sm::OrdersChanged{std::move(*orders)});
}

void SimRunner::care(const api::CareForLink& command) {
  companions_.obey(command, now_);
  give_orders();
}

base::Instant SimRunner::next() const {
  return std::min(
      {world_.next_event(), core_.deadline(), kernel_.deadline(), companions_.deadline()});
}

void SimRunner::bring_up(boost::asio::io_context& loop) {
  step(sm::Tick{});
  const auto up = [this] { return core_.sweeps_finished() > 0 && core_.quiet(); };
  while (!stopped_ && !up() && next() != base::kNever) {
    now_ = std::max(now_, next());
    turn();
    loop.poll();
  }
  progress_.clear();
}

void SimRunner::keep_watch(boost::asio::io_context& loop) {
  companions_.watch_links();
  const base::Duration ahead = now_ - steady_now();
  boost::asio::steady_timer timer(loop);
  // For when it is set. One wait for each such time: one that is cancelled wakes the loop, too.
  const auto set_for = std::make_shared<std::optional<base::Instant>>();
  while (!stopped_) {
    const base::Instant wanted = next();
    if (*set_for != wanted) {
      *set_for = wanted;
      if (wanted == base::kNever) {
        timer.expires_at(boost::asio::steady_timer::time_point::max());
      } else {
        timer.expires_after(std::max(base::Duration{0}, wanted - ahead - steady_now()));
      }
      timer.async_wait([set_for](const boost::system::error_code& cancelled) {
        if (!cancelled) set_for->reset();
      });
    }
    loop.run_one();
    now_ = std::max(now_, steady_now() + ahead);
    do turn();
    while (!stopped_ && next() <= now_);
  }
  progress_.clear();
}

void SimRunner::change_options(const sm::Options& options, OutputFiles files, MeterOptions meter) {
  performer_.set_files(std::move(files));
  companions_.change(std::move(meter), now_);
  step(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
}

}  // namespace heddle::app
