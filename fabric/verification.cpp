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

// Walks the entries of all switches for one LID after another. Every switch is passed once per
// LID: a walk ends where an earlier one has been. LIDs of one switch have ways of much the same
// length, so the switches are taken nearest first, by the LID before: mostly each then leads to one
// that is done.
class Walker {
 public:
  explicit Walker(Survey& survey)
      : survey_(survey),
        columns_(survey.topology.switch_count()),
        state_(survey.topology.switch_count()),
        fault_(survey.topology.switch_count()) {}

  Tally walk_block(std::size_t block) {
    Tally tally;
    columns_.load(survey_.tables, block);
    for (std::size_t i = 0; i < kLftBlockLids; ++i) {
      const std::size_t lid = block * kLftBlockLids + i;
      if (lid >= survey_.targets.size() || survey_.targets[lid].at == kNowhere) continue;
      entries_ = columns_.of(i);
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
  struct Fault {
    RouteFault kind{};
    std::uint32_t at = 0;
  };

  void walk_lid(const Target& target, Tally& tally) {
    const auto& members = survey_.islands.members(survey_.islands.of(SwitchIndex{target.at}));
    for (const SwitchIndex from : members) state_[from.value] = kUnknown;
    if (entries_[target.at] == target.out) state_[target.at] = 0;
    // Sorting pays when the next LID is at the same switch.
    const std::size_t next = lid_.value + std::size_t{1};
    const bool goes_on = next < survey_.targets.size() && survey_.targets[next].at == target.at;
    if (target.at != order_for_ && goes_on) sort_by_hops(target, members);
    if (target.at != order_for_ || !walk_in_order(tally)) {
      for (const SwitchIndex from : members) {
        if (state_[from.value] == kUnknown) walk_from(from.value);
        count(from, tally);
      }
    }
    tally.routes += members.size();
    if (target.switch_row != kNowhere) mark_forwarders(target, members);
  }

  // Walks once for the order alone. What does not arrive comes last.
  void sort_by_hops(const Target& target, const std::vector<SwitchIndex>& members) {
    order_for_ = target.at;
    const bool arrives = state_[target.at] == 0;
    for (const SwitchIndex from : members) {
      if (state_[from.value] == kUnknown) walk_from(from.value);
    }
    ends_.assign(members.size() + 2, 0);
    const auto rank = [&](SwitchIndex at) {
      return std::min<std::size_t>(state_[at.value], members.size());
    };
    for (const SwitchIndex from : members) ++ends_[rank(from) + 1];
    for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
    order_.resize(members.size());
    for (const SwitchIndex from : members) order_[ends_[rank(from)]++] = from.value;
    for (const SwitchIndex from : members) state_[from.value] = kUnknown;
    if (arrives) state_[target.at] = 0;
  }

  // False, and nothing counted, if some switch leads to one that is not done; what is known by then
  // is right.
  bool walk_in_order(Tally& tally) {
    std::uint64_t hops = 0;
    std::uint32_t most = 0;
    for (const std::uint32_t at : order_) {
      if (state_[at] == kUnknown) {
        const std::uint32_t next = survey_.wiring.step(at, entries_[at]);
        if (next == kNowhere || state_[next] >= kFaulty) return false;
        state_[at] = state_[next] + 1;
      }
      hops += state_[at];
      most = std::max(most, state_[at]);
    }
    tally.hops += hops;
    tally.max_hops = std::max(tally.max_hops, most);
    return true;
  }

  void walk_from(std::uint32_t from) {
    path_.clear();
    std::uint32_t at = from;
    while (at != kNowhere && state_[at] == kUnknown) {
      state_[at] = kOnThisWalk;
      path_.push_back(at);
      at = survey_.wiring.step(at, entries_[at]);
    }
    if (at != kNowhere && state_[at] < kFaulty) {
      std::uint32_t hops = state_[at];
      for (std::size_t i = path_.size(); i-- > 0;) state_[path_[i]] = ++hops;
      return;
    }
    const Fault fault = end_of(at);
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
        at = survey_.wiring.step(at, entries_[at]);
      }
    }
  }

  Survey& survey_;
  mad::Lid lid_{};
  Columns columns_;
  const std::uint8_t* entries_ = nullptr;
  std::vector<std::uint32_t> state_;  // by switch
  std::vector<Fault> fault_;          // by switch, where the state is kFaulty
  std::vector<std::uint32_t> path_;
  std::uint32_t order_for_ = kNowhere;  // the target switch of ...
  std::vector<std::uint32_t> order_;    // its island's switches, the nearest first
  std::vector<std::size_t> ends_;       // scratch memory of the sorting
};

Verification walk_all(Survey& survey, const base::ParallelFor& parallel) {
  std::vector<Tally> tallies((survey.targets.size() + kLftBlockLids - 1) / kLftBlockLids);
  parallel(tallies.size(), [&](std::size_t begin, std::size_t end) {
    Walker walker(survey);
    for (std::size_t block = begin; block < end; ++block) {
      tallies[block] = walker.walk_block(block);
    }
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

constexpr std::size_t kPortValues = 256;

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
        seen_(kPortValues * kPortValues) {}

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
    const std::size_t count = std::min(row.size(), survey_.targets.size());
    for (std::size_t lid = 0; lid < count; ++lid) {
      const Target& target = survey_.targets[lid];
      if (target.at == kNowhere) continue;
      if (target.switch_row != kNowhere &&
          survey_.forwards[target.switch_row * switches + from.value] == 0) {
        continue;
      }
      note(lid);
    }
  }

  void add(ChannelIndex held, const Channel& channel) {
    const std::uint8_t* pairs = seen(channel.out.value);
    std::size_t local = 0;
    for (const Channel& onward : survey_.topology.channels_from(channel.to)) {
      if (pairs[onward.out.value] != 0) dependencies_.add(held, local);
      ++local;
    }
  }

  const Survey& survey_;
  const std::vector<Departed>& departed_;
  Dependencies& dependencies_;
  std::vector<std::uint8_t> no_row_;                         // for ports that lead to no switch
  std::array<const std::uint8_t*, kPortValues> next_row_{};  // by out port
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
    walk.replies(parallel);
    result.reply_cycle = walk.dependencies().find_cycle();
  }
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
