// SPDX-License-Identifier: BSD-3-Clause
// Between sweeps: what is to be done next, how long to rest, and the light sweeps that look around.
#include <algorithm>
#include <chrono>
#include <utility>

#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;

// Traps that come in a storm are answered one by one, but looked after no oftener than this.
constexpr base::Duration kBetweenTrapLooks = std::chrono::milliseconds(200);
// From a full sweep to one that another SM orders.
constexpr base::Duration kBetweenOrders = std::chrono::seconds(1);
// Those who let us wait, while all others have answered.
constexpr std::size_t kHardlyAny = 8;
// A switch that refuses to tell about itself must not have everything read again and again.
constexpr base::Duration kBetweenMisled = std::chrono::minutes(1);
// At a port of our own that answers nothing, once that has gone on for a while.
constexpr base::Duration kBetweenBlindLooks = std::chrono::seconds(10);
// Ports in one sweep: two links between switches, or four to hosts.
constexpr std::size_t kManyFallen = 4;

}  // namespace

// Once there is a reason to sweep, neither a device that lets us wait nor a look along every cable
// may put it off. Nor does what a trap tells of wait for a look around, unless the last one was cut
// short: traps without end must not keep all others from being looked at.
bool Core::Machine::has_seen_enough() const {
  if (stage != Stage::Watching) return false;
  if (trapped && !suspicion.empty() && !look_was_cut) return true;
  const bool retried = transactions.counters().retries > 0;
  if (!watch.reason().empty()) return !confirmed || retried;
  return !watch.suspicion().empty() && retried;
}

// What is to be done between sweeps, the most urgent first. False if there is nothing.
bool Core::Machine::begin_work() {
  if (trapped) heed_trap();  // it came while something else was done
  const bool has_view = administration.view() != nullptr;
  if (due) {
    if (std::exchange(superseded, false)) lay_down_office();
    begin_sweep(*std::exchange(due, std::nullopt));
  } else if (now >= wake) {
    begin_watch();
  } else if (has_joins() && now >= joins_next) {
    begin_joining();
  } else if (!fetches.empty() && has_view) {
    begin_fetching();
  } else if (!alias_writes.empty() && has_view) {
    begin_aliasing();
  } else if (has_to_tell() && now >= tells_next) {
    begin_telling();
  } else {
    // Not in the step that told of the sweep: whoever waits for that hears of it before.
    if (unready_since && *unready_since < steps) make_ready_for_looks();
    if (may_list_groups()) publish_groups();
    return false;
  }
  return true;
}

void Core::Machine::rest(base::Duration pause) {
  stage = Stage::Resting;
  looked = now;
  if (std::exchange(heeds_trap, false)) trap_heeded = now;
  if (swept > sweep_ended) {
    sweep_took = now - swept;
    sweep_ended = now;
  }
  // An interval of zero turns light sweeps off; what has a date of its own is done all the same.
  wake = pause == base::Duration{} ? next_date() : now + pause;
  // However often single devices ask to be looked at, a look around is not put off.
  if (revisiting && pause == options.sweep_interval && pause != base::Duration{}) {
    wake = std::max(now + kSoon, watched + pause);
  }
  // What a trap told during the sweep may have come too late for it.
  if (trapped) heed_trap();
  if (ordered) heed_order();
}

// Whoever orders sweeps one after the other gets as many as leave half of the time for the rest.
base::Instant Core::Machine::order_date() const {
  return sweep_ended + std::max(kBetweenOrders, sweep_took);
}

void Core::Machine::heed_order() {
  wake = std::min(wake, std::max(now, order_date()));
}

// Without a link no trap can wake us, whatever the interval. Where the port itself says nothing, to
// ask costs it something each time: with a key that it does not take, a violation.
base::Duration Core::Machine::blind_pause() const {
  base::Duration pause = kSoon;
  for (std::uint32_t n = 1; n < own_misses && pause < kBetweenBlindLooks; ++n) pause *= 2;
  return std::min(pause, kBetweenBlindLooks);
}

// Of a full sweep, of the release of a link that was held back, and of another look at a device
// that left something undone.
base::Instant Core::Machine::next_date() const {
  base::Instant date = std::min(link_damping.next_due(options.flap_hold), ailing.next_due());
  const auto interval = options.full_sweep_interval;
  if (interval != base::Duration{}) date = std::min(date, swept + interval);
  if (misled) date = std::min(date, misled_again);
  return std::max(date, now + kSoon);
}

void Core::Machine::heed_trap() {
  if (election.state() != mad::SMState::Master) return;
  const base::Instant date = hurried > 0 ? looked + kSoon : trap_heeded + kBetweenTrapLooks;
  wake = std::min(wake, std::max(now, date));
}

void Core::Machine::begin_watch() {
  transactions.begin_counting();
  settled_before_phase = 0;
  if (ordered && now >= order_date()) {
    tables_are_ours = false;  // whoever handed over wrote its own
    return begin_sweep(*std::exchange(ordered, std::nullopt));
  }
  Context with = context();
  switch (election.state()) {
    case mad::SMState::Standby:
      return begin_polling();
    case mad::SMState::NotActive:
      return rest(options.poll_interval);
    case mad::SMState::Discovering:
      if (options.shadow) return begin_sweep("time to compare again");
      if (!blind) return begin_sweep("no state was decided on");
      break;
    case mad::SMState::Master:
      if (election.polls()) return begin_polling();
      break;
  }
  if (!troubled.empty()) return begin_sweep(troubled);
  if (misled && now >= misled_again) {
    misled_again = now + kBetweenMisled;
    return begin_sweep("a device is not the one that was known to be there");
  }
  const auto full_interval = options.full_sweep_interval;
  if (!blind && full_interval != base::Duration{} && now >= swept + full_interval) {
    return begin_sweep("the last one was long ago");
  }
  suspect_calm_links();
  suspect_erring_nodes();
  suspect_ailing();
  const auto interval = options.sweep_interval;
  const bool look_due = interval != base::Duration{} && now >= watched + interval;
  if (!suspicion.empty() && !look_due) return begin_sweep_of(suspicion);
  tell_of_quiet_ports();
  stage = Stage::Watching;
  heeds_trap |= std::exchange(trapped, false);
  watch.begin(with, {!confirmed, unconfirmed}, patience);
  virtual_ports.watch(with);
}

// Nothing else would tell that a link has stood for long enough.
void Core::Machine::suspect_calm_links() {
  for (const auto& [a, b] : link_damping.due(now, options.flap_hold)) {
    for (const mad::Guid node : {a.node, b.node}) {
      suspicion.nodes.insert(node);
      suspicion.entirely.insert(node);
    }
    if (suspicion.reason.empty()) suspicion.reason = "a link has stood for long enough";
  }
}

// Errors alone are no reason to read the whole fabric: where single nodes cannot be read, a look
// around must do.
void Core::Machine::suspect_erring_nodes() {
  const auto nodes = std::exchange(erring, {});
  if (nodes.empty() || !may_revisit()) return;
  suspicion.nodes.insert(nodes.begin(), nodes.end());
  if (!suspicion.reason.empty()) return;
  const auto first = picture.observation.find(*nodes.begin());
  const NodeName name = first ? picture.name(*first) : NodeName{*nodes.begin(), ""};
  suspicion.reason = text(name) + " told of errors at a port";
}

// Where something was not written the rest of the sweep follows, whatever is read.
void Core::Machine::suspect_ailing() {
  for (const auto& [guid, undone, refuses_table] : ailing.due(now)) {
    const auto node = picture.observation.find(guid);
    if (!node) {
      ailing.forget(guid);
      continue;
    }
    suspicion.nodes.insert(guid);
    suspicion.entirely.insert(guid);
    suspicion.returned |= undone;
    if (!suspicion.reason.empty()) continue;
    suspicion.reason =
        text(picture.name(*node)) + (refuses_table ? " did not take its forwarding table"
                                                   : " did not answer in the last sweep");
  }
}

// Links that fell as they were to be raised. A full sweep that is told so for the first time has
// been overtaken by something greater, and where many fall there is no telling what; otherwise the
// ends of those cables are all there is to look at: a link that never comes up must not have the
// fabric read again and again.
bool Core::Machine::overtaken_by_falls(bool in_full_sweep) {
  const auto fallen = programming.take_fallen();
  if (fallen.ports.size() > kManyFallen || (in_full_sweep && fallen.news)) return true;
  for (const PortIndex port : fallen.ports) {
    if (!suspect_link(port)) return true;
  }
  return false;
}

// False if no switch is at either end.
bool Core::Machine::suspect_link(PortIndex port) {
  const auto& topology = *picture.frozen.topology;
  const PortIndex at = topology.is_switch(topology.node_of(port)) ? port : topology.peer(port);
  if (at == fabric::kNoPort || !topology.is_switch(topology.node_of(at))) return false;
  const auto end = picture.frozen.end_of[at.value];
  suspicion.cables.push_back(end);
  if (suspicion.reason.empty())
    suspicion.reason = text(picture.name(end)) + " fell when it was to be raised";
  return true;
}

// A port that was locked may have the key of one that was not there when all were tried. A full
// sweep tries by itself.
void Core::Machine::suspect_locked_ports() {
  if (!keys.per_port() || keys.locked().empty()) return;
  const std::size_t owners = KeyRecovery::owners(context());
  const bool is_news = std::exchange(key_owners, owners) != owners;
  if (!revisiting || !is_news) return;
  const fabric::Observation& observation = picture.observation;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    const auto& node = observation[{n}];
    const bool is_locked = std::any_of(node.ports.begin(), node.ports.end(), [&](const auto& port) {
      return keys.locked().count(node.is_switch() ? node.info.port_guid : port.guid) != 0;
    });
    if (!is_locked) continue;
    suspicion.nodes.insert(node.info.node_guid);
    suspicion.entirely.insert(node.info.node_guid);
    if (suspicion.reason.empty()) {
      suspicion.reason =
          text(picture.name(fabric::ObservedIndex{n})) + " may have a key that is known by now";
    }
  }
}

void Core::Machine::suspect_virtual_ports() {
  for (const mad::Guid node : virtual_ports.take_suspects()) {
    suspicion.nodes.insert(node);
    suspicion.entirely.insert(node);
    if (suspicion.reason.empty()) suspicion.reason = "virtual ports have come or gone";
  }
}

void Core::Machine::finish_watch() {
  tell_load();
  publish_groups();
  if (stage == Stage::Polling) return finish_polling();
  if (transactions.idle() && election.overlooked_writer(context())) {
    tables_are_ours = false;
    return begin_sweep("another SM may have been master unnoticed");
  }
  // Else it was cut short, and the rest is still due.
  look_was_cut = transactions.outstanding() > kHardlyAny;
  if (!look_was_cut) watched = now;
  if (!watch.reason().empty()) return begin_sweep(watch.reason());
  if (!watch.suspicion().empty()) {
    suspicion.add(watch.suspicion());
    return begin_sweep_of(suspicion);
  }
  suspect_virtual_ports();
  confirmed = true;
  looked_again = false;
  unconfirmed.clear();
  untold.merge(unheard);
  if (!suspicion.empty()) return begin_sweep_of(suspicion);
  show_managers();
  if (begin_hand_over()) return;
  rest(blind ? blind_pause() : options.sweep_interval);
}

}  // namespace heddle::sm
