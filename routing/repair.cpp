// SPDX-License-Identifier: BSD-3-Clause
#include "routing/repair.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "fabric/islands.hpp"
#include "routing/certificate.hpp"

namespace heddle::routing {
namespace {

using fabric::LidMap;
using fabric::SwitchIndex;
using fabric::Topology;

constexpr std::uint32_t kNone = Certificate::kNone;
constexpr auto kAll = std::numeric_limits<std::size_t>::max();
constexpr unsigned kAround = 2;     // hops down and up again, in a tree
constexpr unsigned kMostHops = 63;  // one bit each in a word; longer ways are for the engines

// Everything is told in the switches and compact channels of home.
class Mender {
 public:
  Mender(const Home& home, const Departure& departure, const Topology& now, const LidMap& lids)
      : home_(home),
        now_(now),
        lids_(lids),
        certificate_(*home.selected->certificate),
        channels_(certificate_.channels()),
        order_(certificate_.order()),
        tables_(home.selected->routes.tables),
        now_at_(home.topology->switch_count(), kNone),
        lost_(channels_.count(), 1),
        has_hosts_(now_at_.size()),
        broken_(now_at_.size()),
        column_(now_at_.size()),
        tried_(now_at_.size()),
        used_(now_at_.size()),
        turn_(now_at_.size()),
        far_(now_at_.size()),
        buckets_(kMostHops + 2) {
    for (std::uint32_t s = 0; s < departure.at_home.size(); ++s) {
      now_at_[departure.at_home[s].value] = s;
    }
    for (const fabric::Channel& channel : now.channels()) {
      lost_[certificate_.channel(departure.at_home[channel.from.value].value, channel.out.value)] =
          0;
    }
    for (std::uint32_t s = 0; s < departure.has_hosts.size(); ++s) {
      has_hosts_[departure.at_home[s].value] = departure.has_hosts[s];
    }
    for (const auto& port : departure.lost) {
      gates_.emplace_back(departure.at_home[port.at.value].value, port.out.value);
    }
    find_affected();
  }

  // Switches' own LIDs have fewer ways, so they come first and the others fit in with them; if that
  // fails, with as few new turns as will do, and then both the other way round.
  std::optional<Repair> run(const Kinship* present) {
    for (const auto& [own_first, few] :
         {std::pair(true, false), {true, true}, {false, false}, {false, true}}) {
      few_turns_ = few;
      if (mend_all(own_first)) {
        if (present != nullptr) take_in(*present);
        repair_.places = order_.positions();
        return std::move(repair_);
      }
      order_ = certificate_.order();
      repair_ = {};
    }
    return std::nullopt;
  }

 private:
  void take_in(const Kinship& present) {
    for (const auto& [held, next] : present.added) {
      if (!order_.has(held, next)) order_.add(held, next);
    }
  }

  // Of one column, and of the attempt that `stamp` says.
  struct Way {
    std::uint32_t stamp = 0;
    std::uint32_t hops = 0;  // to the target
    std::uint32_t channel = 0;
    bool known = false;  // to a switch's own LID, and all its dependencies are there
  };

  bool mend_all(bool own_first) {
    const auto mend_each = [&](const std::vector<mad::Lid>& lids) {
      return std::all_of(lids.begin(), lids.end(), [&](mad::Lid lid) { return mend(lid); });
    };
    return mend_each(own_first ? of_switches_ : of_others_) &&
           mend_each(own_first ? of_others_ : of_switches_);
  }

  // The LIDs whose ways pass a gate.
  void find_affected() {
    std::vector<std::uint8_t> affected(std::size_t{lids_.top().value} + 1);
    for (const auto& [at, out] : gates_) {
      const auto row = tables_.row(SwitchIndex{at});
      const std::size_t count = std::min(row.size(), affected.size());
      for (std::size_t lid = 1; lid < count; ++lid) affected[lid] |= row[lid] == out;
    }
    for (std::size_t number = 1; number < affected.size(); ++number) {
      if (affected[number] == 0) continue;
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      const fabric::PortIndex owner = home_.lids->owner(lid);
      if (lids_.owner(lid) == fabric::kNoPort || owner == fabric::kNoPort) continue;
      const bool own = home_.topology->is_switch(home_.topology->node_of(owner));
      (own ? of_switches_ : of_others_).push_back(lid);
    }
  }

  // False if it is beyond repair.
  bool mend(mad::Lid lid) {
    lid_ = lid;
    const fabric::PortIndex owner = home_.lids->owner(lid);
    own_lid_ = home_.topology->is_switch(home_.topology->node_of(owner));
    const auto at = home_.topology->attachment(owner);
    if (!at) return true;
    target_ = at->at.value;
    ++repair_.moved;
    if (step_aside()) return true;
    if (!stepped_.empty()) {
      find_gates();
      find_broken();
      settle_found();
    }
    if (own_lid_) find_other_ways();
    return tell();
  }

  // What mostly will do: whose way is broken has another port that is as near and needs no new
  // turn; then those behind it keep theirs. Only where there is none, they have to look, too, and
  // it goes a longer way. False if that does not mend all: nothing was changed then.
  bool step_aside() {
    find_gates();
    stepped_.clear();
    stuck_.clear();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (sidestep(found_[i], 0)) continue;
      stuck_.push_back(found_[i]);
      find_behind(found_[i]);
    }
    // Where only its own packets are left, it matters little how far they go.
    for (std::size_t i = stuck_.size(); i-- > 0;) {
      const std::uint32_t at = stuck_[i];
      if (has_hosts_[at] != 0 || !is_left(at)) continue;
      // No dependency is one of hosts' packets then.
      if (sidestep(at, kAround, own_lid_)) stuck_[i] = kNone;
    }
    found_.clear();
    std::copy_if(stuck_.begin(), stuck_.end(), std::back_inserter(found_),
                 [](std::uint32_t at) { return at != kNone; });
    settle_found();
    if (mended_.size() != found_.size()) return false;
    tell();
    for (const std::uint32_t at : stepped_) tell_way(at);
    return true;
  }
  // By a port that is that much longer at most.
  bool sidestep(std::uint32_t at, std::uint32_t longer, bool is_free = false) {
    const std::uint32_t most = home_hops(at) + longer;
    const std::uint32_t first = channels_.first[at];
    const std::uint32_t count = channels_.first[at + 1] - first;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t turn = (turn_[at] + i) % count;
      const std::uint32_t c = first + turn;
      const std::uint32_t next = channels_.to[c];
      if (lost_[c] != 0 || is_broken(next)) continue;
      const std::uint32_t hops = hops_of(next);
      if (hops >= most) continue;
      const bool known = leads_on(c) && is_open(at, c);
      if (!known && !is_free) continue;
      turn_[at] = turn + 1;
      column_[at] = {attempt_, hops + 1, c, own_lid_ && known};
      stepped_.push_back(at);
      return true;
    }
    return false;
  }
  // By turns that are there. What the channel leads to is settled.
  bool leads_on(std::uint32_t held) const {
    while (channels_.to[held] != target_) {
      const Way& way = column_[channels_.to[held]];
      const std::uint32_t next = way.channel;
      if (!order_.has(held, next)) return false;
      // What comes then is there for those on whose way it is.
      if (!own_lid_ || way.known) break;
      held = next;
    }
    return true;
  }
  // To all that would still come.
  bool is_open(std::uint32_t at, std::uint32_t next) {
    mark_comers(at);
    return order_.has_from_each(open_, next);
  }
  // Whether home's entry at the other end of a channel leads here by its reverse.
  bool comes_by(std::uint32_t c) const {
    const std::uint32_t before = channels_.to[c];
    return entry(before) == certificate_.back(c) && before != target_ && now_at_[before] != kNone;
  }
  // The channels to those of whom that is true: asked of one switch several times in a row.
  const std::vector<std::uint32_t>& comers_of(std::uint32_t at) {
    if (comers_at_ == at && comers_attempt_ == attempt_) return comers_;
    comers_at_ = at;
    comers_attempt_ = attempt_;
    comers_.clear();
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (comes_by(c)) comers_.push_back(c);
    }
    return comers_;
  }
  // Those who still do, as ChannelOrder has them.
  void mark_comers(std::uint32_t at) {
    open_.assign(order_.words(), 0);
    for (const std::uint32_t c : comers_of(at)) {
      const std::uint32_t place = c - channels_.first[at];
      if (!is_moved(channels_.to[c])) open_[place / 64] |= std::uint64_t{1} << (place % 64);
    }
  }
  bool is_moved(std::uint32_t at) const { return is_broken(at) && column_[at].stamp == attempt_; }
  bool is_left(std::uint32_t at) {
    const auto& comers = comers_of(at);
    return std::all_of(comers.begin(), comers.end(),
                       [&](std::uint32_t c) { return is_moved(channels_.to[c]); });
  }
  void find_behind(std::uint32_t at) {
    for (const std::uint32_t c : comers_of(at)) {
      const std::uint32_t before = channels_.to[c];
      if (is_broken(before)) continue;
      broken_[before] = attempt_;
      found_.push_back(before);
      far_[before] = {lid_, home_hops(at) + 1};
    }
  }

  void settle_found() {
    broken_count_ = found_.size();
    only_known_ = own_lid_;
    settle_all();
    only_known_ = false;
  }

  // What was freed besides may stay as it is.
  bool are_mended() const {
    return std::all_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(broken_count_),
                       [&](std::uint32_t at) { return is_settled(at); });
  }

  // Far ways over turns that are there already are better than near ones over new turns, with which
  // the next LID would have to fit in.
  void find_other_ways() {
    if (are_mended()) return;
    only_known_ = true;
    free_neighbours();
    settle_freed();
    only_known_ = false;
    for (const bool known : {true, false}) {
      for (const bool bound : {false, true}) {
        if (are_mended()) return;
        // Some would have led the rest into new turns.
        if (!bound && (known || few_turns_)) continue;
        only_known_ = known;
        bound_ = bound;
        free_all();
        settle_freed();
        only_known_ = bound_ = false;
      }
    }
  }

  // Nothing has to be cleared between columns.
  void begin() {
    ++attempt_;
    mended_.clear();
  }

  std::uint8_t entry(std::uint32_t at) const { return tables_.entry(SwitchIndex{at}, lid_.value); }
  bool is_broken(std::uint32_t at) const { return broken_[at] == attempt_; }

  // The switches whose own entry leads out of a lost port.
  void find_gates() {
    begin();
    found_.clear();
    for (const auto& [at, out] : gates_) {
      if (entry(at) != out) continue;
      broken_[at] = attempt_;
      found_.push_back(at);
    }
  }

  // Those whose packets pass a gate: against the entries, from the gates on.
  void find_broken() {
    for (std::size_t i = 0; i < found_.size(); ++i) find_behind(found_[i]);
  }

  // Hops from a switch that is not broken, or was mended, if home's own way leads to such: else
  // kNone.
  std::uint32_t hops_of(std::uint32_t at) {
    return column_[at].stamp == attempt_ ? column_[at].hops : count_hops(at);
  }
  std::uint32_t count_hops(std::uint32_t at) {
    path_.clear();
    std::uint32_t far = at;
    while (far != target_ && column_[far].stamp != attempt_) {
      if (is_broken(far)) return kNone;
      path_.push_back(far);
      // Hops are not known yet.
      column_[far].channel = certificate_.channel(far, entry(far));
      far = channels_.to[column_[far].channel];
    }
    std::uint32_t hops = far == target_ ? 0 : column_[far].hops;
    for (std::size_t i = path_.size(); i-- > 0;) {
      const std::uint32_t channel = column_[path_[i]].channel;
      column_[path_[i]] = {attempt_, ++hops, channel, own_lid_ && leads_on(channel)};
    }
    return hops;
  }
  bool is_settled(std::uint32_t at) const {
    return !is_broken(at) || column_[at].stamp == attempt_;
  }

  // To be looked at when all ways of fewer hops are laid.
  void put(std::uint32_t at, std::uint32_t hops) {
    if (hops > kMostHops || (tried_[at] >> hops & 1) != 0) return;
    tried_[at] |= std::uint64_t{1} << hops;
    buckets_[hops].push_back(at);
    last_bucket_ = std::max(last_bucket_, hops);
  }

  // A way over known turns is taken, however long it is, before a new turn is; and each of those
  // may give a way to all that are left.
  void settle_all() {
    if (!few_turns_ || only_known_) return settle(kAll);
    for (std::size_t before = kAll; before != mended_.size() && !are_mended();) {
      only_known_ = true;
      settle(kAll);
      only_known_ = false;
      before = mended_.size();
      if (!are_mended()) settle(1);
    }
  }

  // So many at most.
  void settle(std::size_t most) {
    last_bucket_ = 0;
    for (const std::uint32_t at : found_) tried_[at] = 0;
    for (const std::uint32_t at : found_) {
      if (is_settled(at)) continue;
      std::uint64_t distances = 0;
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t next = channels_.to[c];
        if (lost_[c] != 0 || !is_settled(next)) continue;
        const std::uint32_t hops = hops_of(next) + 1;
        if (hops <= kMostHops) distances |= std::uint64_t{1} << hops;
      }
      for (; distances != 0; distances &= distances - 1) {
        put(at, static_cast<std::uint32_t>(std::countr_zero(distances)));
      }
    }
    for (std::uint32_t hops = 1; hops <= last_bucket_; ++hops) {
      for (std::size_t i = 0; i < buckets_[hops].size() && most > 0; ++i) {
        const std::uint32_t at = buckets_[hops][i];
        if (is_settled(at) || !lay(at, hops)) continue;
        mended_.push_back(at);
        --most;
      }
      buckets_[hops].clear();
    }
  }

  void begin_freeing() {
    begin();
    found_.resize(broken_count_);
    for (const std::uint32_t at : found_) broken_[at] = attempt_;
  }
  void settle_freed() {
    freely_ = true;
    settle_all();
    freely_ = false;
  }

  // Entries for a switch's own LID that no host's packet passes are held by nothing but habit. If
  // hosts find no way over those without a new turn, they are laid anew: mostly those next to what
  // is broken will do, ...
  void free_neighbours() {
    begin_freeing();
    for (std::size_t i = 0; i < broken_count_; ++i) {
      const std::uint32_t at = found_[i];
      if (has_hosts_[at] == 0) continue;
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t next = channels_.to[c];
        if (lost_[c] != 0 || next == target_ || is_broken(next) || has_hosts_[next] != 0) continue;
        if (certificate_.channel(next, entry(next)) == kNone || carries(next)) continue;
        broken_[next] = attempt_;
        found_.push_back(next);
      }
    }
  }
  // Whether packets of hosts whose own way is whole pass a switch.
  bool carries(std::uint32_t at) {
    path_.assign(1, at);
    for (std::size_t i = 0; i < path_.size(); ++i) {
      for (std::uint32_t c = channels_.first[path_[i]]; c < channels_.first[path_[i] + 1]; ++c) {
        const std::uint32_t before = channels_.to[c];
        if (is_broken(before) || !comes_by(c)) continue;
        if (has_hosts_[before] != 0) return true;
        path_.push_back(before);
      }
    }
    return false;
  }

  // ... and if not, all of them.
  void free_all() {
    begin_freeing();
    std::vector<std::uint8_t> carries(now_at_.size());
    for (std::uint32_t from = 0; from < now_at_.size(); ++from) {
      if (has_hosts_[from] == 0 || is_broken(from)) continue;
      for (std::uint32_t at = from; at != target_ && carries[at] == 0;) {
        carries[at] = 1;
        const std::uint32_t channel = certificate_.channel(at, entry(at));
        if (channel == kNone) break;  // another island
        at = channels_.to[channel];
      }
    }
    for (std::uint32_t at = 0; at < now_at_.size(); ++at) {
      const bool is_free = has_hosts_[at] == 0 && carries[at] == 0 && at != target_;
      if (!is_free || is_broken(at) || now_at_[at] == kNone) continue;
      if (certificate_.channel(at, entry(at)) == kNone) continue;
      broken_[at] = attempt_;
      found_.push_back(at);
    }
  }

  // A way of so many hops, if there is one that may be.
  bool lay(std::uint32_t at, std::uint32_t hops) {
    choices_.clear();
    std::uint32_t present = kNone;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      const std::uint32_t next = channels_.to[c];
      if (lost_[c] != 0 || !is_settled(next) || hops_of(next) + 1 != hops) continue;
      if (channels_.out[c] == entry(at)) present = c;
      choices_.push_back(c);
    }
    const std::uint32_t chosen = choose(at, present);
    if (chosen == kNone) return false;
    column_[at] = {attempt_, hops, chosen, own_lid_ && leads_on(chosen)};
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      const std::uint32_t next = channels_.to[c];
      if (lost_[c] == 0 && !is_settled(next)) put(next, hops + 1);
    }
    return true;
  }

  // The way with the fewest turns that nobody took before. In a tree two of those at different
  // leaves can close a cycle, and at one leaf they do not: so where one was taken others follow,
  // and the first is at the first place that will do.
  std::uint32_t choose(std::uint32_t at, std::uint32_t present) {
    const bool unbound = is_unbound(at);
    if (present != kNone && !freely_ && may_use(at, present)) return present;
    ranked_.clear();
    known_.clear();
    for (const std::uint32_t c : choices_) {
      const std::uint32_t turns = new_turns(c);
      if (unbound && turns == 0) return c;
      if (turns == 0) {
        known_.push_back(c);
      } else {
        ranked_.emplace_back(turns, c);
      }
    }
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const std::uint32_t c = known_[(repair_.moved + i) % known_.size()];
      if (may_use(at, c)) return c;
    }
    if (only_known_ && !unbound) return kNone;
    std::sort(ranked_.begin(), ranked_.end());
    for (const auto& [turns, c] : ranked_) {
      if (may_use(at, c)) return c;
    }
    return kNone;
  }

  // Dependencies that are not there yet, from this channel to the target.
  std::uint32_t new_turns(std::uint32_t held) const {
    std::uint32_t count = 0;
    while (channels_.to[held] != target_) {
      const Way& way = column_[channels_.to[held]];
      const std::uint32_t next = way.channel;
      count += order_.has(held, next) ? 0 : 1;
      if (!own_lid_ || way.known) break;  // as in leads_on
      held = next;
    }
    return count;
  }

  // Packets of hosts go to the LIDs of hosts from anywhere, to those of switches only from where
  // there are hosts (fabric::verify).
  bool is_unbound(std::uint32_t at) const { return own_lid_ && has_hosts_[at] == 0 && !bound_; }
  bool may_use(std::uint32_t at, std::uint32_t channel) {
    if (is_unbound(at)) return true;
    added_.clear();
    std::uint32_t held = channel;
    while (channels_.to[held] != target_) {
      const Way& way = column_[channels_.to[held]];
      const std::uint32_t next = way.channel;
      if (!order_.has(held, next)) {
        if (only_known_ || !order_.add(held, next)) return withdraw();
        added_.emplace_back(held, next);
      }
      if (!own_lid_ || way.known) break;  // as in leads_on
      held = next;
    }
    for (const auto& [from, to] : added_) order_.keep(from, to);
    repair_.added.insert(repair_.added.end(), added_.begin(), added_.end());
    return true;
  }
  bool withdraw() {
    for (const auto& [from, to] : added_) order_.remove(from, to);
    return false;
  }

  // False if a switch that could reach the target has no way.
  bool tell() {
    find_used();
    for (const std::uint32_t at : mended_) {
      if (used_[at] != attempt_) continue;
      tell_way(at);
    }
    if (found_.size() > broken_count_) note_detours();
    if (mended_.size() == found_.size()) return true;
    found_.resize(broken_count_);
    if (!islands_) islands_.emplace(now_);
    const auto island = islands_->of(SwitchIndex{now_at_[target_]});
    for (const std::uint32_t at : found_) {
      if (is_settled(at)) continue;
      if (islands_->of(SwitchIndex{now_at_[at]}) == island) return false;
      note(at, mad::kNoPortNumber.value);
    }
    return true;
  }

  void tell_way(std::uint32_t at) {
    const Way& way = column_[at];
    repair_.max_hops = std::max(repair_.max_hops, way.hops);
    repair_.longer += std::int64_t{way.hops} - std::int64_t{home_hops(at)};
    note(at, channels_.out[way.channel]);
  }

  // What was only freed changes where the ways of what was broken need it. All else keeps home's
  // entries, which lead to the target or to these ways.
  void find_used() {
    for (std::size_t i = 0; i < broken_count_; ++i) {
      std::uint32_t at = found_[i];
      if (!is_settled(at)) continue;
      while (at != target_ && is_broken(at) && used_[at] != attempt_) {
        used_[at] = attempt_;
        at = channels_.to[column_[at].channel];
      }
    }
  }

  // What was freed and keeps home's entries may lead to ways that are longer now.
  void note_detours() {
    for (const std::uint32_t from : found_) {
      unsigned hops = 0;
      for (std::uint32_t at = from; at != target_; ++hops) {
        const bool is_new = is_broken(at) && used_[at] == attempt_;
        const std::uint32_t channel =
            is_new ? column_[at].channel : certificate_.channel(at, entry(at));
        if (channel == kNone || lost_[channel] != 0) break;  // leads nowhere
        at = channels_.to[channel];
      }
      repair_.max_hops = std::max(repair_.max_hops, hops);
    }
  }

  // On home's own way.
  std::uint32_t home_hops(std::uint32_t at) {
    if (far_[at].lid == lid_) return far_[at].hops;
    far_[at] = {lid_, 0};
    for (std::uint32_t by = at; by != target_; ++far_[at].hops) {
      by = channels_.to[certificate_.channel(by, entry(by))];
    }
    return far_[at].hops;
  }

  void note(std::uint32_t at, std::uint8_t out) {
    if (out == entry(at)) return;
    repair_.entries.push_back(
        {SwitchIndex{now_at_[at]}, lid_, mad::PortNumber{out}, mad::PortNumber{entry(at)}});
  }

  const Home& home_;
  const Topology& now_;
  const LidMap& lids_;
  const Certificate& certificate_;
  const CompactChannels& channels_;
  ChannelOrder order_;
  const fabric::ForwardingTables& tables_;
  std::vector<std::uint32_t> now_at_;    // by switch; kNone: it is gone
  std::vector<std::uint8_t> lost_;       // by channel
  std::vector<std::uint8_t> has_hosts_;  // by switch
  std::vector<std::pair<std::uint32_t, std::uint8_t>> gates_;
  std::vector<mad::Lid> of_switches_, of_others_;  // see find_affected
  Repair repair_;
  // Of one LID.
  mad::Lid lid_{};
  std::uint32_t target_ = 0;
  bool own_lid_ = false;          // a switch's
  bool freely_ = false;           // see settle_freely
  bool bound_ = false;            // what is unbound shall be bound, too
  std::size_t broken_count_ = 0;  // of found_, before more were freed
  bool only_known_ = false;       // no dependency may be added
  bool few_turns_ = false;        // see settle_all
  std::uint32_t attempt_ = 0;
  std::vector<std::uint32_t> broken_;  // by switch: the last attempt in which it was
  std::vector<std::uint32_t> found_;   // those that are
  std::vector<Way> column_;            // by switch
  std::vector<std::uint64_t> tried_;   // by switch: numbers of hops
  std::vector<std::uint32_t> used_;    // by switch: the last attempt whose entry counts
  std::vector<std::uint32_t> turn_;    // by switch: where sidestep looks first
  struct Far {
    mad::Lid lid{};
    std::uint32_t hops = 0;
  };
  std::vector<Far> far_;  // by switch: see home_hops
  std::vector<std::uint32_t> stepped_, stuck_;
  std::vector<std::uint32_t> comers_;  // see comers_of
  std::uint32_t comers_at_ = kNone, comers_attempt_ = 0;
  std::vector<std::uint64_t> open_;  // see mark_comers
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::uint32_t last_bucket_ = 0;
  std::vector<std::uint32_t> mended_, path_, choices_;
  std::vector<std::uint32_t> known_;                             // choices without new turns
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked_;  // the others: new turns, channel
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
  std::optional<fabric::Islands> islands_;
};

std::uint64_t count_routes(const Topology& now, const Departure& departure) {
  const fabric::Islands islands(now);
  std::uint64_t routes = 0;
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    routes +=
        islands.members(islands.of(SwitchIndex{s})).size() * std::uint64_t{departure.lid_count[s]};
  }
  return routes;
}

}  // namespace

std::optional<Repair> repair(const Home& home, const Departure& departure, const Topology& now,
                             const LidMap& lids, const Kinship* present) {
  const auto& certificate = home.selected->certificate;
  if (!certificate) return std::nullopt;
  const bool is_kin = present != nullptr && present->certificate == certificate;
  return Mender(home, departure, now, lids).run(is_kin ? present : nullptr);
}

Selected repaired(const Home& home, const Departure& departure, const Topology& now,
                  const Repair& repair) {
  const Selected& before = *home.selected;
  // Home's rows, but those that change.
  fabric::ForwardingTables tables(
      std::shared_ptr<const fabric::ForwardingTables>(home.selected, &before.routes.tables),
      departure.at_home);
  for (const Repair::Entry& entry : repair.entries) tables.set(entry.at, entry.lid, entry.out);
  Selected selected{
      {before.routes.engine, std::move(tables), before.routes.notes, before.routes.lanes},
      before.proof,
      before.rejected,
      false,
      nullptr,
      std::make_shared<const Kinship>(
          Kinship{before.certificate, repair.places, repair.added, departure.at_home})};
  selected.routes.notes.push_back(
      repair.moved == 0 ? "all LIDs keep the ways they had before the loss"
                        : fmt::format("{} LIDs go around what was lost, by {} entries",
                                      repair.moved, repair.entries.size()));
  auto& proof = selected.proof;
  proof.routes = count_routes(now, departure);
  proof.max_hops = std::max(proof.max_hops, repair.max_hops);
  proof.dependencies += repair.added.size();
  if (proof.routes > 0) {
    proof.mean_hops += static_cast<double>(repair.longer) / static_cast<double>(proof.routes);
  }
  return selected;
}

}  // namespace heddle::routing
