// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/recheck.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/counterparts.hpp"
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

// What shows without tables.
struct Ground {
  Ground(const Proven& of, const Remains& left)
      : proven(of),
        remains(left),
        now(of.topology.switch_count(), kNone),
        is_there(of.topology.channels().size()),
        switches_match(matches_switches()) {}

  bool matches_switches() {
    if (remains.before.size() != remains.topology.switch_count()) return false;
    for (std::uint32_t s = 0; s < remains.before.size(); ++s) {
      const std::uint32_t old = remains.before[s].value;
      if (old >= now.size() || now[old] != kNone) return false;
      now[old] = s;
    }
    return true;
  }
  bool matches_channels() {
    const Channel* const first = proven.topology.channels().data();
    bool match = true;
    for (std::uint32_t s = 0; s < remains.before.size() && match; ++s) {
      const auto visit = [&](const Channel* channel, const Channel* was) {
        if (channel == nullptr) return;  // it is gone
        match = match && was != nullptr && was->to == remains.before[channel->to.value] &&
                was->in == channel->in;
        if (match) is_there[static_cast<std::size_t>(was - first)] = 1;
      };
      for_each_out_port(remains.topology, SwitchIndex{s}, proven.topology, remains.before[s],
                        visit);
    }
    return match;
  }

  bool matches_places() {
    targets.assign(proven.tables.row_size(), {});
    for (std::uint32_t number = 1; number <= remains.lids.top().value; ++number) {
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      const PortIndex owner = remains.lids.owner(lid), old = proven.lids.owner(lid);
      if (owner == kNoPort) continue;
      const auto place = remains.topology.attachment(owner);
      if (!place) continue;  // it hangs on no switch
      if (old == kNoPort || number >= targets.size()) return false;
      const auto was = proven.topology.attachment(old);
      const bool same = was && was->at == remains.before[place->at.value] && was->out == place->out;
      if (!same) return false;
      targets[number] = {place->at.value, place->out.value};
    }
    return true;
  }

  void find_islands() {
    islands.emplace(remains.topology);
    has_hosts.resize(remains.topology.switch_count());
    for (const PortIndex endport : remains.topology.endports()) {
      const auto place = remains.topology.attachment(endport);
      if (place && place->out.value != 0) has_hosts[place->at.value] = 1;
    }
  }
  bool are_joined(std::uint32_t a, std::uint32_t b) const {
    return islands->of(SwitchIndex{a}) == islands->of(SwitchIndex{b});
  }

  const Proven proven;
  const Remains remains;
  std::vector<std::uint32_t> now;      // by proven switch; kNone: it is gone
  std::vector<std::uint8_t> is_there;  // by proven channel
  std::vector<Aim> targets;            // by LID
  std::optional<Islands> islands;
  std::vector<std::uint8_t> has_hosts;  // by switch
  bool switches_match = false, channels_match = false, places_match = false;
};

// Looks at what changed for one LID after another. Scratch memory: one per thread.
class ColumnCheck {
 public:
  ColumnCheck(const Ground& ground, const Claim& claim)
      : ground_(ground),
        topology_(ground.remains.topology),
        claim_(claim),
        targets_(ground.targets),
        arrived_(topology_.switch_count()),
        unpassed_(topology_.switch_count()) {}

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
    const auto channels = topology_.channels_from(SwitchIndex{change.at});
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
      for (const Channel& back : topology_.channels_from(SwitchIndex{behind_[i]})) {
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
    const auto index = topology_.channel_by_entry(SwitchIndex{at}, out);
    return index == kNoChannel ? kNone : topology_.channels()[index.value].to.value;
  }
  // As the proven fabric counts channels.
  std::uint32_t channel(std::uint32_t at, std::uint8_t out) const {
    const auto index = ground_.proven.topology.channel_by_entry(ground_.remains.before[at], out);
    return index == kNoChannel ? kNone : index.value;
  }

  const Ground& ground_;
  const Topology& topology_;
  const Claim& claim_;
  const std::vector<Aim>& targets_;     // by LID
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

// One claim.
class TableCheck {
 public:
  TableCheck(const Ground& ground, const Claim& claim, const base::ParallelFor& parallel)
      : ground_(ground), claim_(claim), parallel_(parallel) {}

  bool run() { return fits() && line_holds_and_differs() && arrives_and_leads_forward(); }
  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  bool fits() const {
    const Proven& proven = ground_.proven;
    return claim_.tables.switch_count() == ground_.remains.before.size() &&
           proven.tables.switch_count() == proven.topology.switch_count() &&
           claim_.tables.row_size() == proven.tables.row_size() &&
           claim_.places.size() == proven.topology.channels().size() &&
           claim_.places.size() == proven.witness.places().size();
  }

  // Looks that need nothing of each other.
  bool line_holds_and_differs() {
    constexpr std::size_t kSlices = TableChanges::kSlices;
    std::atomic<bool> line_holds = true;
    TableChanges changes(claim_.tables, ground_.proven.tables, ground_.remains.before);
    parallel_(2 * kSlices, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i % 2 == 0)
          changes.look_at(i / 2);
        else if (!line_holds_in(i / 2))
          line_holds = false;
      }
    });
    changes_ = changes.by_lid();
    return line_holds;
  }

  // Dependencies that stood lead forward still: those between channels with a place of before do.
  // Of a slice of the switches, those from or to the channels that leave there.
  bool line_holds_in(std::size_t slice) const {
    const std::size_t switches = ground_.proven.topology.switch_count();
    const auto& was = ground_.proven.witness.places();
    std::vector<std::uint64_t> moved;
    for (std::size_t s = slice * switches / TableChanges::kSlices;
         s < (slice + 1) * switches / TableChanges::kSlices; ++s) {
      const SwitchIndex at{static_cast<std::uint32_t>(s)};
      const std::size_t first = ground_.proven.topology.first_channel(at).value;
      const std::size_t count = ground_.proven.topology.channels_from(at).size();
      const auto now = claim_.places.subspan(first, count);
      if (std::equal(now.begin(), now.end(), was.begin() + static_cast<std::ptrdiff_t>(first))) {
        continue;
      }
      if (!line_holds_from(at, moved) || !line_holds_to(at, moved)) return false;
    }
    return true;
  }
  // `moved` gets the channels with another place, as a witness tells them.
  bool line_holds_from(SwitchIndex at, std::vector<std::uint64_t>& moved) const {
    const Witness& witness = ground_.proven.witness;
    moved.assign(witness.words(), 0);
    std::uint32_t held = ground_.proven.topology.first_channel(at).value;
    for (std::size_t i = 0; i < ground_.proven.topology.channels_from(at).size(); ++i, ++held) {
      if (witness.places()[held] == claim_.places[held]) continue;
      moved[i / 64] |= std::uint64_t{1} << (i % 64);
      const auto to = ground_.proven.topology.channels()[held].to;
      for (std::size_t w = 0; w < witness.words(); ++w) {
        if (!leads_forward(held, to, w, witness.word({held}, w))) return false;
      }
    }
    return true;
  }
  bool line_holds_to(SwitchIndex at, const std::vector<std::uint64_t>& moved) const {
    const auto leaving = ground_.proven.topology.channels_from(at);
    return std::all_of(leaving.begin(), leaving.end(), [&](const Channel& channel) {
      const ChannelIndex held = channel.reverse;
      for (std::size_t w = 0; w < moved.size(); ++w) {
        const std::uint64_t some = ground_.proven.witness.word(held, w) & moved[w];
        if (!leads_forward(held.value, at, w, some)) return false;
      }
      return true;
    });
  }
  // To all of these channels that leave a switch: one word of a witness.
  bool leads_forward(std::uint32_t held, SwitchIndex at, std::size_t w, std::uint64_t to) const {
    const auto first =
        ground_.proven.topology.first_channel(at).value + static_cast<std::uint32_t>(64 * w);
    for (; to != 0; to &= to - 1) {
      const auto local = static_cast<std::uint32_t>(std::countr_zero(to));
      if (!is_forward(held, first + local)) return false;
    }
    return true;
  }
  bool is_forward(std::uint32_t held, std::uint32_t next) const {
    return claim_.places[held] < claim_.places[next];
  }

  // What differs, and what stayed although it must not: the last of these looks.
  bool arrives_and_leads_forward() {
    std::vector<std::span<const Change>> columns;
    for (std::size_t begin = 0, end = 0; begin < changes_.size(); begin = end) {
      while (end < changes_.size() && changes_[end].lid == changes_[begin].lid) ++end;
      columns.emplace_back(changes_.data() + begin, end - begin);
    }
    std::atomic<bool> hold = true;
    parallel_(1 + columns.size(), [&](std::size_t begin, std::size_t end) {
      ColumnCheck check(ground_, claim_);
      for (std::size_t i = begin; i < end && hold; ++i) {
        if (i == 0 ? !no_way_into_what_is_gone() : !check.holds(columns[i - 1])) hold = false;
      }
    });
    return hold;
  }

  // Entries that stayed although they lead out of a port whose link is gone.
  bool no_way_into_what_is_gone() const {
    for (std::uint32_t old = 0; old < ground_.is_there.size(); ++old) {
      if (ground_.is_there[old] != 0) continue;
      const Channel& channel = ground_.proven.topology.channels()[old];
      const std::uint32_t at = ground_.now[channel.from.value];
      if (at == kNone) continue;
      for (std::size_t lid = 1; lid < ground_.targets.size(); ++lid) {
        const bool leads_there = claim_.tables.entry(SwitchIndex{at}, lid) == channel.out.value &&
                                 ground_.targets[lid].at != kNone;
        if (leads_there && ground_.are_joined(at, ground_.targets[lid].at)) return false;
      }
    }
    return true;
  }

  const Ground& ground_;
  const Claim& claim_;
  const base::ParallelFor& parallel_;
  std::vector<Change> changes_;  // by LID
};

}  // namespace

class Recheck::Fabric : public Ground {
  using Ground::Ground;
};

Recheck::Recheck(const Proven& proven, const Remains& remains)
    : fabric_(std::make_unique<Fabric>(proven, remains)) {}

Recheck::~Recheck() = default;

void Recheck::look(std::size_t number) {
  if (!fabric_->switches_match) return;
  if (number == 0) fabric_->find_islands();
  if (number == 1) fabric_->channels_match = fabric_->matches_channels();
  if (number == 2) fabric_->places_match = fabric_->matches_places();
}

bool Recheck::follows(const Claim& claim, const base::ParallelFor& parallel,
                      std::vector<TableChange>* changes) const {
  const bool match = fabric_->switches_match && fabric_->channels_match && fabric_->places_match;
  TableCheck check(*fabric_, claim, parallel);
  if (!match || !check.run()) return false;
  if (changes != nullptr) *changes = check.take_changes();
  return true;
}

}  // namespace heddle::fabric
