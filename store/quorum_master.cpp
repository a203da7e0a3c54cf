// SPDX-License-Identifier: BSD-3-Clause
// The master's part: it claims the place, writes what lacks, and then every change.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/quorum.hpp"

namespace heddle::store {
namespace {

// Clocks and the counting of seconds may differ by so much without anything being new.
constexpr std::uint64_t kSameAge = 5;

bool is_same(std::string_view value_a, std::uint64_t written_a, std::string_view value_b,
             std::uint64_t written_b) {
  const auto [low, high] = std::minmax(written_a, written_b);
  return value_a == value_b && high - low <= kSameAge;
}

}  // namespace

Quorum::Said Quorum::said(const Moment& at, const base::Record& record) const {
  const bool ages = options_.ages && options_.ages(record.name);
  return {*record.value, ages ? at.wall - std::min(record.age, at.wall) : 0};
}

Change Quorum::change_of(const std::string& name, const Said* said) const {
  const std::string key = options_.prefix + "/record/" + name;
  if (said == nullptr) return {key, std::nullopt};
  return {key, fmt::format("{} {}", said->written, said->value)};
}

void Quorum::publish(const Moment& at, const State& state) {
  const bool anew = !leads() || state.batch.epoch != epoch_;
  if (anew && !state.batch.whole) return;  // what they change was never told
  latest_ = state.number;
  if (anew) {
    watch_.reset();
    ++watch_number_;
    live_ = fell_silent_ = false;
    epoch_ = state.batch.epoch;
    not_before_ = at.now;
    named_ = 0;
    enter(Stage::Looking);
  }
  if (state.batch.whole) {
    take_whole(at, state);
  } else {
    take_changes(at, state);
  }
  pump(at);
}

// Only what differs is written, in transactions of a size that the store takes.
void Quorum::take_whole(const Moment& at, const State& state) {
  Facts facts;
  for (const base::Record& record : state.batch.records) {
    if (record.value) facts[record.name] = said(at, record);
  }
  State changes{state.number, {state.batch.epoch, false, {}}};
  for (const auto& [name, old] : facts_) {
    if (facts.count(name) == 0) changes.batch.records.push_back({name, std::nullopt});
  }
  for (const base::Record& record : state.batch.records) {
    if (!record.value) continue;
    const auto old = facts_.find(record.name);
    const Said& now = facts[record.name];
    if (old != facts_.end() &&
        is_same(old->second.value, old->second.written, now.value, now.written)) {
      continue;
    }
    changes.batch.records.push_back(record);
  }
  take_changes(at, changes);
  facts_ = std::move(facts);
}

void Quorum::take_changes(const Moment& at, const State& state) {
  const bool waits = stage_ == Stage::Filling || stage_ == Stage::Serving;
  Pending pending{0, at.now, {}};
  std::size_t bytes = 0;
  for (const base::Record& record : state.batch.records) {
    if (record.value) {
      facts_[record.name] = said(at, record);
    } else {
      facts_.erase(record.name);
    }
    if (!waits) continue;
    if (pending.changes.size() == kMaxChanges || bytes >= kMaxBytes) {
      pending_.push_back(std::exchange(pending, {0, at.now, {}}));
      bytes = 0;
    }
    const auto fact = facts_.find(record.name);
    pending.changes.push_back(
        change_of(record.name, fact == facts_.end() ? nullptr : &fact->second));
    bytes += record.name.size() + (record.value ? record.value->size() : 0);
  }
  if (pending.changes.empty()) return;
  pending.number = state.number;
  pending_.push_back(std::move(pending));
}

void Quorum::step_down(const Moment& at) {
  if (!leads()) return;
  const bool holds = stage_ == Stage::Filling || stage_ == Stage::Serving;
  enter(holds ? Stage::Leaving : Stage::Reading);
  facts_.clear();
  was_told_ = false;
  not_before_ = at.now;
  pump(at);
}

// Of a later epoch is who the fabric made master later. An earlier one gives way as long as that
// one is there, and takes a later epoch itself when it has gone: which of the two is master is for
// the fabric to say.
void Quorum::look_around(const Moment& at, const Control& control) {
  const bool ours = control.last.holder == options_.holder;
  const bool may = control.last.holder.empty() || control.last.epoch < epoch_ ||
                   (control.last.epoch == epoch_ && ours);
  if (may) {
    control_ = control;
    if (at.now >= renewed_ + options_.lease / 2) lease_ = 0;  // it may have ended
    return enter(lease_ == 0 ? Stage::Granting : Stage::Claiming);
  }
  not_before_ = at.now + kRetry;
  const bool taken = control.master.revision != 0 && control.master.holder != options_.holder;
  if (!taken) {
    events_.emplace_back(Behind{control.last.epoch});
  } else if (std::exchange(named_, control.last.epoch) != control.last.epoch) {
    events_.emplace_back(Overtaken{control.last.epoch});
  }
}

void Quorum::claim(const Moment& at) {
  const std::string name = fmt::format("{} {}", epoch_, options_.holder);
  const std::string master = this->at("master"), epoch = this->at("epoch");
  Commit commit{{{master, control_.master.revision}, {epoch, control_.last.revision}},
                {{master, name, lease_},
                 {epoch, name},
                 {this->at("beat"), std::to_string(at.wall)},
                 {this->at("whole"), std::nullopt}},
                below("at")};
  send(at, std::move(commit));
}

Commit Quorum::chained(const Moment& at) const {
  Commit commit{{{this->at("master"), token_}, {this->at("beat"), beat_}}, {}, below("at")};
  commit.changes.push_back({this->at("beat"), std::to_string(at.wall)});
  return commit;
}

void Quorum::compare(const std::vector<Entry>& entries) {
  fill_.clear();
  std::map<std::string, std::string_view> there;
  for (const Entry& entry : entries) {
    const auto name = name_of(entry.key);
    if (!name) continue;
    there[*name] = entry.value;
    if (facts_.count(*name) == 0) fill_.push_back(change_of(*name, nullptr));
  }
  for (const auto& [name, said] : facts_) {
    const auto old = there.find(name);
    const auto space = old == there.end() ? std::string_view::npos : old->second.find(' ');
    if (space != std::string_view::npos) {
      const auto written = base::parse_number(old->second.substr(0, space));
      if (written && is_same(old->second.substr(space + 1), *written, said.value, said.written)) {
        continue;
      }
    }
    fill_.push_back(change_of(name, &said));
  }
  filled_ = latest_;
  enter(Stage::Filling);
}

void Quorum::send_fill(const Moment& at) {
  Commit commit = chained(at);
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < kMaxChanges && bytes < kMaxBytes && !fill_.empty(); ++n) {
    bytes += fill_.back().key.size() + fill_.back().value.value_or("").size();
    commit.changes.push_back(std::move(fill_.back()));
    fill_.pop_back();
  }
  if (fill_.empty()) commit.changes.push_back({this->at("whole"), std::to_string(epoch_)});
  send(at, std::move(commit));
}

// What waits goes out together, as far as a transaction takes it. A lease is renewed when there is
// time until the next beat.
void Quorum::send_pending(const Moment& at) {
  if (at.now >= renewed_ + options_.lease / 3) return send(at, Renew{lease_});
  if (pending_.empty() && at.now < beat_sent_ + kBeat) return;
  beat_sent_ = at.now;
  Commit commit = chained(at);
  std::map<std::string, Change> together;  // a key may change once in a transaction
  std::size_t bytes = 0;
  for (sending_ = 0; sending_ < pending_.size(); ++sending_) {
    const Pending& next = pending_[sending_];
    const bool full = together.size() + next.changes.size() > kMaxChanges || bytes > kMaxBytes;
    if (sending_ != 0 && full) break;
    for (const Change& change : next.changes) {
      together[change.key] = change;
      bytes += change.key.size() + change.value.value_or("").size();
    }
  }
  for (auto& [key, change] : together) commit.changes.push_back(std::move(change));
  send(at, std::move(commit));
}

// When the store has been waited for long enough.
base::Instant Quorum::due() const {
  const base::Instant asked = asked_ ? sent_ + kPatience : base::kNever;
  return pending_.empty() ? asked : std::min(asked, pending_.front().since + kPatience);
}

// An answer may have come meanwhile; or another master, to whom what we have not written is
// unknown.
void Quorum::forgive_sleep(const Moment& at) {
  if (stage_ != Stage::Serving || due() == base::kNever || at.now < due() + kSilence) return;
  sent_ = at.now;
  for (Pending& pending : pending_) pending.since = at.now;
}

void Quorum::advance(const Moment& at, Revision revision) {
  beat_ = revision;
  if (stage_ == Stage::Filling) {
    if (!fill_.empty()) return;
    acked_ = filled_;
    for (Pending& pending : pending_) pending.since = at.now;  // nobody has waited for them
    enter(Stage::Serving);
    lost_ = false;
    events_.emplace_back(Whole{});
    return;
  }
  for (; sending_ > 0; --sending_) {
    acked_ = std::max(acked_, pending_.front().number);
    pending_.pop_front();
  }
}

void Quorum::on_committed(const Moment& at, const Committed& committed) {
  if (stage_ == Stage::Claiming) {
    if (!committed.done) return enter(Stage::Looking);
    token_ = beat_ = committed.revision;
    return enter(Stage::Comparing);
  }
  if (committed.done) return advance(at, committed.revision);
  const Control control = control_of(committed.instead);
  if (control.master.revision == token_ && control.beat != beat_) {
    return advance(at, control.beat);  // it was done, and only the answer had been lost
  }
  lose(control.master.revision == 0 ? "our lease there has ended" : "another master writes there");
  enter(Stage::Looking);
  not_before_ = at.now;
  look_around(at, control);  // in one breath: what is not written must not be promised first
}

void Quorum::on_lead(const Moment& at, const Answer& answer) {
  if (const auto* lease = std::get_if<Lease>(&answer)) {
    lease_ = lease->seconds > 0 ? lease->id : 0;
    renewed_ = sent_;
    // If it has ended while we served, the next transaction is refused, and says who is there.
    if (stage_ == Stage::Granting) enter(lease_ != 0 ? Stage::Claiming : Stage::Looking);
  } else if (const auto* committed = std::get_if<Committed>(&answer)) {
    on_committed(at, *committed);
  } else if (const auto* entries = std::get_if<Entries>(&answer)) {
    if (stage_ == Stage::Looking) {
      look_around(at, control_of(entries->entries));
    } else if (stage_ == Stage::Comparing) {
      compare(entries->entries);
    }
  }
}

}  // namespace heddle::store
