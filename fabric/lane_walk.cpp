// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lane_walk.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace heddle::fabric {
namespace {

// By (`to`, `from`): a bit for each level on which packets go from one switch to any LID at the
// other.
std::vector<std::uint16_t> levels_between(const Survey& survey, const Lanes& lanes,
                                          const base::ParallelFor& parallel) {
  const std::size_t switches = survey.topology.switch_count();
  std::vector<std::uint16_t> levels(switches * switches);
  parallel(switches, [&](std::size_t begin, std::size_t end) {
    for (std::size_t from = begin; from < end; ++from) {
      const SwitchIndex start{static_cast<std::uint32_t>(from)};
      for (std::size_t lid = 1; lid < survey.targets.size(); ++lid) {
        const Target& target = survey.targets[lid];
        if (target.at == kNowhere) continue;
        const unsigned level = lanes.levels.level(start, mad::Lid{static_cast<std::uint16_t>(lid)});
        auto& seen = levels[from * switches + target.at];
        seen = static_cast<std::uint16_t>(seen | 1u << level);
      }
    }
  });
  return levels;
}

}  // namespace

// Follows the entries for one LID after another. Who meets the track of an earlier packet of the
// same level, on the same VL, need not follow it.
class LaneWalk::Walker {
 public:
  explicit Walker(LaneWalk& walk)
      : walk_(walk),
        columns_(walk.survey_.topology.switch_count()),
        track_(walk.survey_.topology.switch_count() * kServiceLevels) {}

  void load(std::size_t block) { columns_.load(walk_.survey_.tables, block); }

  // levels_of(from): a bit for each level.
  template <class LevelsOf>
  void walk_lid(std::size_t index, const Target& target, const LevelsOf& levels_of) {
    entries_ = columns_.of(index);
    target_ = target.at;
    std::fill(track_.begin(), track_.end(), std::uint16_t{0});
    const auto& survey = walk_.survey_;
    for (const SwitchIndex from : survey.islands.members(survey.islands.of({target.at}))) {
      if (target.switch_row != kNowhere && survey.has_hosts[from.value] == 0) continue;
      for (unsigned levels = levels_of(from), level = 0; levels != 0; levels >>= 1, ++level) {
        if ((levels & 1) != 0) follow(from.value, level);
      }
    }
  }

 private:
  void follow(std::uint32_t at, unsigned level) {
    const auto& topology = walk_.survey_.topology;
    LaneChannel held;
    mad::PortNumber in{0};
    while (at != target_) {
      const mad::PortNumber out{entries_[at]};
      const std::uint8_t local = walk_.local_of_port_[at * kPortValues + out.value];
      if (local == mad::kNoPortNumber.value) return;  // leads nowhere: told already
      const std::uint8_t vl = walk_.lanes_.maps.at({at}, in, out)[level];
      HEDDLE_CHECK(vl < walk_.lanes_.vls);
      if (held.channel != kNoChannel) walk_.dependencies_.add(held, local, vl);
      auto& passed = track_[at * kServiceLevels + level];
      const auto bit = static_cast<std::uint16_t>(1u << vl);
      if ((passed & bit) != 0) return;
      passed = static_cast<std::uint16_t>(passed | bit);
      held = {{topology.first_channel({at}).value + local}, vl};
      const Channel& channel = topology.channels()[held.channel.value];
      at = channel.to.value;
      in = channel.in;
    }
  }

  LaneWalk& walk_;
  Columns columns_;
  const std::uint8_t* entries_ = nullptr;
  std::uint32_t target_ = kNowhere;
  std::vector<std::uint16_t> track_;  // by (switch, level): a bit for each VL they left by
};

LaneWalk::LaneWalk(const Survey& survey, const Lanes& lanes)
    : survey_(survey),
      lanes_(lanes),
      local_of_port_(survey.topology.switch_count() * kPortValues, mad::kNoPortNumber.value),
      dependencies_(survey.topology, lanes.vls) {
  for (std::uint32_t s = 0; s < survey.topology.switch_count(); ++s) {
    std::uint8_t next = 0;
    for (const Channel& channel : survey.topology.channels_from(SwitchIndex{s})) {
      local_of_port_[s * kPortValues + channel.out.value] = next++;
    }
  }
}

void LaneWalk::forward(const base::ParallelFor& parallel) {
  walk_all(false, parallel);
}

void LaneWalk::replies(const base::ParallelFor& parallel) {
  walk_all(true, parallel);
}

void LaneWalk::walk_all(bool replies, const base::ParallelFor& parallel) {
  const std::size_t switches = survey_.topology.switch_count();
  const auto back =
      replies ? levels_between(survey_, lanes_, parallel) : std::vector<std::uint16_t>{};
  const std::size_t blocks = (survey_.targets.size() + kLftBlockLids - 1) / kLftBlockLids;
  parallel(blocks, [&](std::size_t begin, std::size_t end) {
    Walker walker(*this);
    for (std::size_t block = begin; block < end; ++block) {
      walker.load(block);
      for (std::size_t i = 0; i < kLftBlockLids; ++i) {
        const std::size_t lid = block * kLftBlockLids + i;
        if (lid >= survey_.targets.size() || survey_.targets[lid].at == kNowhere) continue;
        const Target& target = survey_.targets[lid];
        const mad::Lid to{static_cast<std::uint16_t>(lid)};
        walker.walk_lid(i, target, [&](SwitchIndex from) -> unsigned {
          if (replies) return back[target.at * switches + from.value];
          return 1u << lanes_.levels.level(from, to);
        });
      }
    }
  });
}

}  // namespace heddle::fabric
