// SPDX-License-Identifier: BSD-3-Clause
#include "routing/column_mender.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr auto kAll = std::numeric_limits<std::size_t>::max();
constexpr unsigned kAround = 2;     // hops down and up again, in a tree
constexpr unsigned kMostHops = 63;  // one bit each in a word; longer ways are for the engines

}  // namespace

ColumnMender::ColumnMender(const Damage& damage, std::size_t start)
    : damage_(damage),
      backward_(start % 2 == 1),
      certificate_(damage.certificate),
      channels_(damage.channels),
      order_(&certificate_.order()),
      broken_(damage.now_at.size()),
      barred_(broken_.size()),
      column_(broken_.size()),
      tried_(broken_.size()),
      used_(broken_.size()),
      turn_(broken_.size()),
      far_(broken_.size()),
      unused_(broken_.size()),
      comers_at_(broken_.size()),
      buckets_(kMostHops + 2) {
  for (std::uint32_t at = 0; at < turn_.size() && start > 1; ++at) {
    turn_[at] = (channels_.first[at + 1] - channels_.first[at]) * (backward_ ? 1 : 3) / 4;
  }
}

// False if it hangs on no switch.
bool ColumnMender::begin_column(mad::Lid lid, std::size_t rank) {
  const auto target = damage_.target_of(lid);
  if (!target) return false;
  lid_ = lid;
  entries_ = damage_.tables.column(lid);
  rank_ = rank;
  own_lid_ = damage_.is_of_switch(lid);
  target_ = *target;
  lacks_turns_ = false;
  return true;
}

bool ColumnMender::mend(mad::Lid lid, std::size_t rank) {
  if (!begin_column(lid, rank)) return true;
  if (!(may_step_aside() && step_aside()) && !go_around()) return false;
  ++repair_.moved;
  return true;
}

// To be asked before hundreds of switches look at their ports: where a gate with hosts has no way
// by turns that are there, all of that would be in vain. Those who only follow mostly find one.
bool ColumnMender::may_step_aside() const {
  if (!own_lid_ || growing_ == nullptr) return true;
  return std::all_of(damage_.gates.begin(), damage_.gates.end(), [&](const auto& gate) {
    const auto [at, out] = gate;
    return entry(at) != out || damage_.has_hosts[at] == 0 || is_led_by_known_turns(at);
  });
}

// However long the way is; true, too, if that is not found out with little effort.
bool ColumnMender::is_led_by_known_turns(std::uint32_t at) const {
  constexpr std::size_t kMostLookedAt = 4096;
  std::vector<std::uint32_t> found;
  std::vector<std::uint8_t> is_found(channels_.count());
  const auto note = [&](std::uint32_t channel) {
    if (damage_.lost[channel] != 0 || is_found[channel] != 0) return;
    is_found[channel] = 1;
    found.push_back(channel);
  };
  for (std::uint32_t c = channels_.first[target_]; c < channels_.first[target_ + 1]; ++c) {
    note(channels_.reverse(c));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (channels_.from[found[i]] == at || i == kMostLookedAt) return true;
    order_->for_each_before(found[i], note);
  }
  return false;
}

// Whose way is broken has another port that is as near and needs no new turn; then those behind it
// keep theirs. Only where there is none, they have to look, too, and it goes a longer way.
bool ColumnMender::step_aside() {
  find_gates();
  stepped_.clear();
  stuck_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    // A switch above all others can be in this for every LID of a switch.
    if (is_alone(found_[i]) && sidestep(found_[i], kAround, true)) continue;
    if (sidestep(found_[i], 0, false)) continue;
    // Those behind it keep their ways then, and they can be hundreds.
    if (is_unused(found_[i]) && sidestep(found_[i], 0, true)) continue;
    stuck_.push_back(found_[i]);
    find_behind(found_[i]);
  }
  // Where only its own packets are left, it matters little how far they go.
  for (std::size_t i = stuck_.size(); i-- > 0;) {
    const std::uint32_t at = stuck_[i];
    if (damage_.has_hosts[at] != 0 || !is_left(at)) continue;
    // No dependency is one of hosts' packets then.
    if (sidestep(at, kAround, own_lid_)) stuck_[i] = kNone;
  }
  found_.clear();
  std::copy_if(stuck_.begin(), stuck_.end(), std::back_inserter(found_),
               [](std::uint32_t at) { return at != kNone; });
  settle_found();
  if (mended_.size() != found_.size() || lacks_turns_) return false;
  return tell();
}

// Whether any way will do: to a switch's own LID, where no host's packets pass at home. All behind
// it is the same then.
bool ColumnMender::is_unused(std::uint32_t at) {
  if (!own_lid_ || unused_[at] == attempt_) return own_lid_;
  behind_.assign(1, at);
  for (std::size_t i = 0; i < behind_.size(); ++i) {
    if (damage_.has_hosts[behind_[i]] != 0) return false;
    for (const std::uint32_t c : comers_of(behind_[i])) behind_.push_back(channels_.to[c]);
  }
  for (const std::uint32_t seen : behind_) unused_[seen] = attempt_;
  return true;
}

// Whether its way is for nothing but its own packets: it matters little how far they go.
bool ColumnMender::is_alone(std::uint32_t at) {
  return own_lid_ && damage_.has_hosts[at] == 0 && comers_of(at).empty();
}

// By a port that is that much longer at most.
bool ColumnMender::sidestep(std::uint32_t at, std::uint32_t longer, bool is_free) {
  const std::uint32_t most = home_hops(at) + longer;
  const std::uint32_t first = channels_.first[at];
  const std::uint32_t count = channels_.first[at + 1] - first;
  // Hundreds of switches look at all their ports here, in vain: what comes first has to be little.
  const std::uint32_t* const to = channels_.to.data();
  const std::uint32_t* const barred = (is_free ? broken_ : barred_).data();
  bool is_marked = false;
  const auto is_open = [&](std::uint32_t c) {
    if (!is_marked) mark_comers(at);
    is_marked = true;
    return order_->has_from_each(open_, c);
  };
  std::uint32_t turn = (turn_[at] + (backward_ ? count - 1 : 0)) % count;
  for (std::uint32_t i = 0; i < count; ++i, turn = next_turn(turn, count)) {
    const std::uint32_t c = first + turn;
    const std::uint32_t next = to[c];
    if (barred[next] == attempt_ || damage_.lost[c] != 0) continue;
    // What leads nowhere shows without a look at entries, which are far away in memory.
    if (!is_free && ((next != target_ && !order_->has_any(c)) || !may_lead_on(c))) continue;
    const std::uint32_t hops = hops_of(next);
    if (hops >= most) continue;
    const bool known = leads_on(c);
    if (!is_free && (!known || !is_open(c))) continue;
    turn_[at] = backward_ ? turn : turn + 1;
    column_[at] = {attempt_, hops + 1, c, own_lid_ && known};
    stepped_.push_back(at);
    return true;
  }
  return false;
}

// False only if a turn is not there that is known without walking on. What the channel leads to is
// not broken.
bool ColumnMender::may_lead_on(std::uint32_t held) {
  const std::uint32_t next = channels_.to[held];
  if (next == target_) return true;
  const Way& way = column_[next];
  if (way.stamp != attempt_) return order_->has(held, certificate_.channel(next, entry(next)));
  if (may_be_known(way)) return order_->has(held, way.channel);
  barred_[next] = attempt_;
  return false;
}

// By turns that are there. What the channel leads to is settled.
bool ColumnMender::leads_on(std::uint32_t held) const {
  while (channels_.to[held] != target_) {
    const Way& way = column_[channels_.to[held]];
    const std::uint32_t next = way.channel;
    if (!may_be_known(way) || !order_->has(held, next)) return false;
    // What comes then is there for those on whose way it is.
    if (!own_lid_ || way.known) break;
    held = next;
  }
  return true;
}

// The channels to those of whom that is true.
std::span<const std::uint32_t> ColumnMender::comers_of(std::uint32_t at) {
  Comers& known = comers_at_[at];
  if (known.stamp != attempt_) {
    const auto begin = static_cast<std::uint32_t>(comers_.size());
    const std::uint32_t first = channels_.first[at], end = channels_.first[at + 1];
    comers_.resize(begin + end - first);
    std::uint32_t* found = comers_.data() + begin;
    const auto entries = entries_;  // nothing that is written can change it
    const std::uint32_t* const to = channels_.to.data();
    const std::uint8_t* const back = certificate_.backs().data();
    for (std::uint32_t c = first; c < end; ++c) {
      if (entries.entry(SwitchIndex{to[c]}) == back[c] && is_comer(to[c])) *found++ = c;
    }
    comers_.resize(static_cast<std::size_t>(found - comers_.data()));
    known = {attempt_, begin, static_cast<std::uint32_t>(comers_.size())};
  }
  return std::span<const std::uint32_t>(comers_).subspan(known.begin, known.end - known.begin);
}

// Those who still do, as ChannelOrder has them.
void ColumnMender::mark_comers(std::uint32_t at) {
  open_.assign(order_->words(), 0);
  for (const std::uint32_t c : comers_of(at)) {
    const std::uint32_t place = c - channels_.first[at];
    if (!is_moved(channels_.to[c])) open_[place / 64] |= std::uint64_t{1} << (place % 64);
  }
}

bool ColumnMender::is_left(std::uint32_t at) {
  const auto comers = comers_of(at);
  return std::all_of(comers.begin(), comers.end(),
                     [&](std::uint32_t c) { return is_moved(channels_.to[c]); });
}

void ColumnMender::find_behind(std::uint32_t at) {
  for (const std::uint32_t c : comers_of(at)) {
    const std::uint32_t before = channels_.to[c];
    if (is_broken(before)) continue;
    take_as_broken(before);
    far_[before] = {lid_, home_hops(at) + 1};
  }
}

// All who are broken look, if some had no other port.
bool ColumnMender::go_around() {
  if (!own_lid_ && growing_ == nullptr) return false;
  find_broken(false);
  if (own_lid_) {
    find_other_ways();
  } else {
    settle_found();
  }
  if (growing_ == nullptr && !are_mended()) return false;
  return tell();
}

void ColumnMender::settle_found() {
  broken_count_ = found_.size();
  only_known_ = own_lid_;
  settle_all();
  only_known_ = false;
}

// What was freed besides may stay as it is.
bool ColumnMender::are_mended() const {
  return std::all_of(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(broken_count_),
                     [&](std::uint32_t at) { return is_settled(at); });
}

// Mostly a few new turns will do, if those next to what is broken may look anew, too. Otherwise,
// and where turns are scarce, far ways over turns that are there already are better than near ones
// over new turns, with which the next LID would have to fit in.
void ColumnMender::find_other_ways() {
  if (are_mended()) return;
  if (growing_ != nullptr && !few_turns_) {
    free_neighbours();
    settle_freed();
    if (are_mended()) return;
  }
  only_known_ = true;
  free_neighbours();
  settle_freed();
  only_known_ = false;
  if (are_mended()) return;
  find_broken(true);  // ways may be longer from here on
  for (const bool known : {true, false}) {
    if (!known && growing_ == nullptr) return;
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
void ColumnMender::begin() {
  ++attempt_;
  added_before_ = repair_.added.size();
  mended_.clear();
  comers_.clear();
}

void ColumnMender::take_as_broken(std::uint32_t at) {
  broken_[at] = barred_[at] = attempt_;
  found_.push_back(at);
}

// The switches whose own entry leads out of a lost port.
void ColumnMender::find_gates() {
  begin();
  found_.clear();
  for (const auto& [at, out] : damage_.gates) {
    if (entry(at) != out) continue;
    take_as_broken(at);
  }
}

// Those whose packets pass a gate: against the entries, from the gates on. If not all, then none of
// those behind who gets a way that is no longer, for they keep theirs; they can be hundreds.
void ColumnMender::find_broken(bool all) {
  find_gates();
  stepped_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const std::uint32_t at = found_[i];
    if (all || !is_unused(at) || !has_other_port(at)) find_behind(at);
  }
  broken_count_ = found_.size();
}

bool ColumnMender::has_other_port(std::uint32_t at) {
  const std::uint32_t most = home_hops(at);
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    if (damage_.lost[c] == 0 && hops_of(channels_.to[c]) < most) return true;
  }
  return false;
}

// Hops from a switch that is not broken, or was mended, if home's own way leads to such: else
// kNone.
std::uint32_t ColumnMender::hops_of(std::uint32_t at) {
  if (column_[at].stamp == attempt_) return column_[at].hops;
  return is_broken(at) ? kNone : count_hops(at);
}

std::uint32_t ColumnMender::count_hops(std::uint32_t at) {
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
  bool known = false;
  for (std::size_t i = path_.size(); i-- > 0; far = path_[i]) {
    const std::uint32_t channel = column_[path_[i]].channel;
    if (own_lid_) {
      const bool is_last = i + 1 == path_.size();
      known = is_last ? leads_on(channel) : known && order_->has(channel, column_[far].channel);
    }
    column_[path_[i]] = {attempt_, ++hops, channel, known};
  }
  return hops;
}

// To be looked at when all ways of fewer hops are laid.
void ColumnMender::put(std::uint32_t at, std::uint32_t hops) {
  if (hops > kMostHops || (tried_[at] >> hops & 1) != 0) return;
  tried_[at] |= std::uint64_t{1} << hops;
  buckets_[hops].push_back(at);
  last_bucket_ = std::max(last_bucket_, hops);
}

// A way over known turns is taken, however long it is, before a new turn is; and each of those
// may give a way to all that are left.
void ColumnMender::settle_all() {
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
void ColumnMender::settle(std::size_t most) {
  last_bucket_ = 0;
  for (const std::uint32_t at : found_) tried_[at] = 0;
  for (const std::uint32_t at : found_) {
    if (is_settled(at)) continue;
    std::uint64_t distances = 0;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (damage_.lost[c] != 0) continue;
      const std::uint32_t hops = hops_of(channels_.to[c]);
      if (hops < kMostHops) distances |= std::uint64_t{2} << hops;
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

void ColumnMender::begin_freeing() {
  begin();
  found_.resize(broken_count_);
  for (const std::uint32_t at : found_) broken_[at] = attempt_;
}

void ColumnMender::settle_freed() {
  freely_ = true;
  settle_all();
  freely_ = false;
}

// Entries for a switch's own LID that no host's packet passes are held by nothing but habit. If
// hosts find no way over those without a new turn, they are laid anew: mostly those next to what
// is broken will do, ...
void ColumnMender::free_neighbours() {
  begin_freeing();
  for (std::size_t i = 0; i < broken_count_; ++i) {
    const std::uint32_t at = found_[i];
    if (damage_.has_hosts[at] == 0) continue;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      const std::uint32_t next = channels_.to[c];
      if (damage_.lost[c] != 0 || next == target_ || is_broken(next) ||
          damage_.has_hosts[next] != 0)
        continue;
      if (certificate_.channel(next, entry(next)) == kNone || carries(next)) continue;
      broken_[next] = attempt_;
      found_.push_back(next);
    }
  }
}

// Whether packets of hosts whose own way is whole pass a switch.
bool ColumnMender::carries(std::uint32_t at) {
  path_.assign(1, at);
  for (std::size_t i = 0; i < path_.size(); ++i) {
    for (std::uint32_t c = channels_.first[path_[i]]; c < channels_.first[path_[i] + 1]; ++c) {
      const std::uint32_t before = channels_.to[c];
      if (is_broken(before) || !comes_by(c)) continue;
      if (damage_.has_hosts[before] != 0) return true;
      path_.push_back(before);
    }
  }
  return false;
}

// ... and if not, all of them.
void ColumnMender::free_all() {
  begin_freeing();
  std::vector<std::uint8_t> carries(damage_.now_at.size());
  for (std::uint32_t from = 0; from < damage_.now_at.size(); ++from) {
    if (damage_.has_hosts[from] == 0 || is_broken(from)) continue;
    for (std::uint32_t at = from; at != target_ && carries[at] == 0;) {
      carries[at] = 1;
      const std::uint32_t channel = certificate_.channel(at, entry(at));
      if (channel == kNone) break;  // another island
      at = channels_.to[channel];
    }
  }
  for (std::uint32_t at = 0; at < damage_.now_at.size(); ++at) {
    const bool is_free = damage_.has_hosts[at] == 0 && carries[at] == 0 && at != target_;
    if (!is_free || is_broken(at) || damage_.now_at[at] == kNone) continue;
    if (certificate_.channel(at, entry(at)) == kNone) continue;
    broken_[at] = attempt_;
    found_.push_back(at);
  }
}

// A way of so many hops, if there is one that may be.
bool ColumnMender::lay(std::uint32_t at, std::uint32_t hops) {
  choices_.clear();
  unsettled_.clear();
  std::uint32_t present = kNone;
  const std::uint8_t before = entry(at);
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    if (damage_.lost[c] != 0) continue;
    const std::uint32_t next = channels_.to[c];
    const std::uint32_t onward = hops_of(next);
    if (onward == kNone && is_broken(next)) unsettled_.push_back(next);
    if (onward + 1 != hops) continue;
    if (channels_.out[c] == before) present = c;
    choices_.push_back(c);
  }
  const std::uint32_t chosen = choose(at, present);
  if (chosen == kNone) return false;
  column_[at] = {attempt_, hops, chosen, own_lid_ && leads_on(chosen)};
  for (const std::uint32_t next : unsettled_) put(next, hops + 1);
  return true;
}

// The way with the fewest turns that nobody took before. In a tree two of those at different
// leaves can close a cycle, and at one leaf they do not: so where one was taken others follow,
// and the first is at the first place that will do.
std::uint32_t ColumnMender::choose(std::uint32_t at, std::uint32_t present) {
  if (present != kNone && !freely_ && may_use(at, present)) return present;
  if (is_unbound(at)) return fewest_turns();
  known_.clear();
  unknown_.clear();
  for (const std::uint32_t c : choices_) (leads_on(c) ? known_ : unknown_).push_back(c);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const std::uint32_t c = known_[(rank_ + i) % known_.size()];
    if (may_use(at, c)) return c;
  }
  if (only_known_) return kNone;
  if (growing_ == nullptr) {
    lacks_turns_ = lacks_turns_ || !unknown_.empty();
    return kNone;
  }
  ranked_.clear();
  for (const std::uint32_t c : unknown_) ranked_.emplace_back(new_turns(c, kNone), c);
  std::sort(ranked_.begin(), ranked_.end());
  for (const auto& [turns, c] : ranked_) {
    if (may_use(at, c)) return c;
  }
  return kNone;
}

// Of the choices the first that has no more of those than others.
std::uint32_t ColumnMender::fewest_turns() const {
  std::uint32_t best = kNone, fewest = kNone;
  for (std::size_t i = 0; i < choices_.size() && fewest > 0; ++i) {
    const std::uint32_t turns = new_turns(choices_[i], fewest);
    if (turns >= fewest) continue;
    fewest = turns;
    best = choices_[i];
  }
  return best;
}

// Dependencies that are not there yet, from this channel to the target; so many at most.
std::uint32_t ColumnMender::new_turns(std::uint32_t held, std::uint32_t most) const {
  std::uint32_t count = 0;
  while (channels_.to[held] != target_ && count < most) {
    const Way& way = column_[channels_.to[held]];
    const std::uint32_t next = way.channel;
    count += order_->has(held, next) ? 0 : 1;
    if (!own_lid_ || way.known) break;  // as in leads_on
    held = next;
  }
  return count;
}

// Packets of hosts go to the LIDs of hosts from anywhere, to those of switches only from where
// there are hosts (fabric::verify).
bool ColumnMender::may_use(std::uint32_t at, std::uint32_t channel) {
  if (is_unbound(at)) return true;
  added_.clear();
  std::uint32_t held = channel;
  while (channels_.to[held] != target_) {
    const Way& way = column_[channels_.to[held]];
    const std::uint32_t next = way.channel;
    if (!order_->has(held, next)) {
      lacks_turns_ = lacks_turns_ || (!only_known_ && growing_ == nullptr);
      if (only_known_ || growing_ == nullptr || !add(held, next)) return withdraw();
      added_.emplace_back(held, next);
    }
    if (!own_lid_ || way.known) break;  // as in leads_on
    held = next;
  }
  for (const auto& [from, to] : added_) growing_->keep(from, to);
  repair_.added.insert(repair_.added.end(), added_.begin(), added_.end());
  return true;
}

// Where LIDs take turns among ways, what led to one new turn leads to others soon.
bool ColumnMender::add(std::uint32_t held, std::uint32_t next) {
  if (!growing_->agrees(held, next)) {
    const bool again = held == moved_for_;
    if (again) growing_->stand_before_all(held);
    moved_for_ = again ? kNone : held;
  }
  return growing_->add(held, next);
}

bool ColumnMender::withdraw() {
  for (const auto& [from, to] : added_) growing_->remove(from, to);
  return false;
}

// False if a switch that could reach the target has no way.
bool ColumnMender::tell() {
  find_used();
  for (const std::uint32_t at : mended_) {
    if (used_[at] == attempt_) tell_way(at);
  }
  for (const std::uint32_t at : stepped_) tell_way(at);
  if (found_.size() > broken_count_) note_detours();
  if (mended_.size() == found_.size()) return true;
  found_.resize(broken_count_);
  if (!islands_) islands_.emplace(damage_.now);
  const auto island = islands_->of(SwitchIndex{damage_.now_at[target_]});
  for (const std::uint32_t at : found_) {
    if (is_settled(at)) continue;
    if (islands_->of(SwitchIndex{damage_.now_at[at]}) == island) return false;
    note(at, mad::kNoPortNumber.value);
  }
  return true;
}

void ColumnMender::tell_way(std::uint32_t at) {
  const Way& way = column_[at];
  repair_.max_hops = std::max(repair_.max_hops, way.hops);
  repair_.longer += std::int64_t{way.hops} - std::int64_t{home_hops(at)};
  note(at, channels_.out[way.channel]);
}

// What was only freed changes where the ways of what was broken need it. All else keeps home's
// entries, which lead to the target or to these ways.
void ColumnMender::find_used() {
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
void ColumnMender::note_detours() {
  for (const std::uint32_t from : found_) {
    unsigned hops = 0;
    for (std::uint32_t at = from; at != target_; ++hops) {
      const bool is_new = is_broken(at) && used_[at] == attempt_;
      const std::uint32_t channel =
          is_new ? column_[at].channel : certificate_.channel(at, entry(at));
      if (channel == kNone || damage_.lost[channel] != 0) break;  // leads nowhere
      at = channels_.to[channel];
    }
    repair_.max_hops = std::max(repair_.max_hops, hops);
  }
}

// On home's own way.
std::uint32_t ColumnMender::home_hops(std::uint32_t at) {
  if (far_[at].lid == lid_) return far_[at].hops;
  far_[at] = {lid_, 0};
  for (std::uint32_t by = at; by != target_; ++far_[at].hops) {
    by = channels_.to[certificate_.channel(by, entry(by))];
  }
  return far_[at].hops;
}

void ColumnMender::note(std::uint32_t at, std::uint8_t out) {
  if (out == entry(at)) return;
  repair_.entries.push_back(
      {SwitchIndex{damage_.now_at[at]}, lid_, mad::PortNumber{out}, mad::PortNumber{entry(at)}});
}

}  // namespace heddle::routing
