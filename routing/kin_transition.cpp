// SPDX-License-Identifier: BSD-3-Clause
#include "routing/kin_transition.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "fabric/survey.hpp"
#include "fabric/table_changes.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using fabric::TableChanges;
using fabric::Topology;

constexpr std::uint32_t kNone = Certificate::kNone;
// Of one LID: where so many entries change, or after so many steps against the entries, one walk
// along them from all hosts is cheaper.
constexpr std::uint32_t kManyAsked = 64;

// The line that covers both, and where each side's switches stand in it.
struct Family {
  std::shared_ptr<const Certificate> certificate;
  const Kinship* line = nullptr;
  std::vector<SwitchIndex> at_home;  // by switch of now
  std::vector<SwitchIndex> before;   // by switch of now: in the old tables; kNew: it was not
  bool old_is_in_line = true;        // or that has yet to be seen, where entries differ
  bool old_is_home = false;          // itself, as it was before the loss
};

std::vector<SwitchIndex> places_at_home(const Selected& selected, std::size_t switches) {
  if (selected.kin != nullptr) return selected.kin->at_home;
  std::vector<SwitchIndex> same;
  for (std::uint32_t s = 0; s < switches; ++s) same.push_back(SwitchIndex{s});
  return same;
}

std::optional<Family> family_of(const Topology& topology, const Selected& wanted,
                                const InPlace& in_place) {
  if (in_place.selected == nullptr) return std::nullopt;
  const Selected& old = *in_place.selected;
  const auto home_of = [](const Selected& tables) {
    return tables.kin != nullptr ? tables.kin->certificate : tables.certificate;
  };
  Family family;
  family.certificate = home_of(wanted);
  if (family.certificate == nullptr || family.certificate != home_of(old)) return std::nullopt;
  family.line = wanted.kin != nullptr ? wanted.kin.get() : old.kin.get();
  family.old_is_home = old.kin == nullptr;
  family.old_is_in_line = family.old_is_home || family.line == old.kin.get();
  family.at_home = places_at_home(wanted, topology.switch_count());
  const auto old_at_home = places_at_home(old, in_place.topology->switch_count());
  if (family.line == nullptr || family.at_home.size() != topology.switch_count() ||
      old_at_home.size() != in_place.tables->switch_count() ||
      in_place.tables->row_size() != wanted.routes.tables.row_size()) {
    return std::nullopt;
  }
  std::vector<SwitchIndex> old_of(family.certificate->switch_count(), TableChanges::kNew);
  for (std::uint32_t s = 0; s < old_at_home.size(); ++s) old_of[old_at_home[s].value] = {s};
  for (const SwitchIndex at : family.at_home) family.before.push_back(old_of[at.value]);
  return family;
}

using Change = fabric::TableChange;

// All that the planning of columns shares.
struct Scene {
  const Topology& topology;
  const fabric::ForwardingTables& tables;
  const Family& family;
  std::vector<std::uint8_t> bound_by_all;  // by LID: everybody's packets count, not only hosts'
  std::vector<std::uint8_t> has_hosts;     // by switch
};

enum class Verdict : std::uint8_t { Free, Circles, Waits, Empties, Beyond };

// One LID after another. Scratch memory: one per thread.
class ColumnPlanner {
 public:
  explicit ColumnPlanner(const Scene& scene)
      : scene_(scene),
        number_(scene.topology.switch_count(), 0),
        unpassed_(scene.topology.switch_count(), 0) {}

  // `late` gets the entries that wait, if it is no more steps than there may be.
  Verdict plan(std::span<const Change> changes, std::vector<Transition::Late>& late) {
    changes_ = changes;
    lid_ = changes.front().lid;
    entries_ = scene_.tables.column(mad::Lid{lid_});
    passed_.clear();
    passes_.assign(changes.size(), std::nullopt);
    asked_ = 0;
    for (std::uint32_t i = 0; i < changes.size(); ++i) number_[changes[i].at] = i + 1;
    if (!all_senders_count() && changes.size() >= kManyAsked) mark_passed();
    const Verdict verdict = judge(late);
    for (const Change& change : changes) number_[change.at] = 0;
    return verdict;
  }

 private:
  struct Wait {
    std::uint32_t who = 0;
    std::uint32_t for_whom = 0;
  };
  // At a switch by a channel; kNone: at none.
  struct Arrival {
    std::uint32_t held = kNone, at = kNone;
  };
  // Of packets that leave a switch by a port: where they may take a turn back.
  struct Suspect {
    std::uint32_t from = 0;
    std::uint8_t out = 0;
    Arrival arrival;
  };

  Verdict judge(std::vector<Transition::Late>& late) {
    waits_.clear();
    follow_ways();
    const bool circles = may_circle();
    if (circles) {
      for (std::uint32_t i = 0; i < changes_.size(); ++i) {
        if (then_[i][1] != kNone) waits_.push_back({i, then_[i][1]});
      }
    }
    if (!find_turns_back()) return Verdict::Beyond;
    old_strays_ = false;
    const bool strays = !all_senders_count() && find_strays();
    // It may be that the old tables alone lead hosts there.
    if (old_strays_ && !scene_.family.old_is_in_line) return Verdict::Beyond;
    if (waits_.empty() && !strays) return Verdict::Free;
    if (!put_in_order() || (strays && !holds_step_by_step())) return Verdict::Empties;
    tell(late);
    return circles ? Verdict::Circles : Verdict::Waits;
  }

  std::uint32_t channel(std::uint32_t at, std::uint8_t out) const {
    return scene_.family.certificate->channel(scene_.family.at_home[at].value, out);
  }
  // The next switch over a link that is there; kNone if none is.
  std::uint32_t step(std::uint32_t at, std::uint8_t out) const {
    const auto index = scene_.topology.channel_by_entry(SwitchIndex{at}, out);
    return index == fabric::kNoChannel ? kNone : scene_.topology.channels()[index.value].to.value;
  }
  bool is_forward(std::uint32_t held, std::uint32_t next) const {
    return scene_.family.line->places[held] < scene_.family.line->places[next];
  }

  // Of each change, on its old and on its new entry: the change that packets come to next.
  void follow_ways() {
    then_.assign(changes_.size(), {kNone, kNone});
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
      then_[i] = {next_change(changes_[i].at, changes_[i].old),
                  next_change(changes_[i].at, changes_[i].now)};
    }
  }
  std::uint32_t next_change(std::uint32_t at, std::uint8_t out) const {
    at = step(at, out);
    // Entries that are the same lead to an end: they did in tables that were proven.
    for (std::size_t passed = 0; at != kNone && passed <= number_.size(); ++passed) {
      if (number_[at] != 0) return number_[at] - 1;
      at = step(at, entries_.entry(SwitchIndex{at}));
    }
    return kNone;
  }

  bool may_circle() {
    pending_.assign(changes_.size(), 0);
    for (const auto& ways : then_) {
      for (const std::uint32_t next : ways) pending_[next == kNone ? 0 : next] += next != kNone;
    }
    settled_.clear();
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i] == 0) settled_.push_back(i);
    }
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      for (const std::uint32_t next : then_[settled_[i]]) {
        if (next != kNone && --pending_[next] == 0) settled_.push_back(next);
      }
    }
    return settled_.size() < changes_.size();
  }

  // Turns that only a mixture has, and that do not lead forward. False if one is of the old
  // tables themselves.
  bool find_turns_back() {
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
      from_new(i);
      from_old(i);
      if (!scene_.family.old_is_in_line && !old_leads_forward(i)) return false;
    }
    return true;
  }
  void from_new(std::uint32_t i) {
    const Change& change = changes_[i];
    const std::uint32_t next = step(change.at, change.now);
    if (next == kNone || number_[next] == 0) return;
    const std::uint32_t other = number_[next] - 1;
    const auto held = channel(change.at, change.now);
    if (leads_back(held, next, changes_[other].old) && change_counts(i)) {
      waits_.push_back({i, other});
    }
  }
  void from_old(std::uint32_t i) {
    const Change& change = changes_[i];
    const std::uint32_t next = step(change.at, change.old);
    if (next == kNone || number_[next] == 0) return;
    const std::uint32_t other = number_[next] - 1;
    const auto held = channel(change.at, change.old);
    if (leads_back(held, next, changes_[other].now) && change_counts(i)) {
      waits_.push_back({other, i});
    }
  }
  bool leads_back(std::uint32_t held, std::uint32_t next, std::uint8_t out) const {
    // What waits for a link that has gone is thrown away.
    if (held == kNone || step(next, out) == kNone) return false;
    const std::uint32_t onward = channel(next, out);
    return onward != kNone && !is_forward(held, onward);
  }
  // The old entry with those around it, of the old tables of another repair.
  bool old_leads_forward(std::uint32_t i) {
    const Change& change = changes_[i];
    const std::uint32_t held = channel(change.at, change.old);
    const std::uint32_t next = step(change.at, change.old);
    if (held == kNone || next == kNone) return true;
    if (leads_back(held, next, old_entry(next)) && change_counts(i)) return false;
    const auto channels = scene_.topology.channels_from(SwitchIndex{change.at});
    return std::none_of(channels.begin(), channels.end(), [&](const fabric::Channel& back) {
      const std::uint32_t from = back.to.value;
      return old_entry(from) == back.in.value &&
             leads_back(channel(from, back.in.value), change.at, change.old) && counts(from);
    });
  }
  // Where only hosts count as senders a mixture may bring their packets where they come neither on
  // the old nor on the new entries, to turns among entries that do not change. Who leads there
  // waits for those who lead to it. True if there are any.
  bool find_strays() {
    const std::size_t before = waits_.size();
    strays_by_.assign(changes_.size(), {false, false});
    bool any = false;
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
      strays_by_[i] = {strays_on(i, &Change::old, &Change::now),
                       strays_on(i, &Change::now, &Change::old)};
      any = any || strays_by_[i][0] || strays_by_[i][1];
      old_strays_ = old_strays_ || strays_by_[i][0];
    }
    for (std::uint32_t j = 0; j < changes_.size() && any; ++j) {
      const auto [by_old, by_new] = then_[j];
      if (by_old != kNone && strays_by_[by_old][1]) waits_.push_back({by_old, j});
      if (by_new != kNone && strays_by_[by_new][0]) waits_.push_back({j, by_new});
    }
    return any || waits_.size() != before;
  }
  // As far as the next entry that changes. If only its other side is wrong there, one of the two
  // has to wait for the other. Who comes by on the way comes from this entry, or has his own.
  bool strays_on(std::uint32_t i, std::uint8_t Change::*side, std::uint8_t Change::*other_side) {
    const auto [held, next] = last_before_change(changes_[i].at, changes_[i].*side);
    if (held == kNone) return false;
    if (number_[next] == 0) return change_counts(i);
    const std::uint32_t j = number_[next] - 1;
    if (leads_back(held, next, changes_[j].*other_side) && change_counts(i)) {
      waits_.push_back(side == &Change::old ? Wait{j, i} : Wait{i, j});
    }
    return leads_back(held, next, changes_[j].*side) && change_counts(i);
  }
  // From an entry along those that do not change: to one that does, or to the first turn back; to
  // nothing if there is neither.
  Arrival last_before_change(std::uint32_t at, std::uint8_t out) const {
    for (std::size_t passed = 0; passed <= number_.size(); ++passed) {
      const Arrival arrival{channel(at, out), step(at, out)};
      if (arrival.held == kNone || arrival.at == kNone) return {};
      if (number_[arrival.at] != 0) return arrival;
      at = arrival.at;
      out = entries_.entry(SwitchIndex{at});
      if (leads_back(arrival.held, at, out)) return arrival;
    }
    return {};
  }

  // Whether hosts' packets keep to turns that lead forward in each step, where what is written in
  // it may be there or not yet.
  bool holds_step_by_step() {
    find_suspects();
    const std::uint32_t last = *std::max_element(steps_.begin(), steps_.end());
    for (std::uint32_t now = 0; now <= last; ++now) {
      if (!holds_in(now)) return false;
    }
    return true;
  }
  // Turns back to or after entries that change: where packets come by neither, their turns are
  // those of proven tables. And where they never pass an entry, none comes to it from others.
  void find_suspects() {
    suspects_.clear();
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
      const Change& change = changes_[i];
      if (!change_counts(i)) continue;
      for (const std::uint8_t out : {change.old, change.now}) {
        suspect(change.at, out, last_before_change(change.at, out));
      }
      for (const auto& back : scene_.topology.channels_from(SwitchIndex{change.at})) {
        const std::uint32_t from = back.to.value;
        if (number_[from] != 0 || !leads_by(from, back.in.value)) continue;
        suspect(from, back.in.value, {channel(from, back.in.value), change.at});
      }
    }
  }
  void suspect(std::uint32_t from, std::uint8_t out, const Arrival& arrival) {
    if (arrival.held == kNone) return;
    const std::uint32_t number = number_[arrival.at];
    const bool may_turn_back = number == 0 ||
                               leads_back(arrival.held, arrival.at, changes_[number - 1].old) ||
                               leads_back(arrival.held, arrival.at, changes_[number - 1].now);
    if (may_turn_back) suspects_.push_back({from, out, arrival});
  }
  bool holds_in(std::uint32_t now) {
    not_in_.assign(number_.size(), 0);
    return std::none_of(suspects_.begin(), suspects_.end(), [&](const Suspect& suspect) {
      return leads_in(now, suspect.from, suspect.out) && turns_back_in(now, suspect.arrival) &&
             counts_in(now, suspect.from);
    });
  }
  bool turns_back_in(std::uint32_t now, const Arrival& arrival) const {
    const auto outs = entries_in(now, arrival.at);
    return std::any_of(outs.begin(), outs.end(),
                       [&](std::uint8_t out) { return leads_back(arrival.held, arrival.at, out); });
  }
  bool leads_in(std::uint32_t now, std::uint32_t at, std::uint8_t out) const {
    const auto outs = entries_in(now, at);
    return outs[0] == out || outs[1] == out;
  }
  // As counts(), for packets of one step.
  bool counts_in(std::uint32_t now, std::uint32_t at) {
    if (not_in_[at] != 0) return false;
    not_in_[at] = 1;
    behind_.assign(1, at);
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      if (scene_.has_hosts[behind_[i]] != 0) return true;  // and that ends the look at this step
      for (const auto& back : scene_.topology.channels_from(SwitchIndex{behind_[i]})) {
        const std::uint32_t before = back.to.value;
        if (not_in_[before] != 0 || !leads_in(now, before, back.in.value)) continue;
        not_in_[before] = 1;
        behind_.push_back(before);
      }
    }
    return false;
  }
  std::array<std::uint8_t, 2> entries_in(std::uint32_t now, std::uint32_t at) const {
    if (number_[at] == 0) {
      const std::uint8_t only = entries_.entry(SwitchIndex{at});
      return {only, only};
    }
    const Change& change = changes_[number_[at] - 1];
    const std::uint32_t step = steps_[number_[at] - 1];
    return {step < now ? change.now : change.old, step > now ? change.old : change.now};
  }

  std::uint8_t old_entry(std::uint32_t at) const {
    return number_[at] != 0 ? changes_[number_[at] - 1].old : entries_.entry(SwitchIndex{at});
  }

  bool change_counts(std::uint32_t i) {
    if (!passes_[i]) passes_[i] = counts(changes_[i].at);
    return *passes_[i];
  }
  // Whether packets that pass here are some host's, as fabric::verify counts. If little is behind
  // the switches that this is asked of, each is looked at alone.
  bool counts(std::uint32_t at) {
    if (all_senders_count()) return true;
    if (unpassed_[at] == lid_) return false;
    if (passed_.empty() && asked_ < kManyAsked) return is_passed(at);
    if (passed_.empty()) mark_passed();
    return passed_[at] != 0;
  }
  // Looked for against the entries, until a host is found. If there is none, all that was seen
  // need not be asked of again.
  bool is_passed(std::uint32_t at) {
    unpassed_[at] = lid_;
    behind_.assign(1, at);
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      ++asked_;
      if (scene_.has_hosts[behind_[i]] != 0) {
        for (const std::uint32_t seen : behind_) unpassed_[seen] = 0;
        return true;
      }
      for (const auto& back : scene_.topology.channels_from(SwitchIndex{behind_[i]})) {
        const std::uint32_t before = back.to.value;
        if (unpassed_[before] == lid_ || !leads_by(before, back.in.value)) continue;
        unpassed_[before] = lid_;
        behind_.push_back(before);
      }
    }
    return false;
  }
  void mark_passed() {
    passed_ = scene_.has_hosts;
    std::vector<std::uint32_t> found;
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (passed_[s] != 0) found.push_back(s);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint32_t at = found[i];
      for (const std::uint8_t out : {old_entry(at), entries_.entry(SwitchIndex{at})}) {
        const std::uint32_t next = step(at, out);
        if (next == kNone || passed_[next] != 0) continue;
        passed_[next] = 1;
        found.push_back(next);
      }
    }
  }
  bool all_senders_count() const {
    return lid_ < scene_.bound_by_all.size() && scene_.bound_by_all[lid_] != 0;
  }
  bool leads_by(std::uint32_t at, std::uint8_t out) const {
    if (entries_.entry(SwitchIndex{at}) == out) return true;
    return number_[at] != 0 && changes_[number_[at] - 1].old == out;
  }

  // Each after all it waits for. False if some wait for each other, or it takes too many steps.
  bool put_in_order() {
    const std::size_t count = changes_.size();
    pending_.assign(count, 0);
    ends_.assign(count + 1, 0);
    for (const Wait& wait : waits_) {
      ++pending_[wait.who];
      ++ends_[wait.for_whom + 1];
    }
    for (std::size_t i = 0; i < count; ++i) ends_[i + 1] += ends_[i];
    waiting_.resize(waits_.size());
    auto next = ends_;
    for (const Wait& wait : waits_) waiting_[next[wait.for_whom]++] = wait.who;
    steps_.assign(count, 0);
    settled_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      if (pending_[i] == 0) settled_.push_back(i);
    }
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      const std::uint32_t done = settled_[i];
      for (std::uint32_t w = ends_[done]; w < ends_[done + 1]; ++w) {
        steps_[waiting_[w]] = std::max(steps_[waiting_[w]], steps_[done] + 1);
        if (--pending_[waiting_[w]] == 0) settled_.push_back(waiting_[w]);
      }
    }
    return settled_.size() == count &&
           *std::max_element(steps_.begin(), steps_.end()) < Transition::kMostSteps;
  }
  void tell(std::vector<Transition::Late>& late) const {
    for (std::uint32_t i = 0; i < changes_.size(); ++i) {
      if (steps_[i] == 0) continue;
      late.push_back(
          {SwitchIndex{changes_[i].at}, mad::Lid{lid_}, static_cast<std::uint8_t>(steps_[i])});
    }
  }

  const Scene& scene_;
  std::vector<std::uint32_t> number_;  // by switch: which change it is, from 1; 0: none
  std::span<const Change> changes_;    // of one LID
  std::uint16_t lid_ = 0;
  fabric::ForwardingTables::Column entries_;        // of the new tables
  std::vector<std::array<std::uint32_t, 2>> then_;  // by change
  std::vector<Wait> waits_;
  std::vector<std::array<bool, 2>> strays_by_;  // by change: its old entry, its new one
  bool old_strays_ = false;
  std::vector<std::optional<bool>> passes_;  // by change: see change_counts; what is known so far
  std::uint32_t asked_ = 0;                  // of one LID: steps of is_passed
  std::vector<std::uint8_t> passed_;         // by switch, of one LID; empty: not known yet
  // By switch: the last LID for which it is known, or supposed while a search goes on, that no
  // host's packets pass.
  std::vector<std::uint16_t> unpassed_;
  std::vector<Suspect> suspects_;
  std::vector<std::uint8_t> not_in_;   // by switch, of one step: the same
  std::vector<std::uint32_t> behind_;  // found in one search
  std::vector<std::uint32_t> pending_, settled_, ends_, waiting_, steps_;
};

Scene scene_of(const Topology& topology, const fabric::LidMap& lids, const Selected& wanted,
               const Family& family) {
  Scene scene{topology, wanted.routes.tables, family, {}, {}};
  scene.bound_by_all.resize(std::size_t{lids.top().value} + 1);
  scene.has_hosts.resize(topology.switch_count());
  for (const fabric::PortIndex port : topology.endports()) {
    const auto place = topology.attachment(port);
    if (!place || place->out.value == 0) continue;
    scene.has_hosts[place->at.value] = 1;
    const auto range = lids.range(port);
    for (unsigned i = 0; range.base != mad::kNoLid && i < range.count(); ++i) {
      scene.bound_by_all[range.base.value + i] = 1;
    }
  }
  return scene;
}

// What was found, by column.
struct Found {
  std::vector<Verdict> verdicts;
  std::vector<std::vector<Transition::Late>> late;
};

Found plan_columns(const Scene& scene, const std::vector<Change>& changes,
                   const std::vector<std::size_t>& begins, const base::ParallelFor& parallel) {
  const std::size_t columns = begins.size() - 1;
  Found found{std::vector<Verdict>(columns), std::vector<std::vector<Transition::Late>>(columns)};
  parallel(columns, [&](std::size_t begin, std::size_t end) {
    ColumnPlanner planner(scene);
    for (std::size_t c = begin; c < end; ++c) {
      const std::span column(changes.data() + begins[c], begins[c + 1] - begins[c]);
      found.verdicts[c] = planner.plan(column, found.late[c]);
    }
  });
  return found;
}

void empty(Transition& transition, std::size_t row_size, std::uint16_t lid) {
  transition.emptied.resize(row_size);
  transition.emptied[lid] = true;
}

std::optional<Transition> arrange(const Found& found, const std::vector<Change>& changes,
                                  const std::vector<std::size_t>& begins, std::size_t row_size) {
  Transition transition;
  transition.changed = found.verdicts.size();
  std::size_t late = 0;
  for (const auto& entries : found.late) late += entries.size();
  for (std::size_t c = 0; c < found.verdicts.size(); ++c) {
    const Verdict verdict = found.verdicts[c];
    if (verdict == Verdict::Beyond) return std::nullopt;
    if (verdict == Verdict::Free) continue;
    transition.circling += verdict == Verdict::Circles ? 1 : 0;
    if (verdict == Verdict::Empties || late > Transition::kMostLate) {
      transition.clashing += verdict == Verdict::Circles ? 0 : 1;
      empty(transition, row_size, changes[begins[c]].lid);
      transition.steps = std::max(transition.steps, 2u);
      continue;
    }
    for (const auto& entry : found.late[c]) {
      transition.late.push_back(entry);
      transition.steps = std::max(transition.steps, entry.step + 1u);
    }
  }
  std::sort(transition.late.begin(), transition.late.end(), [](const auto& a, const auto& b) {
    return a.at != b.at ? a.at < b.at : a.lid < b.lid;
  });
  return transition;
}

}  // namespace

std::optional<Transition> plan_among_kin(const Topology& topology, const fabric::LidMap& lids,
                                         const Selected& wanted, const InPlace& in_place,
                                         const base::ParallelFor& parallel) {
  const auto family = family_of(topology, wanted, in_place);
  if (!family) return std::nullopt;
  // Who comes from home may know what differs.
  const bool is_known = family->old_is_home && !wanted.changes.empty();
  TableChanges looks(wanted.routes.tables, *in_place.tables, family->before);
  std::optional<Scene> scene;
  parallel(is_known ? 1 : 1 + TableChanges::kSlices, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i == 0) {
        scene.emplace(scene_of(topology, lids, wanted, *family));
      } else {
        looks.look_at(i - 1);
      }
    }
  });
  const std::vector<Change> found = is_known ? std::vector<Change>() : looks.by_lid();
  const std::vector<Change>& changes = is_known ? wanted.changes : found;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i == 0 || changes[i].lid != changes[i - 1].lid) begins.push_back(i);
  }
  begins.push_back(changes.size());
  return arrange(plan_columns(*scene, changes, begins, parallel), changes, begins,
                 wanted.routes.tables.row_size());
}

}  // namespace heddle::routing
