// SPDX-License-Identifier: BSD-3-Clause
#include "app/service.hpp"

#include <cstdint>
#include <ctime>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include "app/text.hpp"

namespace heddle::app {
namespace {

void notify(const std::string& text) {
  ::sd_notify(/*unset_environment=*/0, text.c_str());
}

std::string_view word(mad::SMState state) {
  switch (state) {
    case mad::SMState::Master:
      return "Master";
    case mad::SMState::Standby:
      return "Standby";
    case mad::SMState::NotActive:
      return "Not active";
    case mad::SMState::Discovering:
      break;
  }
  return "Discovering";
}

}  // namespace

Service::Service(boost::asio::io_context& loop) : timer_(loop) {
  std::uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(0, &microseconds) <= 0) return;
  // Twice as often as needed.
  every_ = std::chrono::microseconds(microseconds / 2);
  beat();
}

void Service::beat() {
  timer_.expires_after(every_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    notify("WATCHDOG=1");
    beat();
  });
}

void Service::ready() {
  notify("READY=1");
  say_state();
}

void Service::reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto microseconds =
      std::chrono::seconds(now.tv_sec) / std::chrono::microseconds(1) + now.tv_nsec / 1000;
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", microseconds));
}

void Service::reloaded() {
  notify("READY=1");
}

void Service::stopping() {
  stopping_ = true;
  timer_.cancel();
  notify("STOPPING=1\nSTATUS=Stopping");
}

void Service::say(const std::string& status) {
  if (status == said_ || stopping_) return;
  said_ = status;
  std::string line = status;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  notify("STATUS=" + line);
}

void Service::say_state() {
  say(fmt::format("{}{}{}", word(state_), fabric_.empty() ? "" : ": ", fabric_));
}

void Service::published(std::shared_ptr<const sm::Snapshot> snapshot) {
  const fabric::Topology& topology = snapshot->topology;
  const std::size_t switches = topology.switch_count();
  fabric_ = fmt::format("{}, {}, {}", counted(switches, "switch", "switches"),
                        counted(topology.node_count() - switches, "host", "hosts"),
                        counted(topology.link_count(), "link", "links"));
  if (!snapshot->problems.empty()) {
    fabric_ += ", " + counted(snapshot->problems.size(), "problem", "problems");
  }
  say_state();
  if (next_ != nullptr) next_->published(std::move(snapshot));
}

void Service::published(std::shared_ptr<const sm::GroupList> groups) {
  if (next_ != nullptr) next_->published(std::move(groups));
}

void Service::told(const sm::Event& event) {
  if (const auto* changed = std::get_if<sm::StateChanged>(&event.value)) {
    state_ = changed->to;
    say_state();
  }
  if (next_ != nullptr) next_->told(event);
}

void Service::measured(std::shared_ptr<const perf::Readings> readings) {
  if (next_ != nullptr) next_->measured(std::move(readings));
}

void Service::cared(std::shared_ptr<const api::LinkCare> care) {
  if (next_ != nullptr) next_->cared(std::move(care));
}

void Service::congested(std::shared_ptr<const congestion::Report> report) {
  if (next_ != nullptr) next_->congested(std::move(report));
}

}  // namespace heddle::app
