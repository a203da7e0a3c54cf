// SPDX-License-Identifier: BSD-3-Clause
#include "tests/store/quorum_world.hpp"

#include <algorithm>

namespace heddle::test {

using namespace std::chrono_literals;
using store::Quorum;

// --- the store

std::vector<store::Entry> StoreModel::read(const store::KeyRange& range) const {
  std::vector<store::Entry> entries;
  for (auto at = keys_.lower_bound(range.first); at != keys_.end() && at->first < range.end; ++at) {
    entries.push_back(at->second);
  }
  return entries;
}

void StoreModel::write(const store::Change& change) {
  tied_.erase(change.key);
  if (!change.value) {
    if (keys_.erase(change.key) != 0) history_.push_back({change.key, std::nullopt, revision_});
    return;
  }
  keys_[change.key] = {change.key, *change.value, revision_};
  if (change.lease != 0) tied_[change.key] = change.lease;
  history_.push_back({change.key, change.value, revision_});
}

void StoreModel::expire(base::Instant now) {
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    if (now < lease->second.until) {
      ++lease;
      continue;
    }
    ++revision_;
    std::vector<std::string> ending;
    for (const auto& [key, id] : tied_) {
      if (id == lease->first) ending.push_back(key);
    }
    for (const std::string& key : ending) write({key, std::nullopt});
    lease = leases_.erase(lease);
  }
}

store::Answer StoreModel::answer(base::Instant now, const store::Question& question) {
  expire(now);
  if (const auto* wanted = std::get_if<store::Read>(&question)) {
    return store::Entries{revision_, read(wanted->range)};
  }
  if (const auto* grant = std::get_if<store::Grant>(&question)) {
    leases_[++last_lease_] = {std::chrono::seconds(grant->seconds),
                              now + std::chrono::seconds(grant->seconds)};
    return store::Lease{last_lease_, grant->seconds};
  }
  if (const auto* renew = std::get_if<store::Renew>(&question)) {
    const auto lease = leases_.find(renew->lease);
    if (lease == leases_.end()) return store::Lease{renew->lease, 0};
    lease->second.until = now + lease->second.time;
    return store::Lease{renew->lease, lease->second.time.count()};
  }
  const auto& commit = std::get<store::Commit>(question);
  for (const auto& [key, revision] : commit.expected) {
    const auto there = keys_.find(key);
    if ((there == keys_.end() ? 0 : there->second.revision) == revision) continue;
    ++refused_;
    return store::Committed{false, revision_, read(commit.otherwise)};
  }
  for (const auto& change : commit.changes) {
    if (change.lease != 0 && leases_.count(change.lease) == 0) {
      return store::NoAnswer{"requested lease not found"};
    }
  }
  ++revision_;
  ++commits_;
  for (const auto& change : commit.changes) write(change);
  return store::Committed{true, revision_, {}};
}

std::vector<store::Changed> StoreModel::changes(const store::KeyRange& range,
                                                store::Revision from) const {
  std::vector<store::Changed> found;
  const auto first = std::lower_bound(history_.begin(), history_.end(), from,
                                      [](const store::Changed& each, store::Revision revision) {
                                        return each.revision < revision;
                                      });
  std::copy_if(first, history_.end(), std::back_inserter(found),
               [&](const auto& each) { return range.first <= each.key && each.key < range.end; });
  return found;
}

// --- a manager

Member::Member(QuorumWorld& world, const std::string& name)
    : world_(world),
      quorum_({"p", name, 5s, [](std::string_view record) { return record.starts_with("aged"); }}) {
}

// Letters keep their order.
void Member::post(std::function<void()> arrives) {
  base::Instant when = world_.now + delay;
  if (!letters_.empty()) when = std::max(when, letters_.back().when);
  letters_.push_back({when, std::move(arrives)});
}

void Member::become_master(std::uint64_t epoch) {
  if (believes_ && !master_) facts_ = copy_;
  master_ = true;
  believes_ = false;
  epoch_ = epoch;
  store::State state{++number_, {epoch, true, {}}};
  for (const auto& [name, value] : facts_) state.batch.records.push_back({name, value});
  quorum_.publish(here(), state);
  take_outputs();
}

void Member::stand_by() {
  master_ = false;
  facts_.clear();
  quorum_.step_down(here());
  take_outputs();
}

std::uint64_t Member::say(const std::string& name, std::optional<std::string> value) {
  if (value) facts_[name] = *value;
  if (!value) facts_.erase(name);
  store::State state{++number_, {epoch_, false, {{name, std::move(value)}}}};
  quorum_.publish(here(), state);
  take_outputs();
  return number_;
}

void Member::take(const Quorum::Event& event) {
  events.push_back(event);
  if (const auto* told = std::get_if<Quorum::Told>(&event); told != nullptr && told->live) {
    if (!told->batch.whole && !believes_) return;
    if (told->batch.whole) copy_.clear();
    for (const auto& record : told->batch.records) {
      if (record.value) copy_[record.name] = *record.value;
      if (!record.value) copy_.erase(record.name);
    }
    copy_epoch_ = told->batch.epoch;
    believes_ = true;
  }
  if (std::holds_alternative<Quorum::Doubted>(event)) believes_ = false;
  if (on_event) on_event(event);
}

void Member::ask(const Quorum::Ask& ask) {
  gives_up_ = {ask.id, world_.now + 1s};
  post([this, ask] {
    if (cut_out || !world_.store_up) return;
    post([this, id = ask.id, answer = world_.store.answer(world_.now, ask.question)] {
      if (cut_in || !alive_ || (gives_up_ && gives_up_->first != id)) return;
      gives_up_.reset();
      quorum_.on_answer(here(), id, answer);
      take_outputs();
    });
  });
}

void Member::take_outputs() {
  if (auto wanted = quorum_.take_ask()) ask(*wanted);
  for (const auto& event : quorum_.take_events()) take(event);
}

void Member::look_at_watch() {
  const auto* watch = quorum_.watch();
  if (watch == nullptr) return;
  if (watch_number_ != quorum_.watch_number()) {
    watch_number_ = quorum_.watch_number();
    watched_ = watch->from - 1;
  }
  if (cut_in || !world_.store_up) return;
  const auto changes = world_.store.changes(watch->range, watched_ + 1);
  if (changes.empty()) return;
  watched_ = changes.back().revision;
  post([this, changes, number = watch_number_] {
    if (cut_in || number != quorum_.watch_number()) return;
    quorum_.on_changes(here(), changes);
    take_outputs();
  });
}

store::Quorum::Moment Member::here() const {
  const auto since = world_.now.time_since_epoch();
  const auto drifted = since + since / 1'000'000 * clock.drift_ppm;
  const auto wall = static_cast<std::int64_t>(world_.wall()) + clock.wall_ahead.count();
  return {base::Instant{drifted} + clock.ahead, static_cast<std::uint64_t>(wall)};
}

void Member::step() {
  if (!alive_ || stopped_) return;
  while (!letters_.empty() && letters_.front().when <= world_.now) {
    const auto letter = std::move(letters_.front());
    letters_.pop_front();
    letter.arrives();
  }
  if (gives_up_ && gives_up_->second <= world_.now) {
    const auto id = gives_up_->first;
    gives_up_.reset();
    quorum_.on_answer(here(), id, store::NoAnswer{"it is silent"});
    take_outputs();
  }
  if (quorum_.deadline() <= here().now) {
    quorum_.on_time(here());
    take_outputs();
  }
  look_at_watch();
}

// --- the world

Member& QuorumWorld::add(const std::string& name) {
  members.push_back(std::make_unique<Member>(*this, name));
  return *members.back();
}

std::uint64_t QuorumWorld::wall() const {
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  return 1'700'000'000 + static_cast<std::uint64_t>(since.count());
}

void QuorumWorld::run_for(base::Duration time) {
  for (const auto end = now + time; now < end; now += 1ms) {
    store.expire(now);
    for (const auto& member : members) member->step();
  }
}

}  // namespace heddle::test
