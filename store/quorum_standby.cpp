// SPDX-License-Identifier: BSD-3-Clause
// A standby's part: it reads all, watches what changes, and tells it while the master is heard.
#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "store/quorum.hpp"

namespace heddle::store {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

// Ages are by the clock of the beats on both sides, so it does not matter what time it is here.
base::Record Quorum::record_of(const std::string& name, const Said* said) const {
  if (said == nullptr) return {name, std::nullopt};
  const std::uint64_t written = said->written == 0 ? seen_.clock : said->written;
  return {name, said->value, seen_.clock - std::min(seen_.clock, written)};
}

void Quorum::tell_all(bool live) {
  Told told{{*seen_.whole, true, {}}, live};
  told.batch.records.reserve(facts_.size());
  for (const auto& [name, said] : facts_) told.batch.records.push_back(record_of(name, &said));
  events_.emplace_back(std::move(told));
  was_told_ = true;
}

// What was promised in the last moments of a master, and had not come when it fell silent. Whoever
// threw the rest away since has no use for it.
void Quorum::tell_since(const Facts& before) {
  Told told{{*seen_.whole, false, {}}, true};
  for (const auto& [name, said] : facts_) {
    const auto old = before.find(name);
    if (old != before.end() && old->second == said) continue;
    told.batch.records.push_back(record_of(name, &said));
  }
  for (const auto& [name, said] : before) {
    if (facts_.count(name) == 0) told.batch.records.push_back(record_of(name, nullptr));
  }
  if (!told.batch.records.empty()) events_.emplace_back(std::move(told));
}

void Quorum::fall_silent() {
  if (!std::exchange(live_, false)) return;
  fell_silent_ = true;
  events_.emplace_back(Silent{});
}

// From here on it is watched. Without a master that is heard, nobody knows whether this is all that
// was promised: the first time it is told as that, and later what is known already counts more.
void Quorum::take_all(const Moment& at, const Entries& all) {
  const Facts before = std::exchange(facts_, {});
  const auto whole_before = seen_.whole;
  seen_ = control_of(all.entries);
  for (const Entry& entry : all.entries) {
    const auto name = name_of(entry.key);
    const auto space = entry.value.find(' ');
    const auto written = base::parse_number(std::string_view(entry.value).substr(0, space), kMost);
    if (!name || !written || space == std::string::npos) continue;
    facts_[*name] = {entry.value.substr(space + 1), *written};
  }
  live_ = false;
  beats_ = 0;
  read_ = at.now;
  watch_ = Watch{below(""), all.revision + 1};
  ++watch_number_;
  enter(Stage::Watching);
  if (seen_.whole && !was_told_) tell_all(false);
  if (std::exchange(fell_silent_, false) && seen_.whole && seen_.whole == whole_before) {
    tell_since(before);
  }
  lost_ = false;
  events_.emplace_back(Heard{});
}

// One transaction.
void Quorum::hear(const Moment& at, bool beat, std::vector<std::string> names) {
  if (!beat) return;
  // Beats that come at once have waited somewhere, or here while we slept: the master may be gone.
  if (!live_ && beats_ > 0 && at.now < heard_ + kBeat / 2) return;
  heard_ = at.now;
  if (!seen_.whole) return;
  ++beats_;
  if (!live_) {
    if (beats_ < 2) return;
    live_ = true;
    return tell_all(true);
  }
  if (names.empty()) return;
  Told told{{*seen_.whole, false, {}}, true};
  for (const std::string& name : names) {
    const auto fact = facts_.find(name);
    told.batch.records.push_back(record_of(name, fact == facts_.end() ? nullptr : &fact->second));
  }
  events_.emplace_back(std::move(told));
}

void Quorum::on_changes(const Moment& at, const std::vector<Changed>& changes) {
  if (stage_ != Stage::Watching) return;
  // After a pause nobody knows how old this is: what is read now, and comes then, is new.
  if (at.now >= std::max(heard_, read_) + kSilence) return on_watch_lost(at);
  for (auto change = changes.begin(); change != changes.end();) {
    const Revision revision = change->revision;
    bool beat = false;
    std::vector<std::string> names;
    for (; change != changes.end() && change->revision == revision; ++change) {
      const auto name = name_of(change->key);
      if (!name) {
        note(seen_, change->key, change->value, revision);
        beat |= change->key == this->at("beat") && change->value.has_value();
        continue;
      }
      const std::string_view text = change->value ? *change->value : std::string_view();
      const auto space = text.find(' ');
      const auto written = base::parse_number(text.substr(0, space), kMost);
      if (written && space != std::string_view::npos) {
        facts_[*name] = {std::string(text.substr(space + 1)), *written};
      } else {
        facts_.erase(*name);
      }
      names.push_back(*name);
    }
    if (!seen_.whole && std::exchange(live_, false)) events_.emplace_back(Doubted{});
    if (!seen_.whole) beats_ = 0;
    hear(at, beat, std::move(names));
  }
  pump(at);
}

void Quorum::on_watch_lost(const Moment& at) {
  if (stage_ != Stage::Watching) return;
  // So late that the master may have gone on without the store, and may have died since.
  if (live_ && at.now >= heard_ + 2 * kSilence) events_.emplace_back(Doubted{});
  fall_silent();
  enter(Stage::Reading);
  not_before_ = std::max(not_before_, at.now);
  pump(at);
}

}  // namespace heddle::store
