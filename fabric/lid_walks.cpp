// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lid_walks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <utility>

#include "base/spares.hpp"

namespace heddle::fabric {
namespace {

// LidWalks::leads_ names them in 16 bits.
constexpr std::size_t kMostSwitches = 0xFFFF;

// LIDs at one switch mostly stand side by side; where only a few do, going along with each other
// does not pay.
std::vector<LidBatch> batches_of(const Survey& survey) {
  constexpr std::size_t kFew = 4;
  const auto& targets = survey.targets;
  std::vector<LidBatch> batches;
  for (std::size_t lid = 0; lid < targets.size();) {
    std::size_t end = lid + 1;
    const std::size_t widest = lid + LidBatch::kWidest;
    while (end < targets.size() && end < widest && targets[end].at == targets[lid].at) ++end;
    const bool pays = end - lid >= kFew && end <= survey.tables.row_size() &&
                      survey.topology.switch_count() < kMostSwitches;
    if (targets[lid].at != kNowhere && pays) {
      batches.push_back({lid, end, true});
    } else {
      end = std::min(end, (lid / kLftBlockLids + 1) * kLftBlockLids);
      const bool goes_on = !batches.empty() && !batches.back().of_one_switch &&
                           batches.back().end == lid && lid % kLftBlockLids != 0;
      if (!goes_on) batches.push_back({lid, end, false});
      batches.back().end = end;
    }
    lid = end;
  }
  return batches;
}

// Not so that the same column of all switches is found in few sets of the cache.
std::size_t odd_lines(std::size_t bytes) {
  constexpr std::size_t kCacheLine = HopColumns::kPitchUnit;
  return ((bytes + kCacheLine - 1) / kCacheLine | 1) * kCacheLine;
}

// Which switch the entries of each switch lead to, those of one LID side by side: a walk then stays
// in the nearest cache. For many LIDs at once, since those near to each other share cache lines.
class NextColumns {
 public:
  explicit NextColumns(std::size_t switch_count)
      : none_(static_cast<std::uint32_t>(switch_count)),
        pitch_(odd_lines(switch_count * sizeof none_) / sizeof none_) {}

  // Ascending.
  void load(const Survey& survey, const std::vector<std::size_t>& lids) {
    if (lids.empty()) return;
    if (next_.size() < lids.size() * pitch_) next_.resize(lids.size() * pitch_);
    const auto within = std::lower_bound(lids.begin(), lids.end(), survey.tables.row_size());
    const auto known = static_cast<std::size_t>(within - lids.begin());
    for (std::uint32_t s = 0; s < none_; s += kStep) {
      const std::uint32_t count = std::min(kStep, none_ - s);
      take_rows(survey, s, count);
      for (std::size_t i = 0; i < known; ++i) fill(lids[i], count, next_.data() + i * pitch_ + s);
    }
    std::fill(next_.begin() + static_cast<std::ptrdiff_t>(known * pitch_), next_.end(), none_);
  }
  // Of the LID in this place; by switch. The number of switches where an entry leads to none.
  const std::uint32_t* of(std::size_t index) const { return next_.data() + index * pitch_; }

 private:
  // Switches at a time: what is written of one LID fills lines of the cache then, and what is read
  // of all of them stays in the nearest one.
  static constexpr std::uint32_t kStep = 16;
  struct Row {
    const std::uint8_t* entries = nullptr;
    const std::uint32_t* leads = nullptr;  // by port, and nowhere behind the last one
    std::uint32_t ports = 0;
  };

  void take_rows(const Survey& survey, std::uint32_t first, std::uint32_t count) {
    const Wiring& wiring = survey.wiring;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t s = first + i;
      rows_[i] = {survey.tables.row(SwitchIndex{s}).data(),
                  wiring.next_switch.data() + wiring.first_port[s], wiring.ports[s]};
    }
  }
  void fill(std::size_t lid, std::uint32_t count, std::uint32_t* to) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Row& row = rows_[i];
      const std::uint32_t out = std::min<std::uint32_t>(row.entries[lid], row.ports);
      to[i] = std::min(row.leads[out], none_);
    }
  }

  std::array<Row, kStep> rows_;
  std::uint32_t none_;
  std::size_t pitch_;
  std::vector<std::uint32_t> next_;
};

}  // namespace

// Who touches memory first waits for the system to make it.
HopColumns::HopColumns(std::size_t switches, std::size_t columns, const base::ParallelFor& parallel)
    : pitch_(odd_lines(columns)), hops_(kBefore + (switches + 1) * pitch_) {
  std::fill_n(hops_.begin(), kBefore, kUnknown);
  parallel(switches + 1, [&](std::size_t begin, std::size_t end) {
    std::fill_n(hops_.data() + kBefore + begin * pitch_, (end - begin) * pitch_, kUnknown);
  });
}

// Walks the entries of all switches for one LID after another. Every switch is passed once per
// LID: a walk ends where an earlier one has been.
class LidWalks::Walker {
 public:
  explicit Walker(LidWalks& walks)
      : walks_(walks),
        survey_(walks.survey_),
        none_(static_cast<std::uint32_t>(survey_.topology.switch_count())),
        columns_(none_),
        state_(none_ + std::size_t{1}, kFaulty),
        fault_(none_),
        forwards_(none_),
        column_(none_) {}
  ~Walker() { hand_in_forwarders(); }
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  // All of these.
  void walk(std::size_t first, std::size_t end) {
    while (first < end) {
      const std::size_t last = load_columns(first, end);
      for (; first < last; ++first) walks_.tallies_[first] = walk(walks_.batches_[first]);
      hand_in_hops();
    }
  }

  // For each of the LIDs of one switch.
  //
  // The switches are taken nearest first, by the first LID, a row of entries at a time: mostly each
  // entry then leads to a switch that is done. LIDs of which that is not so are walked for one by
  // one, and so are those of switches.
  Tally walk_abreast(const LidBatch& batch) {
    Tally tally;
    is_again_ = true;
    const Target& target = survey_.targets[batch.first];
    const auto& members = survey_.islands.members(survey_.islands.of(SwitchIndex{target.at}));
    take_column(batch.first, members);
    walk_from_all(target, members);
    sort_by_hops(members, order_);
    const std::size_t width = batch.end - batch.first;
    start_hops(width);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      fetch_ahead(order_[std::min(i + kAhead, order_.size() - 1)].value, batch);
      if (order_[i].value == target.at) {
        arrive_abreast(batch);
      } else {
        step_abreast(order_[i].value, batch);
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      const Target& own = survey_.targets[batch.first + i];
      if (strays_[i] < kNotKnown && own.switch_row == kNowhere) {
        tally.routes += members.size();
        tally.hops += hops_sum_[i];
        tally.max_hops = std::max<unsigned>(tally.max_hops, hops_most_[i]);
      } else {
        take_column(batch.first + i, members);
        walk_lid(own, tally);
      }
    }
    return tally;
  }

 private:
  // Hops to the target, or one of these.
  static constexpr std::uint32_t kUnknown = 0xFFFF'FFFF;
  static constexpr std::uint32_t kOnThisWalk = 0xFFFF'FFFE;
  static constexpr std::uint32_t kFaulty = 0xFFFF'FFFD;
  // A byte, so that those of many switches stay in the nearest cache.
  using Hops = std::uint8_t;
  // Or more: behind what is not known, or too far to count. One who has that many more steps begins
  // at 0 again, but then there are others who have not.
  static constexpr Hops kNotKnown = 0x80;
  struct Fault {
    RouteFault kind{};
    std::uint32_t at = 0;
  };

  // Of the LIDs that the first of these batches are walked for; up to which batch.
  std::size_t load_columns(std::size_t first, std::size_t end) {
    constexpr std::size_t kAtOnce = 64;
    lids_.clear();
    std::size_t i = first;
    do {
      const LidBatch& batch = walks_.batches_[i];
      for (std::size_t lid = batch.first; lid < batch.end; ++lid) {
        if (is_walked_for(batch, lid)) lids_.push_back(lid);
      }
    } while (++i < end && lids_.size() + most_of(walks_.batches_[i]) <= kAtOnce);
    columns_.load(survey_, lids_);
    loaded_ = 0;
    return i;
  }

  // Where port 0 of a switch has several LIDs it is more, and so are loaded at once.
  static std::size_t most_of(const LidBatch& batch) {
    return batch.of_one_switch ? 2 : batch.end - batch.first;
  }

  bool is_walked_for(const LidBatch& batch, std::size_t lid) const {
    const Target& target = survey_.targets[lid];
    if (!batch.of_one_switch) return target.at != kNowhere;
    const mad::Lid to{static_cast<std::uint16_t>(lid)};
    return target.switch_row != kNowhere || walks_.is_guide(to, target);
  }

  // Hosts whose guide is one of them are counted when it is known whether they go as it does.
  Tally walk(const LidBatch& batch) {
    Tally tally, guides;
    for (std::size_t lid = batch.first; lid < batch.end; ++lid) {
      if (!is_walked_for(batch, lid)) continue;
      const Target& target = survey_.targets[lid];
      next_ = columns_.of(loaded_++);
      lid_.value = static_cast<std::uint16_t>(lid);
      walk_lid(target, batch.of_one_switch && target.switch_row == kNowhere ? guides : tally);
    }
    return tally;
  }

  void walk_lid(const Target& target, Tally& tally) {
    const auto& members = survey_.islands.members(survey_.islands.of(SwitchIndex{target.at}));
    walk_from_all(target, members);
    tally.routes += members.size();
    if (has_faults_) {
      for (const SwitchIndex from : members) count(from, tally);
    } else {
      tally.hops += hops_of_all_;
      tally.max_hops = std::max(tally.max_hops, most_hops_);
      if (!is_again_ && walks_.is_guide(lid_, target)) note_hops(walks_.column_of_[target.at]);
    }
    if (target.switch_row != kNowhere) mark_forwarders(target);
  }

  void note_hops(std::uint32_t column) {
    if (most_hops_ > HopColumns::kMost) return;
    Guide& guide = walks_.guides_[column];
    guide.astray = false;
    guide.hops = hops_of_all_;
    guide.max_hops = most_hops_;
    noted_.push_back(column);
    noted_hops_.resize(noted_.size() * none_);
    std::uint8_t* const bytes = noted_hops_.data() + (noted_.size() - 1) * none_;
    static_assert(static_cast<std::uint8_t>(kUnknown) == HopColumns::kUnknown);
    for (std::size_t s = 0; s < none_; ++s) bytes[s] = static_cast<std::uint8_t>(state_[s]);
  }

  // Many columns at once: alone, each would have a cache line of every switch brought.
  void hand_in_hops() {
    if (noted_.empty()) return;
    for (std::uint32_t s = 0; s < none_; ++s) {
      std::uint8_t* const row = walks_.hops_.row(SwitchIndex{s});
      const std::uint8_t* bytes = noted_hops_.data() + s;
      for (const std::uint32_t column : noted_) {
        row[column] = *bytes;
        bytes += none_;
      }
    }
    noted_.clear();
  }

  // Begins with who was nearest to a LID before: mostly each entry then leads to a switch that has
  // arrived already, which the processor guesses right. Where a walk that ends nowhere is blamed on
  // depends on who begins, so then they begin in the order that is always the same.
  void walk_from_all(const Target& target, const std::vector<SwitchIndex>& members) {
    constexpr std::size_t kMany = 16;  // of so many one that is not as it was there
    const std::uint32_t island = survey_.islands.of(SwitchIndex{target.at});
    if (std::exchange(island_, island) != island) {
      nearest_first_ = members;
      find_with_hosts(members);
    }
    walk_in_order(nearest_first_, target);
    if (has_faults_) {
      walk_in_order(members, target);
    } else if (detours_ * kMany > members.size()) {
      sort_by_hops(members, nearest_first_);
    }
  }

  void find_with_hosts(const std::vector<SwitchIndex>& members) {
    with_hosts_.clear();
    std::copy_if(members.begin(), members.end(), std::back_inserter(with_hosts_),
                 [this](SwitchIndex at) { return survey_.has_hosts[at.value] != 0; });
  }

  void walk_in_order(const std::vector<SwitchIndex>& order, const Target& target) {
    std::fill_n(state_.begin(), none_, kUnknown);
    has_faults_ = false;
    detours_ = 0;
    hops_of_all_ = 0;
    most_hops_ = 0;
    if (entry(target.at) == target.out) state_[target.at] = 0;
    const std::uint32_t* const next = next_;
    std::uint32_t* const state = state_.data();
    std::uint64_t all = 0;
    std::uint32_t most = 0;
    for (const SwitchIndex from : order) {
      if (state[from.value] != kUnknown) continue;
      const std::uint32_t hops = state[next[from.value]];
      if (hops < kFaulty) {
        state[from.value] = hops + 1;
        all += hops + 1;
        most = std::max(most, hops + 1);
      } else {
        walk_from(from.value);
      }
    }
    hops_of_all_ += all;
    most_hops_ = std::max(most_hops_, most);
  }

  std::uint8_t entry(std::uint32_t at) const {
    return survey_.tables.out_port(SwitchIndex{at}, lid_).value;
  }

  void arrive(std::uint32_t at, std::uint32_t hops) {
    state_[at] = hops;
    hops_of_all_ += hops;
    most_hops_ = std::max(most_hops_, hops);
  }

  // Where the way to one is known that shows it for all of them, that is enough for now.
  void take_column(std::size_t lid, const std::vector<SwitchIndex>& members) {
    lid_.value = static_cast<std::uint16_t>(lid);
    for (const SwitchIndex at : members) {
      column_[at.value] = std::min(survey_.wiring.step(at.value, entry(at.value)), none_);
    }
    next_ = column_.data();
  }

  // What does not arrive comes last.
  void sort_by_hops(const std::vector<SwitchIndex>& members, std::vector<SwitchIndex>& sorted) {
    ends_.assign(members.size() + 2, 0);
    const auto rank = [&](SwitchIndex at) {
      return std::min<std::size_t>(state_[at.value], members.size());
    };
    for (const SwitchIndex from : members) ++ends_[rank(from) + 1];
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    sorted.resize(members.size());
    for (const SwitchIndex from : members) sorted[ends_[rank(from)]++] = from;
  }

  void start_hops(std::size_t width) {
    hops_.assign((state_.size() + 1) * width, kNotKnown);
    strays_.assign(width, 0);
    hops_sum_.assign(width, 0);
    hops_most_.assign(width, 0);
  }

  void arrive_abreast(const LidBatch& batch) {
    const std::size_t width = batch.end - batch.first;
    const std::uint32_t at = survey_.targets[batch.first].at;
    const std::uint8_t* row = survey_.tables.row(SwitchIndex{at}).data() + batch.first;
    for (std::size_t i = 0; i < width; ++i) {
      if (row[i] == survey_.targets[batch.first + i].out) hops_[at * width + i] = 0;
      strays_[i] |= hops_[at * width + i];
    }
  }

  // In the order of hops no hardware guesses what is needed next.
  static constexpr std::size_t kAhead = 6;
  void fetch_ahead(std::uint32_t at, const LidBatch& batch) const {
    const std::uint16_t* leads = walks_.leads_.data() + at * kPortValues;
    __builtin_prefetch(survey_.tables.row(SwitchIndex{at}).data() + batch.first);
    __builtin_prefetch(leads);
    __builtin_prefetch(leads + 32);
  }

  // Bytes may be anything's, so that a compiler which is not told that these stand apart reads
  // every pointer again at each of them.
  void step_abreast(std::uint32_t at, const LidBatch& batch) {
    const std::size_t width = batch.end - batch.first;
    const std::uint8_t* row = survey_.tables.row(SwitchIndex{at}).data() + batch.first;
    const std::uint16_t* leads = walks_.leads_.data() + at * kPortValues;
    const Hops* hops = hops_.data();
    Hops own[LidBatch::kWidest];
    for (std::size_t i = 0; i < width; ++i) {
      own[i] = static_cast<Hops>(hops[leads[row[i]] * width + i] + 1);
    }
    std::copy_n(own, width, hops_.data() + at * width);
    std::uint32_t* sum = hops_sum_.data();
    for (std::size_t i = 0; i < width; ++i) sum[i] += own[i];
    Hops* strays = strays_.data();
    for (std::size_t i = 0; i < width; ++i) strays[i] = static_cast<Hops>(strays[i] | own[i]);
    Hops* most = hops_most_.data();
    for (std::size_t i = 0; i < width; ++i) most[i] = std::max(most[i], own[i]);
  }

  // Apart from the loop that calls it, else that has no registers left for its sums.
  [[gnu::noinline]] void walk_from(std::uint32_t from) {
    ++detours_;
    path_.clear();
    std::uint32_t at = from;
    while (state_[at] == kUnknown) {
      state_[at] = kOnThisWalk;
      path_.push_back(at);
      at = next_[at];
    }
    if (state_[at] < kFaulty) {
      std::uint32_t hops = state_[at];
      for (std::size_t i = path_.size(); i-- > 0;) arrive(path_[i], ++hops);
      return;
    }
    const Fault fault = end_of(at);
    has_faults_ = true;
    for (const std::uint32_t passed : path_) {
      state_[passed] = kFaulty;
      fault_[passed] = fault;
    }
  }

  Fault end_of(std::uint32_t at) const {
    if (at != none_ && state_[at] == kFaulty) return fault_[at];
    if (at != none_) return {RouteFault::Loop, at};
    const std::uint32_t last = path_.back();
    const bool no_route = entry(last) == mad::kNoPortNumber.value;
    return {no_route ? RouteFault::NoRoute : RouteFault::DeadEnd, last};
  }

  void count(SwitchIndex from, Tally& tally) const {
    const std::uint32_t state = state_[from.value];
    if (state != kFaulty) {
      tally.hops += state;
      tally.max_hops = std::max(tally.max_hops, state);
      return;
    }
    ++tally.faulty;
    if (tally.samples.size() == Verification::kMaxSamples) return;
    const Fault& fault = fault_[from.value];
    tally.samples.push_back({fault.kind, from, lid_, SwitchIndex{fault.at}});
  }

  void mark_forwarders(const Target& target) {
    if (target.switch_row / 64 != word_) {
      hand_in_forwarders();
      word_ = target.switch_row / 64;
    }
    const std::uint64_t bit = std::uint64_t{1} << (target.switch_row % 64);
    const std::uint32_t* const next = next_;
    std::uint64_t* const forwards = forwards_.data();
    const std::uint32_t none = none_;
    for (const SwitchIndex from : with_hosts_) {
      for (std::uint32_t at = from.value; at != none && (forwards[at] & bit) == 0; at = next[at]) {
        forwards[at] |= bit;
      }
    }
  }

  // The word may be another thread's too.
  void hand_in_forwarders() {
    if (word_ == kNowhere) return;
    for (std::size_t at = 0; at < forwards_.size(); ++at) {
      if (forwards_[at] == 0) continue;
      std::atomic_ref word(survey_.forwards[at * survey_.forwards_words + word_]);
      word.fetch_or(forwards_[at], std::memory_order_relaxed);
    }
    std::fill(forwards_.begin(), forwards_.end(), std::uint64_t{0});
    word_ = kNowhere;
  }

  LidWalks& walks_;
  Survey& survey_;
  std::uint32_t none_;     // as of no switch: how many there are
  bool is_again_ = false;  // known to be astray: no guide for others
  mad::Lid lid_{};
  std::vector<std::size_t> lids_;  // whose columns are loaded
  NextColumns columns_;
  std::size_t loaded_ = 0;               // which of them is next
  const std::uint32_t* next_ = nullptr;  // by switch: the one its entry leads to
  std::vector<std::uint32_t> state_;     // by switch; at the end kFaulty, of none
  std::vector<Fault> fault_;             // by switch, where the state is kFaulty
  bool has_faults_ = false;              // whether any state is kFaulty
  std::uint64_t hops_of_all_ = 0;        // of those that arrive
  std::uint32_t most_hops_ = 0;
  // By switch, a bit for each of 64 switch LIDs: whether packets of hosts to it pass. And which 64.
  std::vector<std::uint64_t> forwards_;
  std::uint32_t word_ = kNowhere;
  std::vector<std::uint32_t> path_;
  // All of one island, the nearest to some LID first; and how many had to be walked from further
  // than to the next one.
  std::uint32_t island_ = kNowhere;
  std::vector<SwitchIndex> nearest_first_;
  std::vector<SwitchIndex> with_hosts_;  // of that island
  std::size_t detours_ = 0;
  // Columns of hops that are not handed in, and the hops, by column and switch.
  std::vector<std::uint32_t> noted_;
  std::vector<std::uint8_t> noted_hops_;
  // For LIDs that are walked for together.
  std::vector<std::uint32_t> column_;    // by switch: where the entries of one of them lead
  std::vector<SwitchIndex> order_;       // the nearest first
  std::vector<std::size_t> ends_;        // scratch memory of the sorting
  std::vector<Hops> hops_;               // by (switch, LID); one row more, for what leads nowhere
  std::vector<Hops> strays_;             // by LID: all hops, or'ed
  std::vector<std::uint32_t> hops_sum_;  // by LID
  std::vector<Hops> hops_most_;          // by LID
};

LidWalks::LidWalks(Survey& survey)
    : survey_(survey),
      batches_(batches_of(survey)),
      column_of_(survey.topology.switch_count(), kNoColumn) {
  for (const LidBatch& batch : batches_) {
    const std::uint32_t at = survey.targets[batch.first].at;
    if (!batch.of_one_switch || column_of_[at] != kNoColumn) continue;
    column_of_[at] = static_cast<std::uint32_t>(guides_.size());
    guides_.push_back({mad::Lid{static_cast<std::uint16_t>(batch.first)}});
  }
  // Those are walked for anyway.
  for (std::size_t lid = survey.targets.size(); lid-- > 0;) {
    const Target& target = survey.targets[lid];
    if (target.switch_row == kNowhere || column_of_[target.at] == kNoColumn) continue;
    guides_[column_of_[target.at]].lid.value = static_cast<std::uint16_t>(lid);
  }
  tallies_.resize(batches_.size());
}

void LidWalks::walk(const base::ParallelFor& parallel) {
  hops_ = HopColumns(survey_.topology.switch_count(), guides_.size(), parallel);
  {
    base::Spares<Walker> walkers;  // which say the last of what they know as they go
    const auto make = [this] { return std::make_unique<Walker>(*this); };
    parallel(batches_.size(), [&](std::size_t begin, std::size_t end) {
      walkers.borrow(make, [&](Walker& walker) { walker.walk(begin, end); });
    });
  }
  has_faults_ = std::any_of(tallies_.begin(), tallies_.end(),
                            [](const Tally& tally) { return tally.faulty != 0; });
}

void LidWalks::say_astray(std::uint32_t column) {
  std::atomic_ref(guides_[column].astray).store(true, std::memory_order_relaxed);
}

const LidWalks::Guide* LidWalks::guide_of(const LidBatch& batch) const {
  if (!batch.of_one_switch) return nullptr;
  return &guides_[column_of_[survey_.targets[batch.first].at]];
}

void LidWalks::walk_astray(const base::ParallelFor& parallel) {
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Guide* guide = guide_of(batches_[i]);
    if (guide != nullptr && guide->astray) again.push_back(i);
  }
  if (again.empty()) return;
  find_leads();
  parallel(again.size(), [&](std::size_t begin, std::size_t end) {
    Walker walker(*this);
    for (std::size_t i = begin; i < end; ++i) {
      tallies_[again[i]] = walker.walk_abreast(batches_[again[i]]);
    }
  });
}

void LidWalks::find_leads() {
  const Wiring& wiring = survey_.wiring;
  leads_.assign(wiring.ports.size() * kPortValues, static_cast<std::uint16_t>(wiring.ports.size()));
  for (std::size_t s = 0; s < wiring.ports.size(); ++s) {
    for (std::size_t number = 0; number < wiring.ports[s]; ++number) {
      const std::uint32_t next = wiring.next_switch[wiring.first_port[s] + number];
      if (next != kNowhere) leads_[s * kPortValues + number] = static_cast<std::uint16_t>(next);
    }
  }
}

void LidWalks::add_hosts(const LidBatch& batch, const Guide& guide, Tally& tally) const {
  const SwitchIndex at{survey_.targets[batch.first].at};
  const std::size_t members = survey_.islands.members(survey_.islands.of(at)).size();
  for (std::size_t lid = batch.first; lid < batch.end; ++lid) {
    if (survey_.targets[lid].switch_row != kNowhere) continue;
    tally.routes += members;
    tally.hops += guide.hops;
    tally.max_hops = std::max(tally.max_hops, guide.max_hops);
  }
}

Verification LidWalks::sum() const {
  Verification result;
  Tally all;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Tally& tally = tallies_[i];
    all.routes += tally.routes;
    all.faulty += tally.faulty;
    all.max_hops = std::max(all.max_hops, tally.max_hops);
    all.hops += tally.hops;
    for (const auto& sample : tally.samples) {
      if (result.samples.size() < Verification::kMaxSamples) result.samples.push_back(sample);
    }
    const Guide* guide = guide_of(batches_[i]);
    if (guide != nullptr && !guide->astray) add_hosts(batches_[i], *guide, all);
  }
  result.routes = all.routes;
  result.faulty_routes = all.faulty;
  result.max_hops = all.max_hops;
  const std::uint64_t arriving = all.routes - all.faulty;
  if (arriving > 0) {
    result.mean_hops = static_cast<double>(all.hops) / static_cast<double>(arriving);
  }
  return result;
}

}  // namespace heddle::fabric
