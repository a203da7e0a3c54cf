// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_mender.hpp"

#include <algorithm>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr std::uint32_t kMostHops = 63;  // one bit each in a word; longer ways are for the engines

}  // namespace

LaneMender::LaneMender(const Damage& damage, PacketLanes& lanes, ChannelOrder& order, unsigned vls)
    : damage_(damage),
      lanes_(lanes),
      certificate_(damage.certificate),
      channels_(damage.channels),
      order_(order),
      vls_(vls),
      of_turn_(damage.now_at.size()),
      moved_out_(damage.now_at.size()),
      broken_(damage.now_at.size()),
      way_(broken_.size()),
      far_(broken_.size()),
      passing_(broken_.size()),
      before_(broken_.size()),
      tried_(broken_.size()),
      buckets_(kMostHops + 1) {}

// The less is moved the better: at first only who stands at the loss and, where it has no other
// port as near that takes all who come by it, those behind; then all whose packets passed the loss;
// and at last everybody.
bool LaneMender::mend(mad::Lid lid, std::size_t rank) {
  return !turn_to(lid, rank) || step_aside() || look_around(false) || look_around(true);
}

// False if it hangs on no switch.
bool LaneMender::turn_to(mad::Lid lid, std::size_t rank) {
  const auto target = damage_.target_of(lid);
  if (!target) return false;
  lid_ = lid;
  rank_ = rank;
  target_ = *target;
  lanes_.head_for(lid);
  ++turn_;
  for (auto it = mended_.lower_bound(key_of(0, lid)); it != mended_.end(); ++it) {
    if (it->first >> 32 != lid.value) break;
    const auto at = static_cast<std::uint32_t>(it->first);
    of_turn_[at] = turn_;
    moved_out_[at] = it->second;
  }
  return true;
}

// Nobody is taken along by one who steps aside: who has another lane by now needs all turns of his
// way on it, also those before the loss.
bool LaneMender::mend_on_other_levels(mad::Lid lid, std::size_t rank) {
  if (!turn_to(lid, rank) || look_around(false) || look_around(true)) return true;
  begin();
  find_broken();
  const auto helps_one = [this] {
    return std::any_of(found_.begin(), found_.end(), [this](std::uint32_t at) {
      return !has_new_way(at) && !is_cut_off(at) && change_lane(at);
    });
  };
  bool all = grow(found_);
  while (!all && helps_one()) all = grow(found_);
  if (all) return tell();
  begin();
  return false;
}

// Over the nearest neighbour for which a lane can be found.
bool LaneMender::change_lane(std::uint32_t at) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;  // hops, channel
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const std::uint32_t hops = damage_.lost[c] != 0 ? kNone : hops_of(channels_.to[c]);
    if (hops < kMostHops) ranked.emplace_back(hops, c);
  }
  std::sort(ranked.begin(), ranked.end());
  return std::any_of(ranked.begin(), ranked.end(),
                     [&](const auto& choice) { return change_lane(at, choice.second); });
}

bool LaneMender::change_lane(std::uint32_t at, std::uint32_t channel) {
  may_add_ = true;
  for (unsigned i = 0; i < vls_; ++i) {
    const auto vl = static_cast<std::uint8_t>((rank_ + i) % vls_);
    const auto lane = static_cast<LaneSet>(1u << vl);
    const std::size_t added = added_.size(), moved = moves_.size();
    if (leads_on(at, channel, lane, false) && takes_others(at, lane)) {
      lanes_.change(SwitchIndex{at}, vl);
      way_[at] = {attempt_, hops_of(channels_.to[channel]) + 1, channel};
      return true;
    }
    withdraw(added);
    take_back(moved);
  }
  return false;
}

// All that will have the lane if packets from a switch to this LID have it.
bool LaneMender::takes_others(std::uint32_t at, LaneSet lane) {
  if (!lanes_.has_replies()) return true;
  const auto& there = lanes_.lids_at(SwitchIndex{target_});
  const auto& here = lanes_.lids_at(SwitchIndex{at});
  return std::all_of(there.begin(), there.end(),
                     [&](mad::Lid lid) { return lid == lid_ || takes_way(at, lid, lane); }) &&
         std::all_of(here.begin(), here.end(),
                     [&](mad::Lid lid) { return takes_way(target_, lid, lane); });
}

// Who has not been mended yet will have the new lane then. Who is in the way of nobody else may
// leave by another port.
bool LaneMender::takes_way(std::uint32_t from, mad::Lid to, LaneSet lane) {
  if (!lanes_.has_any(SwitchIndex{from}, to)) return true;
  if (!follow(from, mended_channel(from, to), to)) return true;
  const std::size_t before = added_.size();
  if (admit_path(lane)) return true;
  withdraw(before);
  if (has_comers(from, to)) return false;
  for (std::uint32_t c = channels_.first[from]; c < channels_.first[from + 1]; ++c) {
    if (follow(from, c, to) && admit_path(lane)) {
      move(from, to, channels_.out[c]);
      return true;
    }
    withdraw(before);
  }
  return false;
}

bool LaneMender::has_comers(std::uint32_t at, mad::Lid lid) const {
  const std::uint32_t target = *damage_.target_of(lid);
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const std::uint32_t comer = channels_.to[c];
    if (comer != target && mended_channel(comer, lid) == channels_.reverse(c)) return true;
  }
  return false;
}

void LaneMender::move(std::uint32_t at, mad::Lid lid, std::uint8_t out) {
  moves_.push_back({at, lid, mended_entry(at, lid)});
  set(at, lid, out);
}

// All switches may have looked for a way, of which few took another one.
void LaneMender::set(std::uint32_t at, mad::Lid lid, std::uint8_t out) {
  if (out == damage_.entry(at, lid)) {
    mended_.erase(key_of(at, lid));
  } else {
    mended_[key_of(at, lid)] = out;
  }
}

std::uint8_t LaneMender::mended_entry(std::uint32_t at, mad::Lid lid) const {
  const auto mended = mended_.find(key_of(at, lid));
  return mended != mended_.end() ? mended->second : damage_.entry(at, lid);
}

// Where a LID's entry leads, with what has been mended; kNone if nowhere.
std::uint32_t LaneMender::mended_channel(std::uint32_t at, mad::Lid lid) const {
  return certificate_.channel(at, mended_entry(at, lid));
}

// Leaves the way over a channel in path_; false if it does not arrive.
bool LaneMender::follow(std::uint32_t from, std::uint32_t channel, mad::Lid lid) {
  const std::uint32_t target = *damage_.target_of(lid);
  path_.clear();
  while (channel != kNone && damage_.lost[channel] == 0) {
    path_.push_back(channel);
    const std::uint32_t at = channels_.to[channel];
    if (at == target) return true;
    if (at == from) return false;
    channel = mended_channel(at, lid);
  }
  return false;
}

void LaneMender::take_back(std::size_t upto) {
  for (; moves_.size() > upto; moves_.pop_back()) {
    set(moves_.back().at, moves_.back().lid, moves_.back().before);
  }
}

bool LaneMender::admit_path(LaneSet lane) {
  for (std::size_t i = 1; i < path_.size(); ++i) {
    if (!admit(path_[i - 1], path_[i], lane)) return false;
  }
  return true;
}

// Nothing has to be cleared between attempts but what was added.
void LaneMender::begin() {
  withdraw(0);
  while (lanes_.change_count() > changes_before_) lanes_.undo();
  take_back(0);
  ++attempt_;
  found_.clear();
}

// Calls visit(switch) for those whose packets come by here at home, over a link that is there.
template <class Visit>
void LaneMender::for_each_comer(std::uint32_t at, Visit visit) const {
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const std::uint32_t comer = channels_.to[c];
    if (damage_.lost[c] == 0 && comer != target_ && entry(comer) == certificate_.back(c)) {
      visit(comer);
    }
  }
}

void LaneMender::find_broken() {
  const auto find = [this](std::uint32_t at, std::uint32_t before) {
    broken_[at] = attempt_;
    before_[at] = before;
    passing_[at] = lanes_.from(SwitchIndex{at});
    found_.push_back(at);
  };
  for (const auto& [at, out] : damage_.gates) {
    if (at != target_ && entry(at) == out) find(at, kNone);
  }
  for (std::size_t i = 0; i < found_.size(); ++i) {
    for_each_comer(found_[i], [&](std::uint32_t comer) {
      if (!is_broken(comer)) find(comer, found_[i]);
    });
  }
  for (std::size_t i = found_.size(); i-- > 0;) {
    const std::uint32_t before = before_[found_[i]];
    if (before == kNone) continue;
    passing_[before] = static_cast<LaneSet>(passing_[before] | passing_[found_[i]]);
  }
}

bool LaneMender::step_aside() {
  begin();
  find_broken();
  std::vector<std::uint32_t> tops, left;
  for (const std::uint32_t at : found_) {
    if (before_[at] == kNone) tops.push_back(at);
  }
  for (std::size_t i = 0; i < tops.size(); ++i) {
    if (sidestep(tops[i])) continue;
    left.push_back(tops[i]);
    for_each_comer(tops[i], [&](std::uint32_t comer) { tops.push_back(comer); });
  }
  return grow(left) && tell();
}

bool LaneMender::look_around(bool all) {
  begin();
  find_broken();
  for (std::uint32_t at = 0; all && at < broken_.size(); ++at) {
    const bool has_way = certificate_.channel(at, entry(at)) != kNone;
    if (is_broken(at) || at == target_ || damage_.now_at[at] == kNone || !has_way) continue;
    broken_[at] = attempt_;
    found_.push_back(at);
  }
  return grow(found_) && tell();
}

// By a port that is as near, with all who come by.
bool LaneMender::sidestep(std::uint32_t at) {
  const std::uint32_t most = home_hops(at);
  const std::uint32_t first = channels_.first[at];
  const auto count = static_cast<std::uint32_t>(channels_.first[at + 1] - first);
  for (const bool may_add : {false, true}) {
    may_add_ = may_add;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto c = first + static_cast<std::uint32_t>((rank_ + i) % count);
      if (damage_.lost[c] != 0 || hops_of(channels_.to[c]) >= most) continue;
      if (!take(at, c, passing_[at], true)) continue;
      keep_behind(at);
      return true;
    }
  }
  return false;
}

// Their entries stay as they are.
void LaneMender::keep_behind(std::uint32_t at) {
  path_.assign(1, at);
  while (!path_.empty()) {
    const std::uint32_t here = path_.back();
    path_.pop_back();
    for_each_comer(here, [&](std::uint32_t comer) {
      broken_[comer] = 0;
      path_.push_back(comer);
    });
  }
}

// Ways for switches by which nobody comes who has none himself, the nearest first.
bool LaneMender::grow(const std::vector<std::uint32_t>& lost) {
  for (const std::uint32_t at : lost) tried_[at] = 0;
  for (const std::uint32_t at : lost) {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (damage_.lost[c] == 0) offer(at, hops_of(channels_.to[c]));
    }
  }
  for (std::uint32_t hops = 0; hops < buckets_.size(); ++hops) {
    for (std::size_t i = 0; i < buckets_[hops].size(); ++i) {
      const std::uint32_t at = buckets_[hops][i];
      if (has_new_way(at) || !lay(at, hops)) continue;
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t next = channels_.to[c];
        const bool waits = is_broken(next) && !has_new_way(next);
        if (damage_.lost[c] == 0 && waits) offer(next, hops);
      }
    }
    buckets_[hops].clear();
  }
  return std::all_of(lost.begin(), lost.end(),
                     [this](std::uint32_t at) { return has_new_way(at) || is_cut_off(at); });
}

// To look for a way over a neighbour that is so far.
void LaneMender::offer(std::uint32_t at, std::uint32_t hops) {
  if (hops >= kMostHops) return;
  const std::uint64_t bit = std::uint64_t{1} << (hops + 1);
  if ((tried_[at] & bit) != 0) return;
  tried_[at] |= bit;
  buckets_[hops + 1].push_back(at);
}

// A way of so many hops for a switch's own packets: as before if that can be, and otherwise by
// turns that are there.
bool LaneMender::lay(std::uint32_t at, std::uint32_t hops) {
  choices_.clear();
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    if (damage_.lost[c] != 0 || hops_of(channels_.to[c]) + 1 != hops) continue;
    choices_.push_back(c);
  }
  if (choices_.empty()) return false;
  std::rotate(choices_.begin(),
              choices_.begin() + static_cast<std::ptrdiff_t>(rank_ % choices_.size()),
              choices_.end());
  std::stable_partition(choices_.begin(), choices_.end(),
                        [&](std::uint32_t c) { return channels_.out[c] == entry(at); });
  const LaneSet lanes = lanes_.from(SwitchIndex{at});
  for (const bool may_add : {false, true}) {
    may_add_ = may_add;
    for (const std::uint32_t c : choices_) {
      if (take(at, c, lanes, false)) return true;
    }
  }
  return false;
}

bool LaneMender::take(std::uint32_t at, std::uint32_t channel, LaneSet lanes, bool with_comers) {
  const std::size_t before = added_.size();
  if (!leads_on(at, channel, lanes, with_comers)) {
    withdraw(before);
    return false;
  }
  way_[at] = {attempt_, hops_of(channels_.to[channel]) + 1, channel};
  return true;
}

// To the target, for packets on all these lanes.
bool LaneMender::leads_on(std::uint32_t at, std::uint32_t channel, LaneSet lanes,
                          bool with_comers) {
  bool is_open = true;
  if (with_comers) {
    for_each_comer(at, [&](std::uint32_t comer) {
      is_open =
          is_open && admit(certificate_.channel(comer, entry(comer)), channel, passing_[comer]);
    });
  }
  for (std::uint32_t held = channel; is_open && channels_.to[held] != target_;) {
    const std::uint32_t next = next_of(channels_.to[held]);
    is_open = admit(held, next, lanes);
    held = next;
  }
  return is_open;
}

bool LaneMender::admit(std::uint32_t held, std::uint32_t next, LaneSet lanes) {
  for (unsigned vl = 0; lanes >> vl != 0; ++vl) {
    if ((lanes >> vl & 1) == 0) continue;
    const std::uint32_t from = held * vls_ + vl, to = next * vls_ + vl;
    if (order_.has(from, to)) continue;
    if (!may_add_ || !order_.add(from, to)) return false;
    added_.emplace_back(from, to);
  }
  return true;
}

void LaneMender::withdraw(std::size_t upto) {
  for (; added_.size() > upto; added_.pop_back()) {
    order_.remove(added_.back().first, added_.back().second);
  }
}

// From a switch that has a way; kNone from others.
std::uint32_t LaneMender::hops_of(std::uint32_t at) {
  path_.clear();
  std::uint32_t hops = kNone;
  for (std::uint32_t by = at; hops == kNone;) {
    if (by == target_) {
      hops = 0;
    } else if (has_new_way(by)) {
      hops = way_[by].hops;
    } else if (is_broken(by)) {
      return kNone;
    } else if (far_[by].stamp == attempt_) {
      hops = far_[by].hops;
    } else {
      const std::uint32_t channel = certificate_.channel(by, entry(by));
      if (channel == kNone) return kNone;
      path_.push_back(by);
      by = channels_.to[channel];
    }
  }
  for (std::size_t i = path_.size(); i-- > 0;) far_[path_[i]] = {attempt_, ++hops};
  return hops;
}

// On the way that was there before.
std::uint32_t LaneMender::home_hops(std::uint32_t at) const {
  std::uint32_t hops = 0;
  for (; at != target_; ++hops) at = channels_.to[certificate_.channel(at, entry(at))];
  return hops;
}

bool LaneMender::is_cut_off(std::uint32_t at) {
  if (!islands_) islands_.emplace(damage_.now);
  return islands_->of(SwitchIndex{damage_.now_at[at]}) !=
         islands_->of(SwitchIndex{damage_.now_at[target_]});
}

bool LaneMender::tell() {
  for (const auto& [held, next] : added_) order_.keep(held, next);
  kept_.insert(kept_.end(), added_.begin(), added_.end());
  added_.clear();
  changes_before_ = lanes_.change_count();
  ++moved_;
  for (const std::uint32_t at : found_) {
    if (has_new_way(at)) {
      set(at, lid_, channels_.out[way_[at].channel]);
    } else if (is_broken(at)) {
      set(at, lid_, mad::kNoPortNumber.value);
    }
  }
  moves_.clear();
  return true;
}

Repair LaneMender::found() const {
  Repair repair;
  repair.moved = moved_;
  repair.added = kept_;
  for (const auto& [key, out] : mended_) {
    const auto at = static_cast<std::uint32_t>(key);
    const mad::Lid lid{static_cast<std::uint16_t>(key >> 32)};
    const mad::PortNumber was{damage_.entry(at, lid)};
    repair.entries.push_back({SwitchIndex{damage_.now_at[at]}, lid, mad::PortNumber{out}, was});
  }
  return repair;
}

}  // namespace heddle::routing
