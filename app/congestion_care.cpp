// SPDX-License-Identifier: BSD-3-Clause
#include "app/congestion_care.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/agents.hpp"
#include "app/text.hpp"
#include "base/text.hpp"
#include "transport/header.hpp"

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

void add_agent(const sm::Snapshot& fabric, NodeIndex node, PortIndex port,
               congestion::Picture& picture) {
  const fabric::Topology& topology = fabric.topology;
  if (!has_lid(fabric, port)) return;
  congestion::Agent agent;
  agent.node = topology.node(node).guid;
  agent.port = topology.number_of(port);
  agent.is_switch = topology.is_switch(node);
  agent.lid = fabric.lids.base(port);
  agent.sl = level_to(fabric, agent.lid);
  if (agent.is_switch) agent.port_count = topology.node(node).port_count;
  for (unsigned n = 1; n <= agent.port_count; ++n) {
    const mad::PortNumber number{static_cast<std::uint8_t>(n)};
    const PortIndex peer = topology.peer(topology.port_of(node, number));
    if (peer == fabric::kNoPort) continue;
    const bool leads_on = topology.is_switch(topology.node_of(peer));
    (leads_on ? agent.to_switches : agent.to_hosts).set(n);
  }
  picture.agents.push_back(agent);
}

template <class T>
std::string complaint(const base::Result<T>& parsed) {
  return parsed.has_error() ? parsed.error().message : std::string();
}

congestion::KeyMode key_mode(std::string_view word) {
  if (word == "hide") return congestion::KeyMode::Hide;
  return word == "set" ? congestion::KeyMode::Set : congestion::KeyMode::Use;
}

// How many devices there are of each kind of outcome.
struct Counts {
  std::size_t switches = 0, adapters = 0, without = 0, trouble = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
Counts counts_of(const congestion::Report* report) {
  Counts counts;
  if (report == nullptr) return counts;
  for (const congestion::AgentReport& agent : report->agents) {
    if (agent.outcome == congestion::Outcome::Right) {
      ++(agent.is_switch ? counts.switches : counts.adapters);
    } else if (congestion::is_trouble(agent.outcome)) {
      ++counts.trouble;
    } else if (agent.outcome != congestion::Outcome::NotYet) {
      ++counts.without;
    }
  }
  return counts;
}

}  // namespace

CongestionOptions congestion_options(const config::Config& config) {
  CongestionOptions options;
  options.enabled = config.congestion_enabled;
  congestion::Options& machine = options.machine;
  machine.key = mad::CCKey{config.congestion_key};
  machine.key_mode = key_mode(config.congestion_key_mode);
  machine.key_lease = static_cast<std::uint16_t>(config.congestion_key_lease);
  for (const std::uint64_t key : config.congestion_former_keys) {
    machine.former_keys.push_back(mad::CCKey{key});
  }
  // What is wrong was refused when the file was read.
  congestion::Settings& settings = machine.settings;
  if (auto parsed = congestion::parse_switch_setting(config.congestion_switches)) {
    settings.switches = *parsed;
  }
  for (const std::string& text : config.congestion_ports) {
    if (const auto rule = congestion::parse_port_rule(text)) settings.ports.push_back(*rule);
  }
  settings.by_level = config.congestion_hold == "level";
  for (const std::string& text : config.congestion_levels) {
    if (const auto level = congestion::parse_level(text)) settings.levels.push_back(*level);
  }
  if (auto table = congestion::parse_table(config.congestion_table)) settings.table = *table;
  machine.interval = config.congestion_interval;
  machine.log_interval = config.congestion_log_interval;
  machine.window = config.congestion_window;
  machine.per_second = config.congestion_rate;
  machine.most_errors = config.congestion_most_errors;
  machine.error_window = config.congestion_error_window;
  // The kernel outwaits this.
  machine.timeout = config.largest_timeout;
  return options;
}

std::string wrong_congestion(std::string_view key, std::string_view text) {
  if (key == "switches") return complaint(congestion::parse_switch_setting(text));
  if (key == "ports") return complaint(congestion::parse_port_rule(text));
  if (key == "levels") return complaint(congestion::parse_level(text));
  return complaint(congestion::parse_table({std::string(text)}));
}

congestion::Picture congestion_picture(const sm::Snapshot& fabric) {
  congestion::Picture picture;
  const fabric::Topology& topology = fabric.topology;
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    const NodeIndex node{i};
    const bool is_switch = topology.is_switch(node);
    const unsigned last = is_switch ? 0u : topology.node(node).port_count;
    for (unsigned n = is_switch ? 0u : 1u; n <= last; ++n) {
      add_agent(fabric, node, topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(n)}),
                picture);
    }
  }
  std::stable_sort(picture.agents.begin(), picture.agents.end(), [](const auto& a, const auto& b) {
    return std::pair(a.node, a.port) < std::pair(b.node, b.port);
  });
  return picture;
}

CongestionCare::CongestionCare(CongestionOptions options, Send send, Tell tell, Log& log)
    : options_(std::move(options)),
      send_(std::move(send)),
      tell_(std::move(tell)),
      log_(log),
      machine_(options_.machine) {}

bool CongestionCare::take(transport::Received& received, base::Instant now) {
  const auto header = transport::peek_header(received.datagram.payload);
  if (!header || header->management_class != mad::ManagementClass::CongestionControl) return false;
  // What the kernel gives back is asked again when its time has come, as if it had been lost.
  if (received.arrival != transport::Arrival::SendFailed) {
    step(now, congestion::MadReceived{std::move(received.datagram)});
  }
  return true;
}

// Only the master acts: two would undo each other's work.
void CongestionCare::see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
                         base::Instant now) {
  const bool acts = options_.enabled && state == mad::SMState::Master && fabric != nullptr &&
                    fabric->sm_port != fabric::kNoPort && !fabric->shadow;
  if (acts == acts_ && (!acts || fabric == fabric_)) return;
  const bool ends = acts_ && !acts;
  acts_ = acts;
  fabric_ = acts ? fabric : nullptr;
  auto picture =
      acts ? std::make_shared<const congestion::Picture>(congestion_picture(*fabric)) : nullptr;
  step(now, congestion::PictureChanged{std::move(picture)});
  for (const mad::Guid node : std::exchange(returned_, {})) {
    if (acts) step(now, congestion::NodeReturned{node});
  }
  if (!ends) return;
  told_ = nullptr;
  if (tell_) tell_(nullptr);
}

// A device that restarted so quickly that it never left the picture has lost a link meanwhile.
void CongestionCare::hear(const sm::Event& event) {
  if (!options_.enabled) return;
  if (const auto* link = std::get_if<sm::LinkAppeared>(&event.value)) {
    returned_.insert(link->a.node.guid);
    returned_.insert(link->b.node.guid);
  } else if (const auto* changed = std::get_if<sm::SwitchChanged>(&event.value)) {
    returned_.insert(changed->node.guid);
  }
}

void CongestionCare::change(CongestionOptions options, base::Instant now) {
  const auto fabric = fabric_;
  const bool acted = acts_;
  options_ = std::move(options);
  step(now, congestion::OptionsChanged{options_.machine});
  if (acted) see(fabric, mad::SMState::Master, now);
}

void CongestionCare::step(base::Instant now, congestion::Input input) {
  machine_.step(now, std::move(input));
  for (congestion::Output& output : machine_.take_outputs()) {
    if (auto* mad = std::get_if<congestion::SendMad>(&output)) {
      send_(std::move(mad->datagram));
      continue;
    }
    auto& report = std::get<congestion::Publish>(output).report;
    log_changes(*report);
    told_ = report;
    if (tell_) tell_(std::move(report));
  }
}

void CongestionCare::log_agent(const congestion::AgentReport& agent) {
  const auto at = fabric_ == nullptr ? std::nullopt : fabric_->topology.find_node(agent.node);
  const std::string name =
      fmt::format("{}/{}", at ? fabric_->topology.node(*at).description : "", agent.port.value);
  log_.say(sm::Severity::Warning, "CongestionTrouble",
           fmt::format("{} {}", name, congestion::explain(agent)),
           {{"port", name},
            {"guid", base::hex(agent.node.value)},
            {"outcome", std::string(congestion::name_of(agent.outcome))}});
}

// Each trouble when it begins, and the sum when it is another one than before.
void CongestionCare::log_changes(const congestion::Report& report) {
  constexpr std::size_t kNamed = 10;
  std::size_t named = 0;
  const auto* before = told_ == nullptr ? nullptr : &told_->agents;
  std::size_t old = 0;
  for (const congestion::AgentReport& agent : report.agents) {
    const std::pair at(agent.node, agent.port);
    while (before != nullptr && old < before->size() &&
           std::pair((*before)[old].node, (*before)[old].port) < at) {
      ++old;
    }
    const bool is_known = before != nullptr && old < before->size() &&
                          std::pair((*before)[old].node, (*before)[old].port) == at;
    const bool is_new = !is_known || (*before)[old].outcome != agent.outcome;
    if (!is_new || !congestion::is_trouble(agent.outcome)) continue;
    if (++named <= kNamed) log_agent(agent);
  }
  const Counts now = counts_of(&report);
  if (report.stopped && (told_ == nullptr || !told_->stopped)) {
    log_.say(sm::Severity::Error, "CongestionStopped",
             fmt::format("Too much goes wrong with congestion control; nothing more is written "
                         "for {} s",
                         options_.machine.interval / std::chrono::seconds(1)));
  }
  if (now == counts_of(told_.get())) return;
  log_.say(sm::Severity::Info, "CongestionSet",
           fmt::format("Congestion control stands at {} and {}; {} without it, {} in trouble",
                       counted(now.switches, "switch", "switches"),
                       counted(now.adapters, "adapter port", "adapter ports"), now.without,
                       now.trouble));
}

}  // namespace heddle::app
