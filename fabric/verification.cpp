// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/verification.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/lane_walk.hpp"
#include "fabric/survey.hpp"

namespace heddle::fabric {
namespace {

struct Tally {
  std::uint64_t routes = 0;
  std::uint64_t faulty = 0;
  std::uint64_t hops = 0;
  unsigned max_hops = 0;
  std::vector<RouteFaultSample> samples;
};

// LIDs that are walked for together: all at one switch, so many at most, or else of one block.
constexpr std::size_t kWidest = 128;
struct Batch {
  std::size_t first = 0, end = 0;
  bool of_one_switch = false;
};

// Wiring::leads names them in 16 bits.
constexpr std::size_t kMostSwitches = 0xFFFF;

// LIDs at one switch mostly stand side by side; where only a few do, going along with each other
// does not pay.
std::vector<Batch> batches_of(const Survey& survey) {
  constexpr std::size_t kFew = 4;
  const auto& targets = survey.targets;
  std::vector<Batch> batches;
  for (std::size_t lid = 0; lid < targets.size();) {
    std::size_t end = lid + 1;
    while (end < targets.size() && end < lid + kWidest && targets[end].at == targets[lid].at) ++end;
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

// Walks the entries of all switches for one LID after another. Every switch is passed once per
// LID: a walk ends where an earlier one has been.
class Walker {
 public:
  explicit Walker(Survey& survey)
      : survey_(survey),
        columns_(survey.topology.switch_count()),
        next_(survey.topology.switch_count()),
        state_(survey.topology.switch_count()),
        fault_(survey.topology.switch_count()),
        column_(survey.topology.switch_count()) {}

  Tally walk(const Batch& batch) {
    Tally tally;
    if (batch.of_one_switch) {
      walk_together(batch, tally);
      return tally;
    }
    columns_.load(survey_.tables, batch.first / kLftBlockLids);
    for (std::size_t lid = batch.first; lid < batch.end; ++lid) {
      if (survey_.targets[lid].at == kNowhere) continue;
      entries_ = columns_.of(lid % kLftBlockLids);
      lid_.value = static_cast<std::uint16_t>(lid);
      walk_lid(survey_.targets[lid], tally);
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

  void walk_lid(const Target& target, Tally& tally) {
    const auto& members = survey_.islands.members(survey_.islands.of(SwitchIndex{target.at}));
    walk_from_all(target, members);
    tally.routes += members.size();
    if (has_faults_) {
      for (const SwitchIndex from : members) count(from, tally);
    } else {
      count_arrived(members, tally);
    }
    if (target.switch_row != kNowhere) mark_forwarders(target, members);
  }

  // All steps are looked up first: what waits for memory then waits at once, and a walk only for
  // the nearest cache.
  void walk_from_all(const Target& target, const std::vector<SwitchIndex>& members) {
    for (const SwitchIndex from : members) {
      next_[from.value] = survey_.wiring.step(from.value, entries_[from.value]);
      state_[from.value] = kUnknown;
    }
    has_faults_ = false;
    if (entries_[target.at] == target.out) state_[target.at] = 0;
    for (const SwitchIndex from : members) {
      if (state_[from.value] == kUnknown) walk_from(from.value);
    }
  }

  // LIDs of one switch have ways of much the same length. So the switches are taken nearest first,
  // by the first LID, a row of entries at a time: mostly each entry then leads to a switch that is
  // done. LIDs of which that is not so are walked for one by one, and so are those of switches.
  void walk_together(const Batch& batch, Tally& tally) {
    const Target& target = survey_.targets[batch.first];
    const auto& members = survey_.islands.members(survey_.islands.of(SwitchIndex{target.at}));
    take_column(batch.first, members);
    walk_from_all(target, members);
    sort_by_hops(members);
    const std::size_t width = batch.end - batch.first;
    start_hops(width);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      fetch_ahead(order_[std::min(i + kAhead, order_.size() - 1)], batch);
      if (order_[i] == target.at) {
        arrive(batch);
      } else {
        step_together(order_[i], batch);
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
  }

  void take_column(std::size_t lid, const std::vector<SwitchIndex>& members) {
    for (const SwitchIndex at : members) column_[at.value] = survey_.tables.row(at)[lid];
    entries_ = column_.data();
    lid_.value = static_cast<std::uint16_t>(lid);
  }

  // What does not arrive comes last.
  void sort_by_hops(const std::vector<SwitchIndex>& members) {
    ends_.assign(members.size() + 2, 0);
    const auto rank = [&](SwitchIndex at) {
      return std::min<std::size_t>(state_[at.value], members.size());
    };
    for (const SwitchIndex from : members) ++ends_[rank(from) + 1];
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    order_.resize(members.size());
    for (const SwitchIndex from : members) order_[ends_[rank(from)]++] = from.value;
  }

  void start_hops(std::size_t width) {
    hops_.assign((state_.size() + 1) * width, kNotKnown);
    strays_.assign(width, 0);
    hops_sum_.assign(width, 0);
    hops_most_.assign(width, 0);
  }

  void arrive(const Batch& batch) {
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
  void fetch_ahead(std::uint32_t at, const Batch& batch) const {
    const std::uint16_t* leads = survey_.wiring.leads.data() + at * kPortValues;
    __builtin_prefetch(survey_.tables.row(SwitchIndex{at}).data() + batch.first);
    __builtin_prefetch(leads);
    __builtin_prefetch(leads + 32);
  }

  // Bytes may be anything's, so that a compiler which is not told that these stand apart reads
  // every pointer again at each of them.
  void step_together(std::uint32_t at, const Batch& batch) {
    const std::size_t width = batch.end - batch.first;
    const std::uint8_t* row = survey_.tables.row(SwitchIndex{at}).data() + batch.first;
    const std::uint16_t* leads = survey_.wiring.leads.data() + at * kPortValues;
    const Hops* hops = hops_.data();
    Hops own[kWidest];
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

  void walk_from(std::uint32_t from) {
    path_.clear();
    std::uint32_t at = from;
    while (at != kNowhere && state_[at] == kUnknown) {
      state_[at] = kOnThisWalk;
      path_.push_back(at);
      at = next_[at];
    }
    if (at != kNowhere && state_[at] < kFaulty) {
      std::uint32_t hops = state_[at];
      for (std::size_t i = path_.size(); i-- > 0;) state_[path_[i]] = ++hops;
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
    if (at != kNowhere && state_[at] == kFaulty) return fault_[at];
    if (at != kNowhere) return {RouteFault::Loop, at};
    const std::uint32_t last = path_.back();
    const bool no_route = entries_[last] == mad::kNoPortNumber.value;
    return {no_route ? RouteFault::NoRoute : RouteFault::DeadEnd, last};
  }

  void count_arrived(const std::vector<SwitchIndex>& members, Tally& tally) const {
    std::uint64_t hops = 0;
    std::uint32_t most = 0;
    for (const SwitchIndex from : members) {
      hops += state_[from.value];
      most = std::max(most, state_[from.value]);
    }
    tally.hops += hops;
    tally.max_hops = std::max(tally.max_hops, most);
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

  void mark_forwarders(const Target& target, const std::vector<SwitchIndex>& members) {
    std::uint8_t* row = survey_.forwards.data() + target.switch_row * state_.size();
    for (const SwitchIndex from : members) {
      if (survey_.has_hosts[from.value] == 0) continue;
      std::uint32_t at = from.value;
      while (at != kNowhere && row[at] == 0) {
        row[at] = 1;
        at = next_[at];
      }
    }
  }

  Survey& survey_;
  mad::Lid lid_{};
  Columns columns_;
  const std::uint8_t* entries_ = nullptr;
  std::vector<std::uint32_t> next_;   // by switch: the one its entry leads to
  std::vector<std::uint32_t> state_;  // by switch
  std::vector<Fault> fault_;          // by switch, where the state is kFaulty
  bool has_faults_ = false;           // whether any state is kFaulty
  std::vector<std::uint32_t> path_;
  // For LIDs that are walked for together.
  std::vector<std::uint8_t> column_;     // by switch: the entries of one of them
  std::vector<std::uint32_t> order_;     // switches, the nearest first
  std::vector<std::size_t> ends_;        // scratch memory of the sorting
  std::vector<Hops> hops_;               // by (switch, LID); one row more, for what leads nowhere
  std::vector<Hops> strays_;             // by LID: all hops, or'ed
  std::vector<std::uint32_t> hops_sum_;  // by LID
  std::vector<Hops> hops_most_;          // by LID
};

Verification walk_all(Survey& survey, const base::ParallelFor& parallel) {
  const auto batches = batches_of(survey);
  std::vector<Tally> tallies(batches.size());
  parallel(tallies.size(), [&](std::size_t begin, std::size_t end) {
    Walker walker(survey);
    for (std::size_t i = begin; i < end; ++i) tallies[i] = walker.walk(batches[i]);
  });
  Verification result;
  std::uint64_t hops = 0;
  for (const Tally& tally : tallies) {
    result.routes += tally.routes;
    result.faulty_routes += tally.faulty;
    result.max_hops = std::max(result.max_hops, tally.max_hops);
    hops += tally.hops;
    for (const auto& sample : tally.samples) {
      if (result.samples.size() < Verification::kMaxSamples) result.samples.push_back(sample);
    }
  }
  const std::uint64_t arriving = result.routes - result.faulty_routes;
  if (arriving > 0) result.mean_hops = static_cast<double>(hops) / static_cast<double>(arriving);
  return result;
}

// By switch: whether packets to the LID may pass it, which some host sends.
std::vector<bool> passed_by_hosts(const Survey& survey, mad::Lid lid) {
  std::vector<bool> passed(survey.has_hosts.size());
  for (std::uint32_t from = 0; from < passed.size(); ++from) {
    if (survey.has_hosts[from] == 0) continue;
    for (std::uint32_t at = from; at != kNowhere && !passed[at];) {
      passed[at] = true;
      at = survey.wiring.step(at, survey.tables.row(SwitchIndex{at})[lid.value]);
    }
  }
  return passed;
}

struct Departed {
  mad::Lid lid{};
  std::vector<bool> passed;  // by switch; empty: all
};

std::vector<Departed> ways_of(const Survey& survey, const std::vector<DepartedLid>& departed) {
  std::vector<Departed> ways;
  for (const DepartedLid& gone : departed) {
    if (gone.lid.value >= survey.tables.row_size()) continue;
    ways.push_back({gone.lid, {}});
    if (gone.was_switch) ways.back().passed = passed_by_hosts(survey, gone.lid);
  }
  return ways;
}

// The dependencies that begin at one switch. Scratch memory: one per thread.
class Depender {
 public:
  Depender(const Survey& survey, const std::vector<Departed>& departed, Dependencies& dependencies)
      : survey_(survey),
        departed_(departed),
        dependencies_(dependencies),
        no_row_(survey.tables.row_size(), mad::kNoPortNumber.value),
        seen_(kPortValues * kPortValues) {
    const std::size_t count = std::min(no_row_.size(), survey.targets.size());
    for (std::size_t lid = 0; lid < count; ++lid) {
      const Target& target = survey.targets[lid];
      if (target.at == kNowhere) continue;
      if (target.switch_row != kNowhere) {
        of_switches_.push_back(lid);
      } else if (!of_hosts_.empty() && of_hosts_.back().second == lid) {
        ++of_hosts_.back().second;
      } else {
        of_hosts_.emplace_back(lid, lid + 1);
      }
    }
  }

  void depend_from(SwitchIndex from) {
    const auto channels = survey_.topology.channels_from(from);
    next_row_.fill(no_row_.data());
    for (const Channel& channel : channels) {
      next_row_[channel.out.value] = survey_.tables.row(channel.to).data();
      clear(channel.out.value);
    }
    look_at_lids(from);
    ChannelIndex held = survey_.topology.first_channel(from);
    for (const Channel& channel : channels) {
      add(held, channel);
      ++held.value;
    }
  }

 private:
  std::uint8_t* seen(std::size_t out) { return seen_.data() + out * kPortValues; }
  void clear(std::size_t out) { std::fill_n(seen(out), kPortValues, std::uint8_t{0}); }

  // Notes each pair of ports that a LID takes here and at the next switch. The inner loop stores
  // without asking: what leads nowhere is noted beside the rest, and never looked at.
  void look_at_lids(SwitchIndex from) {
    const auto row = survey_.tables.row(from);
    const auto note = [&](std::size_t lid) { seen(row[lid])[next_row_[row[lid]][lid]] = 1; };
    for (const Departed& gone : departed_) {
      if (gone.passed.empty() || gone.passed[from.value]) note(gone.lid.value);
    }
    const std::size_t switches = survey_.has_hosts.size();
    for (const auto& [first, end] : of_hosts_) {
      for (std::size_t lid = first; lid < end; ++lid) note(lid);
    }
    for (const std::size_t lid : of_switches_) {
      const std::size_t forwards = survey_.targets[lid].switch_row * switches + from.value;
      if (survey_.forwards[forwards] != 0) note(lid);
    }
  }

  void add(ChannelIndex held, const Channel& channel) {
    const std::uint8_t* pairs = seen(channel.out.value);
    const auto onward = survey_.topology.channels_from(channel.to);
    for (std::size_t first = 0; first < onward.size(); first += 64) {
      const std::size_t count = std::min<std::size_t>(64, onward.size() - first);
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < count; ++i) {
        word |= std::uint64_t{pairs[onward[first + i].out.value]} << i;
      }
      dependencies_.add_word(held, first / 64, word);
    }
  }

  const Survey& survey_;
  const std::vector<Departed>& departed_;
  Dependencies& dependencies_;
  std::vector<std::pair<std::size_t, std::size_t>> of_hosts_;  // LIDs from .. to before
  std::vector<std::size_t> of_switches_;                       // LIDs
  std::vector<std::uint8_t> no_row_;                           // for ports that lead to no switch
  std::array<const std::uint8_t*, kPortValues> next_row_{};    // by out port
  std::vector<std::uint8_t> seen_;  // by (out port, out port of the next switch)
};

std::string channel_text(const Topology& topology, ChannelIndex index) {
  const Channel& channel = topology.channels()[index.value];
  const Node& from = topology.node(channel.from);
  return fmt::format("{}/{}",
                     from.description.empty() ? base::hex(from.guid.value) : from.description,
                     channel.out.value);
}

}  // namespace

Verification verify(const Topology& topology, const LidMap& lids, const ForwardingTables& tables,
                    const Lanes& lanes, const base::ParallelFor& parallel,
                    const std::vector<DepartedLid>& departed, std::optional<Dependencies>* graph) {
  HEDDLE_CHECK(tables.switch_count() == topology.switch_count());
  Survey survey(topology, lids, tables);
  Verification result = walk_all(survey, parallel);
  if (lanes.vls == 1) {
    Dependencies dependencies(topology);
    const auto ways = ways_of(survey, departed);
    parallel(topology.switch_count(), [&](std::size_t begin, std::size_t end) {
      Depender depender(survey, ways, dependencies);
      for (std::size_t s = begin; s < end; ++s) {
        depender.depend_from(SwitchIndex{static_cast<std::uint32_t>(s)});
      }
    });
    result.dependencies = dependencies.count();
    result.credit_cycle = dependencies.find_cycle();
    if (graph != nullptr) *graph = std::move(dependencies);
    return result;
  }
  LaneWalk walk(survey, lanes);
  walk.forward(parallel);
  result.dependencies = walk.dependencies().count();
  result.credit_cycle = walk.dependencies().find_cycle();
  if (result.credit_cycle.empty()) {
    if (graph != nullptr) *graph = walk.dependencies();
    walk.replies(parallel);
    result.reply_cycle = walk.dependencies().find_cycle();
  }
  if (graph != nullptr && (!*graph || result.reply_cycle.empty())) *graph = walk.take();
  return result;
}

std::string describe_cycle(const Topology& topology, const std::vector<LaneChannel>& cycle) {
  const bool has_lanes =
      std::any_of(cycle.begin(), cycle.end(), [](const LaneChannel& at) { return at.vl != 0; });
  const auto name = [&](const LaneChannel& at) {
    const std::string channel = channel_text(topology, at.channel);
    return has_lanes ? fmt::format("{} VL {}", channel, at.vl) : channel;
  };
  std::string text;
  for (const LaneChannel& at : cycle) text += name(at) + " -> ";
  return cycle.empty() ? text : text + name(cycle.front());
}

}  // namespace heddle::fabric
