// SPDX-License-Identifier: BSD-3-Clause
#include "api/metrics.hpp"

#include <array>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "mad/link.hpp"
#include "mad/names.hpp"

namespace heddle::api {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double as_double(std::uint64_t value) {
  return static_cast<double>(value);
}
double seconds(base::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

class Families {
 public:
  void gauge(const char* name, const char* help, double value, Labels labels = {}) {
    add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
  }
  void counter(const char* name, const char* help, double value, Labels labels = {}) {
    add(name, help, MetricType::Counter, std::move(labels)).counter.value = value;
  }
  std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  // The metrics of one name must be neighbours.
  ClientMetric& add(const char* name, const char* help, MetricType type, Labels labels) {
    if (families_.empty() || families_.back().name != name) {
      families_.push_back({name, help, type, {}});
    }
    ClientMetric& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }
  std::vector<MetricFamily> families_;
};

void add_manager(const State& state, Families& out) {
  out.gauge("heddle_info", "Always 1; the version and the fabric are in the labels", 1,
            {{"version", state.identity.version}, {"fabric", state.seat.fabric}});
  constexpr std::array<std::string_view, 4> kStates{"not-active", "discovering", "standby",
                                                    "master"};
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    out.gauge("heddle_sm_state", "1 for the state that the subnet manager is in",
              static_cast<std::size_t>(state.role) == i ? 1 : 0,
              {{"state", std::string(kStates[i])}});
  }
  out.gauge("heddle_sm_priority", "Priority of the subnet manager, 0 to 15", state.seat.priority);
  out.gauge("heddle_refused_files",
            "Complaints about the configuration and the files that it names; what held before does",
            as_double(state.seat.files.size()));
  out.gauge("heddle_well", "1 when `heddle status` finds nothing to complain of",
            complaints(state).empty() ? 1 : 0);
}

void add_journal(const State& state, Families& out) {
  for (const auto& [name, count] : state.journal->counts()) {
    out.counter("heddle_events_total", "Events since the start, by name", as_double(count),
                {{"event", std::string(name)}});
  }
  out.gauge("heddle_lost_links", "Links that were there in this run and are gone",
            as_double(state.losses.between_switches()), {{"kind", "switch"}});
  out.gauge("heddle_lost_links", "Links that were there in this run and are gone",
            as_double(state.losses.links().size() - state.losses.between_switches()),
            {{"kind", "host"}});
  if (state.journal->sweeps().empty()) return;
  const JournalSweep& last = state.journal->sweeps().back();
  out.counter("heddle_sweeps_total", "Sweeps finished", as_double(last.statistics.number));
  out.gauge("heddle_last_sweep_seconds", "How long the last sweep took",
            seconds(last.statistics.total));
  for (std::size_t i = 0; i < sm::kPhaseCount; ++i) {
    out.gauge("heddle_last_sweep_phase_seconds", "How long each phase of the last sweep took",
              seconds(last.statistics.phase[i]),
              {{"phase", std::string(sm::phase_name(static_cast<sm::Phase>(i)))}});
  }
  const std::array<std::pair<const char*, std::uint64_t>, 4> smps{
      {{"get", last.statistics.gets_sent},
       {"set", last.statistics.sets_sent},
       {"retry", last.statistics.retries},
       {"unanswered", last.statistics.unanswered}}};
  for (const auto& [kind, count] : smps) {
    out.gauge("heddle_last_sweep_smps", "SMPs of the last sweep; retries are among the others",
              as_double(count), {{"kind", kind}});
  }
  out.gauge("heddle_last_sweep_timestamp_seconds", "When the last sweep ended",
            std::chrono::duration<double>(last.finished.time_since_epoch()).count());
}

void add_demand(const State& state, Families& out) {
  const Demand& demand = state.demand;
  out.counter("heddle_sa_requests_total", "Requests to subnet administration",
              as_double(demand.requests));
  out.counter("heddle_sa_put_off_total", "Those of them that were answered BUSY",
              as_double(demand.put_off));
  if (!demand.last) return;
  using Talker = sm::AdministrationLoad::Talker;
  const auto labels = [](const Talker& talker) {
    return Labels{{"lid", std::to_string(talker.lid.value)}, {"node", talker.node.description}};
  };
  for (const Talker& talker : demand.last->top) {
    out.gauge("heddle_sa_top_talker_requests", "Of the ports that asked most, when last told",
              as_double(talker.requests), labels(talker));
  }
  for (const Talker& talker : demand.last->top) {
    out.gauge("heddle_sa_top_talker_put_off", "Those of them that were answered BUSY",
              as_double(talker.put_off), labels(talker));
  }
}

void add_ports(const sm::Snapshot& fabric, Families& out) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::uint64_t> ports;
  for (std::uint32_t i = 0; i < fabric.topology.port_count(); ++i) {
    const fabric::PortIndex port{i};
    if (fabric.topology.peer(port) == fabric::kNoPort) continue;
    const auto width = mad::active_width(fabric.registers->ports[i]);
    const auto speed = fabric::link_speed(*fabric.registers, port);
    ++ports[{mad::name_of(fabric.registers->ports[i].port_state),
             width ? mad::entry(*width).name : "unknown",
             speed ? mad::entry(*speed).name : "unknown"}];
  }
  for (const auto& [kind, count] : ports) {
    const auto& [port_state, width, speed] = kind;
    out.gauge("heddle_ports", "Ports with a link, by state, width and speed", as_double(count),
              {{"state", std::string(port_state)},
               {"width", std::string(width)},
               {"speed", std::string(speed)}});
  }
}

void add_fabric(const State& state, Families& out) {
  const sm::Snapshot& fabric = *state.fabric;
  std::map<std::string_view, std::uint64_t> nodes;
  for (std::uint32_t i = 0; i < fabric.topology.node_count(); ++i) {
    ++nodes[mad::name_of(fabric.topology.node(fabric::NodeIndex{i}).type)];
  }
  for (const auto& [type, count] : nodes) {
    out.gauge("heddle_nodes", "Nodes of the fabric, by type", as_double(count),
              {{"type", std::string(type)}});
  }
  out.gauge("heddle_links", "Links of the fabric", as_double(fabric.topology.link_count()));
  add_ports(fabric, out);
  out.gauge("heddle_highest_lid", "The highest LID in use", fabric.lids.top().value);
  out.gauge("heddle_problems", "Problems that the last sweep found",
            as_double(fabric.problems.size()));
  out.gauge("heddle_other_managers", "Other subnet managers that answer",
            as_double(fabric.other_managers.size()));
  if (fabric.routes != nullptr) {
    const auto& proof = fabric.routes->proof;
    out.gauge("heddle_routing_info", "Always 1; the engine is in the label", 1,
              {{"engine", fabric.routes->routes.engine}});
    out.gauge("heddle_routes_faulty", "Routes that do not arrive", as_double(proof.faulty_routes));
    out.gauge("heddle_routing_deadlock_free", "1 when the routes hold no credit loop",
              proof.deadlock_free() ? 1 : 0);
  }
  if (state.groups == nullptr) return;
  std::uint64_t members = 0;
  for (const sm::ListedGroup& group : *state.groups) members += group.member_count;
  out.gauge("heddle_multicast_groups", "Multicast groups", as_double(state.groups->size()));
  out.gauge("heddle_multicast_memberships", "Memberships in multicast groups", as_double(members));
}

void add_readings(const State& state, Families& out) {
  const perf::Readings& readings = *state.readings;
  const perf::SweepFigures& sweep = readings.sweep;
  out.counter("heddle_counter_sweeps_total", "Readings of all counters", as_double(sweep.number));
  out.gauge("heddle_last_counter_sweep_seconds", "How long the last one took", seconds(sweep.took));
  out.gauge("heddle_last_counter_sweep_timestamp_seconds", "When it ended",
            std::chrono::duration<double>(state.measured.time_since_epoch()).count());
  const std::array<std::pair<const char*, std::uint64_t>, 2> requests{
      {{"sent", sweep.sent}, {"retry", sweep.retries}}};
  for (const auto& [kind, count] : requests) {
    out.gauge("heddle_last_counter_sweep_requests", "Its requests; retries are among those sent",
              as_double(count), {{"kind", kind}});
  }
  const std::array<std::pair<const char*, std::uint64_t>, 3> agents{
      {{"asked", sweep.agents}, {"silent", sweep.silent}, {"refusing", sweep.refusing}}};
  for (const auto& [kind, count] : agents) {
    out.gauge("heddle_counter_agents", "Devices asked for counters, and those of no help",
              as_double(count), {{"kind", kind}});
  }
  std::uint64_t hot = 0;
  std::array<std::uint64_t, perf::kCounterCount> exceeded{};
  for (const perf::PortReading& port : readings.ports) {
    hot += port.interval > base::Duration{0} && port.utilisation() >= readings.hot_share;
    for (std::size_t i = 0; i < exceeded.size(); ++i) exceeded[i] += port.exceeded >> i & 1;
  }
  out.gauge("heddle_hot_ports", "Ports whose link is used more than [performance] hot_links says",
            as_double(hot));
  for (std::size_t i = 0; i < exceeded.size(); ++i) {
    const auto counter = static_cast<perf::Counter>(i);
    if (!perf::is_error(counter)) continue;
    out.gauge("heddle_ports_with_errors", "Ports whose errors grow faster than they may",
              as_double(exceeded[i]), {{"counter", std::string(perf::name_of(counter))}});
  }
}

void add_congestion(const State& state, Families& out) {
  const congestion::Report& report = *state.congestion;
  std::map<std::string_view, std::uint64_t> agents;
  std::map<std::string_view, std::uint64_t> events{{"adapter", 0}, {"switch", 0}};
  for (const congestion::AgentReport& agent : report.agents) {
    ++agents[congestion::name_of(agent.outcome)];
    events[agent.is_switch ? "switch" : "adapter"] += agent.events;
  }
  for (const auto& [outcome, count] : agents) {
    out.gauge("heddle_congestion_agents", "Switches and adapter ports, by what came of it",
              as_double(count), {{"state", std::string(outcome)}});
  }
  for (const auto& [kind, count] : events) {
    out.gauge("heddle_congestion_events", "Events in the congestion logs of those that are there",
              as_double(count), {{"kind", std::string(kind)}});
  }
  out.gauge("heddle_congestion_stopped", "1 when too much went wrong to write on",
            report.stopped ? 1 : 0);
  out.counter("heddle_congestion_checks_total", "Checks of all devices", as_double(report.checks));
  out.counter("heddle_congestion_requests_total", "Requests to congestion control agents",
              as_double(report.sent));
  out.counter("heddle_congestion_writes_total", "Of these, what was written",
              as_double(report.writes));
}

}  // namespace

std::string metrics_text(const State& state) {
  Families out;
  add_manager(state, out);
  add_journal(state, out);
  add_demand(state, out);
  if (state.fabric != nullptr) add_fabric(state, out);
  if (state.readings != nullptr) add_readings(state, out);
  if (state.congestion != nullptr) add_congestion(state, out);
  return out.text();
}

}  // namespace heddle::api
