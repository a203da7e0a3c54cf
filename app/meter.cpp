// SPDX-License-Identifier: BSD-3-Clause
#include "app/meter.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "app/agents.hpp"
#include "app/link_care.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "transport/header.hpp"

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

// What is left of the signalling rate for data: 8 of 10 bits up to QDR, 64 of 66 beyond.
std::uint64_t data_rate(const sm::Snapshot& fabric, PortIndex port) {
  const auto width = mad::active_width(fabric.registers->ports[port.value]);
  const auto speed = fabric::link_speed(*fabric.registers, port);
  if (!width || !speed) return 0;
  const std::uint64_t bits = mad::link_rate(*width, *speed) * 1'000'000'000ull / 64;
  return *speed <= mad::LinkSpeed::QDR ? bits / 10 * 8 : bits / 66 * 64;
}

perf::Coding coding(const sm::Snapshot& fabric, PortIndex port) {
  const auto speed = fabric::link_speed(*fabric.registers, port);
  if (!speed || *speed <= mad::LinkSpeed::QDR) return perf::Coding::Bytes;
  return *speed < mad::LinkSpeed::HDR ? perf::Coding::Blocks : perf::Coding::RSFEC;
}

std::string names_of(std::uint32_t counters) {
  std::string names;
  for (std::size_t i = 0; i < perf::kCounterCount; ++i) {
    if ((counters >> i & 1) == 0) continue;
    names += names.empty() ? "" : ", ";
    names += perf::name_of(static_cast<perf::Counter>(i));
  }
  return names;
}

}  // namespace

MeterOptions meter_options(const config::Config& config) {
  MeterOptions options;
  options.enabled = config.performance_enabled;
  options.hosts = config.performance_hosts;
  options.log_errors = config.performance_log_errors;
  options.perf.interval = config.performance_interval;
  options.perf.window = config.performance_window;
  options.perf.per_second = config.performance_rate;
  options.perf.ask_capabilities = config.performance_ask_capabilities;
  options.perf.follow_redirects = config.performance_follow_redirects;
  options.perf.clear_full = config.performance_clear_full;
  options.perf.coding = config.performance_error_correction;
  options.perf.hot_share = config.performance_hot_links / 100.0;
  // The kernel outwaits this.
  options.perf.timeout = config.largest_timeout;
  options.health = health_policy(config);
  options.congestion = congestion_options(config);
  for (const std::string& text : config.performance_thresholds) {
    if (const auto threshold = perf::parse_threshold(text)) {
      options.perf.thresholds.push_back(*threshold);
    }
  }
  return options;
}

perf::Picture perf_picture(const sm::Snapshot& fabric, bool hosts) {
  perf::Picture picture;
  const fabric::Topology& topology = fabric.topology;
  const auto add = [&](NodeIndex node, PortIndex agent_port, unsigned first, unsigned last) {
    if (!has_lid(fabric, agent_port)) return;
    perf::Agent agent;
    agent.node = topology.node(node).guid;
    agent.is_switch = topology.is_switch(node);
    agent.lid = fabric.lids.base(agent_port);
    agent.sl = level_to(fabric, agent.lid);
    for (unsigned n = first; n <= last; ++n) {
      const mad::PortNumber number{static_cast<std::uint8_t>(n)};
      const PortIndex port = topology.port_of(node, number);
      if (topology.peer(port) == fabric::kNoPort) continue;
      agent.ports.push_back({number, data_rate(fabric, port), coding(fabric, port)});
    }
    if (!agent.ports.empty()) picture.agents.push_back(std::move(agent));
  };
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    const NodeIndex node{i};
    const unsigned ports = topology.node(node).port_count;
    if (topology.is_switch(node)) {
      add(node, topology.port_of(node, mad::PortNumber{0}), 1, ports);
    } else if (hosts) {
      for (unsigned n = 1; n <= ports; ++n) {
        add(node, topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(n)}), n, n);
      }
    }
  }
  std::stable_sort(picture.agents.begin(), picture.agents.end(),
                   [](const auto& a, const auto& b) { return a.node < b.node; });
  return picture;
}

Meter::Meter(MeterOptions options, Send send, Tell tell, Log& log)
    : options_(std::move(options)),
      send_(std::move(send)),
      tell_(std::move(tell)),
      log_(log),
      machine_(options_.perf) {}

bool Meter::take(transport::Received& received, base::Instant now) {
  const auto header = transport::peek_header(received.datagram.payload);
  if (!header || header->management_class != mad::ManagementClass::Perf) return false;
  if (received.arrival == transport::Arrival::SendFailed) {
    step(now, perf::SendFailed{std::move(received.datagram)});
  } else {
    step(now, perf::MadReceived{std::move(received.datagram)});
  }
  return true;
}

// Only the master asks: others would double the load.
void Meter::see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
                base::Instant now) {
  const bool asks = options_.enabled && state == mad::SMState::Master && fabric != nullptr &&
                    fabric->sm_port != fabric::kNoPort;
  if (asks == asks_ && (!asks || fabric == fabric_)) return;
  asks_ = asks;
  fabric_ = asks ? fabric : nullptr;
  auto picture =
      asks ? std::make_shared<const perf::Picture>(perf_picture(*fabric, options_.hosts)) : nullptr;
  step(now, perf::PictureChanged{std::move(picture)});
}

void Meter::change(MeterOptions options, base::Instant now) {
  options_ = std::move(options);
  step(now, perf::OptionsChanged{options_.perf});
  const auto fabric = std::exchange(fabric_, nullptr);
  see(fabric, asks_ ? mad::SMState::Master : mad::SMState::Standby, now);
}

void Meter::advance(base::Instant now) {
  step(now, perf::Tick{});
}

void Meter::step(base::Instant now, perf::Input input) {
  machine_.step(now, std::move(input));
  for (perf::Output& output : machine_.take_outputs()) {
    if (auto* mad = std::get_if<perf::SendMad>(&output)) {
      send_(std::move(mad->datagram));
      continue;
    }
    auto& readings = std::get<perf::Publish>(output).readings;
    if (options_.log_errors) log_errors(*readings);
    if (tell_) tell_(std::move(readings));
  }
}

// When it begins, when something comes to it, and when it is over.
void Meter::log_errors(const perf::Readings& readings) {
  auto before = std::exchange(told_, {});
  for (const perf::Readings::Node& node : readings.nodes) {
    for (const perf::PortReading& port : readings.of(node)) {
      const auto found = before.find({node.guid, port.number});
      const std::uint32_t was = found == before.end() ? 0 : found->second;
      if (port.exceeded == 0 && was == 0) continue;
      if (port.exceeded != 0) told_[{node.guid, port.number}] = port.exceeded;
      const auto at = fabric_ == nullptr ? std::nullopt : fabric_->topology.find_node(node.guid);
      const std::string name = fmt::format(
          "{}/{}", at ? fabric_->topology.node(*at).description : "", port.number.value);
      if (port.exceeded == 0) {
        log_.say(sm::Severity::Info, "PortErrorsEnded",
                 fmt::format("Errors of {} grow no faster than they may", name),
                 {{"port", name}, {"guid", base::hex(node.guid.value)}});
      } else if ((port.exceeded & ~was) != 0) {
        log_.say(sm::Severity::Warning, "PortErrors",
                 fmt::format("Errors of {} grow too fast: {}", name, names_of(port.exceeded)),
                 {{"port", name},
                  {"guid", base::hex(node.guid.value)},
                  {"counters", names_of(port.exceeded)}});
      }
    }
  }
}

}  // namespace heddle::app
