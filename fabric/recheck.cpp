// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/recheck.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/islands.hpp"

namespace heddle::fabric {
namespace {

constexpr std::uint32_t kNone = 0xFFFF'FFFF;
// Of one LID: where so many entries changed, or after so many steps against the entries, one walk
// along them from all hosts is cheaper.
constexpr std::uint32_t kManyAsked = 64;

using Change = TableChange;

// Where a LID's packets have to arrive.
struct Aim {
  std::uint32_t at = kNone;  // kNone: nothing has to arrive
  std::uint8_t out = 0;
};

// What is asked of the whole fabric.
struct Ground {
  explicit Ground(const Topology& topology)
      : islands(topology), has_hosts(topology.switch_count()) {
    for (const PortIndex endport : topology.endports()) {
      const auto place = topology.attachment(endport);
      if (place && place->out.value != 0) has_hosts[place->at.value] = 1;
    }
  }
  bool are_joined(std::uint32_t a, std::uint32_t b) const {
    return islands.of(SwitchIndex{a}) == islands.of(SwitchIndex{b});
  }
  Islands islands;
  std::vector<std::uint8_t> has_hosts;  // by switch
};

// Looks at what changed for one LID after another. Scratch memory: one per thread.
class ColumnCheck {
 public:
  ColumnCheck(const Proven& proven, const Claim& claim, const std::vector<Aim>& targets,
              const Ground& ground)
      : proven_(proven),
        claim_(claim),
        targets_(targets),
        ground_(ground),
        arrived_(claim.before.size()),
        unpassed_(claim.before.size()) {}

  // All changes of one LID.
  bool holds(std::span<const Change> changes) {
    entries_ = claim_.tables.column(mad::Lid{changes.front().lid});
    return column_arrives(changes) && column_leads_forward(changes);
  }

 private:
  // 0 is no LID, so a column's number marks what is known of it.
  bool column_arrives(std::span<const Change> changes) {
    const std::uint16_t lid = changes.front().lid;
    const Aim target = targets_[lid];
    if (target.at == kNone) return true;
    if (entry(target.at) != target.out) return false;
    arrived_[target.at] = lid;
    for (const Change& change : changes) {
      std::uint32_t at = change.at;
      way_.clear();
      while (at != kNone && arrived_[at] != lid && way_.size() <= arrived_.size()) {
        way_.push_back(at);
        at = step(at, entry(at));
      }
      if (at == kNone) {
        if (ground_.are_joined(change.at, target.at)) return false;
        continue;
      }
      if (arrived_[at] != lid) return false;  // it goes round
      for (const std::uint32_t passed : way_) arrived_[passed] = lid;
    }
    return true;
  }

  bool column_leads_forward(std::span<const Change> changes) {
    const std::uint16_t lid = changes.front().lid;
    passed_.clear();
    asked_ = 0;
    const bool all_count = all_senders_count(lid);
    if (!all_count && changes.size() >= kManyAsked) mark_passed();
    return std::all_of(changes.begin(), changes.end(), [&](const Change& change) {
      return all_count ? turns_lead_forward(change) : leads_forward_for_hosts(change);
    });
  }

  // Where everybody counts as a sender all that comes after the next switch was proven: it stands
  // there for that switch's own packets.
  bool turns_lead_forward(const Change& change) {
    const std::uint8_t out = entry(change.at);
    const std::uint32_t held = channel(change.at, out);
    if (held == kNone) return true;
    const std::uint32_t next = step(change.at, out);
    const std::uint32_t onward = next == kNone ? kNone : channel(next, entry(next));
    return (onward == kNone || is_forward(held, onward)) &&
           !any_arrival_turns_back(change, held, [](std::uint32_t) { return true; });
  }

  // Where only hosts do, packets may come with a new entry where no host's came before, so all that
  // follows is looked at. But that, and who arrives, matter only if hosts' packets pass the new
  // entry itself: whoever leads to it would lead them there.
  bool leads_forward_for_hosts(const Change& change) {
    if (!passed_.empty() && passed_[change.at] == 0) return true;
    const std::uint32_t held = channel(change.at, entry(change.at));
    if (held == kNone) return true;
    if (!way_leads_forward(change.at) && counts(change.at, change.lid)) return false;
    const auto does_count = [&](std::uint32_t from) { return counts(from, change.lid); };
    return !any_arrival_turns_back(change, held, does_count);
  }

  // From an entry to the end.
  bool way_leads_forward(std::uint32_t at) const {
    std::uint32_t held = channel(at, entry(at));
    for (std::uint32_t next = step(at, entry(at)); next != kNone;) {
      const std::uint8_t out = entry(next);
      const std::uint32_t onward = channel(next, out);
      if (onward == kNone) return true;
      if (!is_forward(held, onward)) return false;
      held = onward;
      next = step(next, out);
    }
    return true;
  }

  // From the entries of neighbours that count to the new one, which leads out by `onward`.
  template <class Counts>
  bool any_arrival_turns_back(const Change& change, std::uint32_t onward,
                              const Counts& does_count) {
    const auto channels = claim_.topology.channels_from(SwitchIndex{change.at});
    return std::any_of(channels.begin(), channels.end(), [&](const Channel& back) {
      if (entry(back.to.value) != back.in.value) return false;
      const std::uint32_t held = channel(back.to.value, back.in.value);
      return !is_forward(held, onward) && does_count(back.to.value);
    });
  }

  // Whether packets to this LID that pass this switch are some host's: for a switch's own LID, and
  // for one that nobody owns, only hosts count as senders. Asked only where the answer matters: if
  // little is behind the switches that this is asked of, each is looked at alone.
  bool counts(std::uint32_t at, std::uint16_t lid) {
    if (all_senders_count(lid)) return true;
    if (unpassed_[at] == lid) return false;
    if (passed_.empty() && asked_ < kManyAsked) return is_passed(at, lid);
    if (passed_.empty()) mark_passed();
    return passed_[at] != 0;
  }
  // Looked for against the entries, until a host is found. If there is none, all that was seen
  // need not be asked of again.
  bool is_passed(std::uint32_t at, std::uint16_t lid) {
    unpassed_[at] = lid;
    behind_.assign(1, at);
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      ++asked_;
      if (ground_.has_hosts[behind_[i]] != 0) return true;  // and that ends the whole check
      for (const Channel& back : claim_.topology.channels_from(SwitchIndex{behind_[i]})) {
        const std::uint32_t before = back.to.value;
        if (unpassed_[before] == lid || entry(before) != back.in.value) continue;
        unpassed_[before] = lid;
        behind_.push_back(before);
      }
    }
    return false;
  }
  void mark_passed() {
    passed_ = ground_.has_hosts;
    behind_.clear();
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (passed_[s] != 0) behind_.push_back(s);
    }
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      const std::uint32_t next = step(behind_[i], entry(behind_[i]));
      if (next == kNone || passed_[next] != 0) continue;
      passed_[next] = 1;
      behind_.push_back(next);
    }
  }
  bool all_senders_count(std::uint16_t lid) const {
    return targets_[lid].at != kNone && targets_[lid].out != 0;
  }
  bool is_forward(std::uint32_t held, std::uint32_t next) const {
    return claim_.places[held] < claim_.places[next];
  }
  std::uint8_t entry(std::uint32_t at) const { return entries_.entry(SwitchIndex{at}); }
  // The next switch over a link that is there.
  std::uint32_t step(std::uint32_t at, std::uint8_t out) const {
    const auto index = claim_.topology.channel_by_entry(SwitchIndex{at}, out);
    return index == kNoChannel ? kNone : claim_.topology.channels()[index.value].to.value;
  }
  // As the proven fabric counts channels.
  std::uint32_t channel(std::uint32_t at, std::uint8_t out) const {
    const auto index = proven_.topology.channel_by_entry(claim_.before[at], out);
    return index == kNoChannel ? kNone : index.value;
  }

  const Proven& proven_;
  const Claim& claim_;
  const std::vector<Aim>& targets_;  // by LID
  const Ground& ground_;
  ForwardingTables::Column entries_;    // of the claimed tables, of one LID
  std::vector<std::uint16_t> arrived_;  // by switch: the last LID whose way is known to arrive
  std::vector<std::uint32_t> way_;      // scratch memory of a walk
  std::uint32_t asked_ = 0;             // of one LID: steps of is_passed
  std::vector<std::uint8_t> passed_;    // by switch, of one LID; empty: not known yet
  // By switch: the last LID for which it is known, or supposed while a search goes on, that no
  // host's packets pass.
  std::vector<std::uint16_t> unpassed_;
  std::vector<std::uint32_t> behind_;  // found in one search or walk
};

class Recheck {
 public:
  Recheck(const Proven& proven, const Claim& claim, const base::ParallelFor& parallel)
      : proven_(proven), claim_(claim), parallel_(parallel) {}

  bool run() {
    return matches_switches() && matches_and_differs() && no_way_into_what_is_gone() &&
           columns_hold();
  }
  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  bool matches_switches() {
    const std::size_t before = proven_.topology.switch_count();
    if (claim_.before.size() != claim_.topology.switch_count() ||
        claim_.tables.switch_count() != claim_.before.size() ||
        proven_.tables.switch_count() != before ||
        claim_.tables.row_size() != proven_.tables.row_size() ||
        claim_.places.size() != proven_.topology.channels().size() ||
        claim_.places.size() != proven_.witness.places().size()) {
      return false;
    }
    now_.assign(before, kNone);
    for (std::uint32_t s = 0; s < claim_.before.size(); ++s) {
      const std::uint32_t old = claim_.before[s].value;
      if (old >= before || now_[old] != kNone) return false;
      now_[old] = s;
    }
    return true;
  }

  // Looks that need nothing of each other.
  bool matches_and_differs() {
    constexpr std::size_t kLooks = 3, kSlices = TableChanges::kSlices;
    bool channels_match = false, places_match = false;
    std::atomic<bool> line_holds = true;
    TableChanges changes(claim_.tables, proven_.tables, claim_.before);
    parallel_(kLooks + 2 * kSlices, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i == 0) ground_.emplace(claim_.topology);
        if (i == 1) channels_match = matches_channels();
        if (i == 2) places_match = matches_places();
        if (i < kLooks) continue;
        const std::size_t slice = (i - kLooks) / 2;
        if ((i - kLooks) % 2 == 0)
          changes.look_at(slice);
        else if (!line_holds_in(slice))
          line_holds = false;
      }
    });
    changes_ = changes.by_lid();
    return channels_match && places_match && line_holds;
  }

  bool matches_channels() {
    is_there_.assign(proven_.topology.channels().size(), 0);
    for (const Channel& channel : claim_.topology.channels()) {
      const SwitchIndex from = claim_.before[channel.from.value];
      const ChannelIndex old = proven_.topology.channel_by_entry(from, channel.out.value);
      if (old == kNoChannel) return false;
      const Channel& was = proven_.topology.channels()[old.value];
      if (was.to != claim_.before[channel.to.value] || was.in != channel.in) return false;
      is_there_[old.value] = 1;
    }
    return true;
  }

  bool matches_places() {
    targets_.assign(claim_.tables.row_size(), {});
    for (std::uint32_t number = 1; number <= claim_.lids.top().value; ++number) {
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      const PortIndex owner = claim_.lids.owner(lid), old = proven_.lids.owner(lid);
      if (owner == kNoPort) continue;
      const auto place = claim_.topology.attachment(owner);
      if (!place) continue;  // it hangs on no switch
      if (old == kNoPort || number >= targets_.size()) return false;
      const auto was = proven_.topology.attachment(old);
      if (!was || was->at != claim_.before[place->at.value] || was->out != place->out) return false;
      targets_[number] = {place->at.value, place->out.value};
    }
    return true;
  }

  // Entries that stayed although they lead out of a port whose link is gone.
  bool no_way_into_what_is_gone() {
    for (std::uint32_t old = 0; old < is_there_.size(); ++old) {
      if (is_there_[old] != 0) continue;
      const Channel& channel = proven_.topology.channels()[old];
      const std::uint32_t at = now_[channel.from.value];
      if (at == kNone) continue;
      for (std::size_t lid = 1; lid < targets_.size(); ++lid) {
        const bool leads_there = claim_.tables.entry(SwitchIndex{at}, lid) == channel.out.value &&
                                 targets_[lid].at != kNone;
        if (leads_there && ground_->are_joined(at, targets_[lid].at)) return false;
      }
    }
    return true;
  }

  // Dependencies that stood lead forward still: those between channels with a place of before do.
  // Of a slice of the switches, those that pass there.
  bool line_holds_in(std::size_t slice) const {
    const std::size_t switches = proven_.topology.switch_count();
    std::vector<std::uint64_t> moved;
    for (std::size_t s = slice * switches / TableChanges::kSlices;
         s < (slice + 1) * switches / TableChanges::kSlices; ++s) {
      if (!line_holds_through(SwitchIndex{static_cast<std::uint32_t>(s)}, moved)) return false;
    }
    return true;
  }
  // `moved` gets the channels that leave there with another place, as a witness tells them.
  bool line_holds_through(SwitchIndex at, std::vector<std::uint64_t>& moved) const {
    const Witness& witness = proven_.witness;
    const auto leaving = proven_.topology.channels_from(at);
    const std::uint32_t first = proven_.topology.first_channel(at).value;
    moved.assign(witness.words(), 0);
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      moved[i / 64] |= std::uint64_t{has_moved(first + static_cast<std::uint32_t>(i))} << (i % 64);
    }
    const bool any = std::any_of(moved.begin(), moved.end(), [](auto word) { return word != 0; });
    return std::all_of(leaving.begin(), leaving.end(), [&](const Channel& channel) {
      const ChannelIndex held = channel.reverse;
      const bool all = has_moved(held.value);
      if (!all && !any) return true;
      for (std::size_t w = 0; w < moved.size(); ++w) {
        for (std::uint64_t left = witness.word(held, w) & (all ? ~std::uint64_t{0} : moved[w]);
             left != 0; left &= left - 1) {
          const auto local = static_cast<std::uint32_t>(w * 64) +
                             static_cast<std::uint32_t>(std::countr_zero(left));
          if (!is_forward(held.value, first + local)) return false;
        }
      }
      return true;
    });
  }
  bool has_moved(std::uint32_t channel) const {
    return proven_.witness.places()[channel] != claim_.places[channel];
  }
  bool is_forward(std::uint32_t held, std::uint32_t next) const {
    return claim_.places[held] < claim_.places[next];
  }

  bool columns_hold() {
    std::vector<std::span<const Change>> columns;
    for (std::size_t begin = 0, end = 0; begin < changes_.size(); begin = end) {
      while (end < changes_.size() && changes_[end].lid == changes_[begin].lid) ++end;
      columns.emplace_back(changes_.data() + begin, end - begin);
    }
    std::atomic<bool> hold = true;
    parallel_(columns.size(), [&](std::size_t begin, std::size_t end) {
      ColumnCheck check(proven_, claim_, targets_, *ground_);
      for (std::size_t i = begin; i < end && hold; ++i) {
        if (!check.holds(columns[i])) hold = false;
      }
    });
    return hold;
  }

  const Proven& proven_;
  const Claim& claim_;
  const base::ParallelFor& parallel_;
  std::vector<std::uint32_t> now_;      // by proven switch; kNone: it is gone
  std::vector<std::uint8_t> is_there_;  // by proven channel
  std::vector<Aim> targets_;            // by LID
  std::vector<Change> changes_;         // by LID
  std::optional<Ground> ground_;
};

}  // namespace

bool follows(const Proven& proven, const Claim& claim, const base::ParallelFor& parallel,
             std::vector<TableChange>* changes) {
  Recheck recheck(proven, claim, parallel);
  if (!recheck.run()) return false;
  if (changes != nullptr) *changes = recheck.take_changes();
  return true;
}

}  // namespace heddle::fabric
