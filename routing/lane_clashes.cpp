// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_clashes.hpp"

#include <atomic>

#include "routing/lane_line.hpp"
#include "routing/packet_lanes.hpp"

namespace heddle::routing {
namespace {

using fabric::kLftBlockLids;
using fabric::kNowhere;
using fabric::SwitchIndex;
using fabric::Topology;

// The levels of what is in place, in the words of now.
fabric::Lanes old_lanes(const Topology& topology, const InPlace& in_place,
                        std::vector<std::uint8_t>& was_there) {
  std::vector<SwitchIndex> old;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto before = in_place.topology->find_node(topology.node(SwitchIndex{s}).guid);
    was_there.push_back(before && in_place.topology->is_switch(*before) ? 1 : 0);
    old.push_back(was_there.back() != 0 ? SwitchIndex{before->value} : SwitchIndex{0});
  }
  const auto& lanes = in_place.selected->routes.lanes;
  return {lanes.vls, lanes.levels.of_switches(old), lanes.maps};
}

// On which lanes packets to one LID may come by, in any mixture.
class LaneFlow {
 public:
  LaneFlow(const Mixture& mixture, bool replies)
      : old_lanes_(old_lanes(mixture.survey.topology, mixture.in_place, was_there_)),
        now_(mixture.survey.topology, mixture.lids, mixture.wanted.routes.lanes,
             mixture.survey.has_hosts, replies),
        old_(mixture.survey.topology, mixture.lids, old_lanes_, mixture.survey.has_hosts, replies),
        passing_(was_there_.size()) {}

  // By switch; or while all is as it was, if only_old.
  const std::vector<LaneSet>& of(const TwoColumns& columns, std::size_t index, mad::Lid lid,
                                 bool only_old) {
    now_.head_for(lid);
    old_.head_for(lid);
    todo_.clear();
    for (std::uint32_t s = 0; s < passing_.size(); ++s) {
      const int now = only_old ? 0 : now_.from(SwitchIndex{s});
      const int old = was_there_[s] != 0 ? old_.from(SwitchIndex{s}) : 0;
      passing_[s] = static_cast<LaneSet>(now | old);
      todo_.push_back(s);
    }
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      const std::uint32_t at = todo_[i];
      columns.for_each_next(
          index, at, [&](std::uint32_t next) { pass_on(passing_[at], next); }, only_old);
    }
    return passing_;
  }

 private:
  void pass_on(LaneSet lanes, std::uint32_t next) {
    const auto all = static_cast<LaneSet>(passing_[next] | lanes);
    if (all == passing_[next]) return;
    passing_[next] = all;
    todo_.push_back(next);
  }

  std::vector<std::uint8_t> was_there_;  // by switch
  fabric::Lanes old_lanes_;
  PacketLanes now_, old_;
  std::vector<LaneSet> passing_;
  std::vector<std::uint32_t> todo_;
};

// Looks at one LID after another on the lanes of its packets. Scratch memory: one per thread.
class LaneJudge {
 public:
  LaneJudge(const Mixture& mixture, const LaneLine& line)
      : mixture_(mixture),
        line_(line),
        columns_(mixture.columns()),
        mixer_(mixture.survey),
        flow_(mixture, line.has_replies()) {}

  void load(std::size_t block) {
    block_ = block;
    columns_.load(block);
  }
  bool is_known(mad::Lid lid) const {
    const auto& targets = mixture_.survey.targets;
    return lid.value < targets.size() && targets[lid.value].at != kNowhere;
  }
  // Whether all turns lead forward in the line, in any mixture or in the old entries alone.
  bool fits(std::size_t index, mad::Lid lid, bool only_old) {
    const auto& passing = flow_.of(columns_, index, lid, only_old);
    const auto& channels = mixture_.survey.topology.channels();
    bool all = true;
    mixer_.for_each(
        columns_, index, lid, mixture_.in_order(block_, index),
        [&](auto held, auto next) {
          all = all && line_.leads_forward(held, next, passing[channels[held.value].from.value]);
        },
        only_old);
    return all;
  }

 private:
  const Mixture& mixture_;
  const LaneLine& line_;
  TwoColumns columns_;
  Mixer mixer_;
  LaneFlow flow_;
  std::size_t block_ = 0;
};

}  // namespace

std::optional<std::vector<std::uint64_t>> clashes_on_lanes(const Mixture& mixture,
                                                           const base::ParallelFor& parallel) {
  const auto& old = mixture.in_place.selected;
  if (old == nullptr) return std::nullopt;
  const auto line = LaneLine::between(mixture.survey.topology, mixture.wanted, *old);
  if (!line) return std::nullopt;
  std::vector<std::uint64_t> clash(mixture.found.changed.size());
  std::atomic<bool> is_beyond = false;
  parallel(clash.size(), [&](std::size_t begin, std::size_t end) {
    LaneJudge judge(mixture, *line);
    for (std::size_t block = begin; block < end && !is_beyond; ++block) {
      if (mixture.found.changed[block] == 0) continue;
      judge.load(block);
      for_each_bit(mixture.found.changed[block], [&](std::size_t i) {
        const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + i)};
        if (!judge.is_known(lid)) {
          is_beyond = true;
        } else if (!judge.fits(i, lid, false)) {
          clash[block] |= std::uint64_t{1} << i;
          if (!judge.fits(i, lid, true)) is_beyond = true;
        }
      });
    }
  });
  if (is_beyond) return std::nullopt;
  // What has been emptied comes while others that are written in order may wait yet. What a repair
  // wants is in line with these; what its home wants need not be.
  if (mixture.wanted.lane_kin != nullptr || count_bits(clash) == 0) return clash;
  for (std::size_t block = 0; block < clash.size(); ++block) {
    clash[block] |= mixture.found.circling[block];
  }
  return clash;
}

}  // namespace heddle::routing
