// SPDX-License-Identifier: BSD-3-Clause
#include "app/daemon.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

#include "app/clock.hpp"

namespace heddle::app {
namespace {

// A recording shows all that came, so then everything goes to the machine.
FrontDesk* desk_of(const Daemon::Setup& setup) {
  if (setup.desk == nullptr || setup.record != nullptr) return nullptr;
  setup.desk->limit(setup.options.sa_rate);
  setup.desk->set_trust(setup.options.trust);
  return setup.desk;
}

}  // namespace

Daemon::Daemon(boost::asio::io_context& loop, transport::Transport& transport, Setup setup,
               Log& log, Progress& progress)
    : loop_(loop),
      transport_(transport),
      once_(setup.once),
      takes_part_(!setup.options.shadow),
      record_(setup.record),
      desk_(desk_of(setup)),
      keeper_(setup.keeper),
      core_(begin_machine(record_, steady_now(), std::move(setup.options),
                          std::move(setup.remembered), std::move(setup.registrations))),
      progress_(progress),
      performer_(Sinks{[this](mad::Datagram datagram) {
                         if (record_ != nullptr) record_->sent(now_, datagram);
                         transport_.send(std::move(datagram));
                       },
                       [this](sm::ComputeRoutes request) { routes_.compute(std::move(request)); },
                       [this](sm::LookUp work) { look_up(std::move(work)); },
                       [this](sm::Store store) { keeper_->store(std::move(store)); },
                       [this](std::shared_ptr<const sm::OrderOutcomes> outcomes) {
                         companions_.hear(std::move(outcomes));
                       },
                       [this](const sm::Event& event) { companions_.hear(event); }},
                 std::move(setup.files), log, progress, setup.audience),
      companions_(
          once_ ? MeterOptions{} : std::move(setup.meter),
          [this](mad::Datagram datagram) { transport_.send(std::move(datagram)); }, setup.audience,
          steady_now, log),
      timer_(loop),
      routes_(std::move(setup.parallel),
              [this](sm::RoutesReady ready) { hear_routes(std::move(ready)); }) {
  if (!once_) companions_.watch_links();
}

// The worker's result is posted to the loop, which may run again for another daemon.
Daemon::~Daemon() {
  if (desk_ != nullptr) desk_->close();
  if (keeper_ != nullptr) keeper_->set_listener({});
  routes_.give_up();
  librarian_.join();
}

void Daemon::run() {
  transport_.set_receiver([this](std::span<transport::Received> batch) { receive(batch); });
  if (keeper_ != nullptr) {
    keeper_->set_listener([this](sm::Input input) { step(std::move(input)); });
  }
  transport_.set_is_sm(takes_part_);
  step(sm::Tick{});
  loop_.run();
  transport_.set_is_sm(false);
  progress_.clear();
}

void Daemon::stop() {
  loop_.stop();
}

void Daemon::change_options(const sm::Options& options, OutputFiles files, MeterOptions meter) {
  performer_.set_files(std::move(files));
  if (desk_ != nullptr) {
    desk_->limit(options.sa_rate);
    desk_->set_trust(options.trust);
  }
  if (!once_) companions_.change(std::move(meter), steady_now());
  step(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
}

// The one place where the time is read for the machine.
void Daemon::feed(sm::Input input) {
  now_ = steady_now();
  if (record_ != nullptr) record_->input(now_, input);
  core_.step(now_, std::move(input));
}

void Daemon::receive(std::span<transport::Received> batch) {
  // One by one: a recording shows what the machine sends behind the input that made it.
  for (transport::Received& received : batch) {
    if (companions_.take(received, steady_now())) continue;
    feed(input_of(std::move(received)));
    perform(now_);
  }
  after_steps();
}

// Whoever is told of a change finds it at the desk.
void Daemon::perform(base::Instant now) {
  if (desk_ != nullptr) desk_->open(core_.queries_view(), core_.sa_key());
  performer_.perform(core_.take_outputs(), now);
}

void Daemon::hear_desk() {
  constexpr std::chrono::seconds kPause{1};
  if (desk_ == nullptr || now_ < hears_desk_) return;
  hears_desk_ = now_ + kPause;
  auto talkers = desk_->take_talkers();
  if (!talkers.empty()) feed(sm::AnsweredElsewhere{std::move(talkers)});
}

void Daemon::step(sm::Input input) {
  feed(std::move(input));
  after_steps();
}

void Daemon::hear_routes(sm::RoutesReady routes) {
  auto ready = std::make_shared<sm::RoutesReady>(std::move(routes));
  boost::asio::post(loop_, [this, ready, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) step(std::move(*ready));
  });
}

void Daemon::look_up(sm::LookUp work) {
  boost::asio::post(librarian_, [this, work = std::move(work)] {
    auto found = std::make_shared<sm::LookedUp>(app::look_up(work));
    boost::asio::post(loop_, [this, found, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) step(std::move(*found));
    });
  });
}

void Daemon::after_steps() {
  hear_desk();
  if (keeper_ != nullptr) keeper_->set_state(core_.state());
  const base::Instant now = steady_now();
  perform(now);
  companions_.advance(performer_.shown(), core_.state(), now);
  give_orders(now);
  progress_.update(core_.progress(), now);
  if (once_ && swept() && core_.quiet()) stop();
  arm();
}

void Daemon::give_orders(base::Instant now) {
  auto orders = companions_.take_orders();
  if (!orders) return;
  feed(sm::OrdersChanged{std::move(*orders)});
  perform(now);
}

void Daemon::care(const api::CareForLink& command) {
  companions_.obey(command, steady_now());
  after_steps();
}

// Deadlines mostly move on with each answer. A timer that ends too soon is armed anew then, once in
// the time that a response has; to arm it with each answer would be a system call for each.
void Daemon::arm() {
  const base::Instant deadline = std::min(core_.deadline(), companions_.deadline());
  if (deadline >= armed_) return;
  armed_ = deadline;
  timer_.expires_after(std::max(base::Duration{0}, deadline - steady_now()));
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    armed_ = base::kNever;
    on_timer();
  });
}

// The other managers' time is none of the machine's business, nor of a recording's.
void Daemon::on_timer() {
  if (core_.deadline() <= steady_now()) feed(sm::Tick{});
  after_steps();
}

}  // namespace heddle::app
