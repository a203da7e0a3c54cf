// SPDX-License-Identifier: BSD-3-Clause
// What the machine hands to a store and to its standby, and what it takes up from there.
#include <algorithm>
#include <chrono>
#include <utility>

#include "sa/registrations_text.hpp"
#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

// Whether most ports name this one as their master: else somebody else was it since.
bool is_named_master(const Picture& picture, mad::Lid lid) {
  std::size_t naming = 0, others = 0;
  for (const auto port : picture.frozen.topology->endports()) {
    const auto end = picture.frozen.end_of[port.value];
    const auto& info = picture.observation.port(end).info;
    if (!info || info->master_sm_lid == mad::kNoLid) continue;
    ++(info->master_sm_lid == lid ? naming : others);
  }
  return naming >= others;
}

// Where others find the holder of the office. By the view's own numbers: the picture of a sweep
// under way is of another topology, or of none yet.
mad::Lid lid_of(mad::Guid holder, const sa::View& view) {
  const auto port = view.find(holder);
  return port == fabric::kNoPort ? mad::kNoLid : view.lid(port);
}

}  // namespace

// Of a run before this one, or of the master whose standby we were.
void Core::Machine::restore(std::string registrations) {
  if (const RememberedKeys known = take_keys(registrations); !known.empty()) {
    keys.remember(known);
    transactions.set_keys(keys.for_strangers());
  }
  if (registrations.empty()) return;
  office = take_office(registrations);
  if (office) epoch = std::max(epoch, office->epoch);
  auto restored = sa::parse_registrations(registrations, now);
  if (!restored) return say(RegistrationsLost{restored.error().message});
  administration.restore(std::move(*restored));
  clients_are_known = true;
}

void Core::Machine::take_up_memory() {
  const bool was_told = !replica.empty();
  if (was_told) {
    Recalled recalled = recall(replica.records(now));
    replica.clear();
    recalled.lids.insert(recalled.lids.end(), memory.begin(), memory.end());
    memory = std::move(recalled.lids);
    keys.remember(memory);
    restore(std::move(recalled.registrations));
  }
  ++epoch;
  notary.begin_anew();
  if (!clients_are_known || !office) return;
  // A snapshot was restored: it is a beginning, and whoever it knows is asked what is so now.
  if (office->holder == mad::Guid{}) {
    clients_are_known = false;
    return;
  }
  // Of another master's registrations only what came until its end is all there was.
  if (!was_told && office->holder != own_guid()) {
    forget_clients();
    return say(RegistrationsLost{"they are what another manager said some time ago"});
  }
  former_master = office->lid;
  if (is_named_master(picture, former_master)) return;
  forget_clients();
  say(RegistrationsLost{"another manager was master since"});
}

void Core::Machine::forget_clients() {
  former_master = mad::kNoLid;
  clients_are_known = false;
  administration.close();
  permanent_groups_due = true;
  role_changes.clear();
  administration.take_role_changes();
}

// Whether the programs on a port have registered with us, or with whom we have it all from.
bool Core::Machine::clients_know(fabric::PortIndex at, mad::Lid master, mad::Lid own) const {
  const mad::Guid port = picture.frozen.topology->port(at).guid;
  if (outdated.count(port) + untold.count(port) + unheard.count(port) != 0) return false;
  if (master != own && (master != former_master || master == mad::kNoLid)) return false;
  const sa::View* view = administration.view();
  if (view == nullptr) return clients_are_known;
  // Nearly all are where they were: that is seen at once.
  const bool is_there = picture.frozen.topology->shares_nodes_with(view->topology()) &&
                        view->topology().port(at).guid == port &&
                        view->lids().base(at) != mad::kNoLid && port != mad::Guid{};
  return is_there || view->find(port) != fabric::kNoPort;
}

std::vector<base::Record> Core::Machine::all_records() {
  auto records = sa::to_records(administration.registrations(), now);
  for (const RememberedLids& lids : memory) records.push_back(to_record(lids));
  const auto known = to_records(keys.in_use());
  records.insert(records.end(), known.begin(), known.end());
  return records;
}

// For the next machine of this process.
std::string Core::Machine::registrations_text() const {
  auto records = sa::to_records(administration.registrations(), now);
  if (options.durable) {
    const mad::Lid own = lid_of(own_guid(), *administration.view());
    records.push_back(to_record(Office{own_guid(), own, epoch}));
  }
  return to_text(keys.in_use()) + sa::to_text(records);
}

// Once for each step, with all that it changed, and before anybody is told of it.
void Core::Machine::remember() {
  if (!options.durable) return;
  const sa::View* view = administration.view();
  const bool in_office = election.state() == mad::SMState::Master && !options.shadow;
  if (!in_office) return notary.stop();
  if (superseded) {  // whoever came later would not know what is promised here
    notary.stop();
    (void)administration.take_promises();
    return;
  }
  if (view == nullptr) {  // nobody can register, and is told so
    for (mad::Datagram& busy : administration.take_promises()) {
      outputs.emplace_back(SendMad{std::move(busy)});
    }
    return;
  }
  if (notary.pump(now)) say(MemoryFails{notary.trouble()});
  const bool all = notary.wants_all(now);
  auto changes = administration.take_changes(now);
  if (all) {
    changes = all_records();
  } else if (lids_changed) {
    const auto more = lid_changes(lids_stored, memory);
    changes.insert(changes.end(), more.begin(), more.end());
  }
  if (all || lids_changed) {
    lids_stored = memory;
    changes.push_back(to_record(Office{own_guid(), lid_of(own_guid(), *view), epoch}));
  }
  if (keys_changed && !all) {
    const auto known = to_records({keys.in_use().masters, {}});
    changes.insert(changes.end(), known.begin(), known.end());
  }
  lids_changed = keys_changed = false;
  if (all || (notary.wants_changes() && !changes.empty())) {
    outputs.emplace_back(Store{notary.submit(now, all), epoch, all, std::move(changes)});
  }
  for (mad::Datagram& promise : administration.take_promises()) notary.hold(std::move(promise));
  for (mad::Datagram& released : notary.take_released()) {
    outputs.emplace_back(SendMad{std::move(released)});
  }
}

void Core::Machine::on(const Stored& stored) {
  if (!notary.on_stored(now, stored.ticket, stored.trouble)) return;
  if (notary.failing()) return say(MemoryFails{notary.trouble()});
  say(MemoryWhole{});
}

// A master knows better; but what it says must not be taken for something older by a standby that
// has heard of later masters than we have. And who was made master later knows what was registered
// while we were stopped: unless the fabric has nobody but us, we stand by and are told. We try that
// once: in a fabric that is cut in two both are right to go on.
void Core::Machine::on(const Shared& shared) {
  if (options.shadow) return;
  if (election.state() == mad::SMState::Master) {
    if (shared.epoch < epoch) return;
    if (shared.whole) {
      superseded = shared.epoch > epoch && !std::exchange(laid_down, true);
      return on(ResweepCommand{"another subnet manager was made master later"});
    }
    epoch = shared.epoch + 1;
    return notary.begin_anew();
  }
  laid_down = laid_down && election.state() != mad::SMState::Standby;
  replica.take(now, shared.epoch, shared.whole, shared.records);
  peer_silent = peer_silent && !shared.whole;
  epoch = std::max(epoch, shared.epoch);
}

void Core::Machine::lay_down_office() {
  Context with = context();
  election.lay_down(with, *due);
  close_view();
}

// A master that lives may have promised more than we have heard.
void Core::Machine::doubt_replica() {
  if (std::exchange(peer_silent, false)) replica.clear();
  hastens_polls = 0;
}

void Core::Machine::on(const PeerSilent&) {
  if (election.state() != mad::SMState::Standby) return;
  hastens_polls = options.poll_misses;
  peer_silent = true;
  if (stage == Stage::Resting) wake = now;
}

}  // namespace heddle::sm
