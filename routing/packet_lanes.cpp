// SPDX-License-Identifier: BSD-3-Clause
#include "routing/packet_lanes.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint32_t kNone = 0xFFFF'FFFF;

}  // namespace

PacketLanes::PacketLanes(const fabric::Topology& topology, const fabric::LidMap& lids,
                         const fabric::Lanes& lanes, const std::vector<std::uint8_t>& has_hosts,
                         bool replies)
    : topology_(topology),
      lids_(lids),
      lanes_(lanes),
      has_hosts_(has_hosts),
      replies_(replies),
      place_(std::size_t{lids.top().value} + 1, kNone),
      at_(topology.switch_count()),
      answers_by_(kNone),
      answers_(topology.switch_count()) {
  HEDDLE_CHECK(lanes.maps.uniform());
  for (const fabric::PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    const auto range = lids.range(port);
    if (!at || range.base == mad::kNoLid) continue;
    std::fill_n(place_.begin() + range.base.value, range.count(), at->at.value);
    for (unsigned i = 0; i < range.count(); ++i) {
      at_[at->at.value].push_back(mad::Lid{static_cast<std::uint16_t>(range.base.value + i)});
    }
  }
}

void PacketLanes::head_for(mad::Lid lid) {
  HEDDLE_CHECK(lid.value < place_.size() && place_[lid.value] != kNone);
  lid_ = lid;
  only_hosts_ = is_of_switch(lid);
  if (replies_ && answers_by_ != place_[lid.value]) find_answers({place_[lid.value]});
}

// To whatever is asked at each switch.
void PacketLanes::find_answers(fabric::SwitchIndex by) {
  answers_by_ = by.value;
  for (std::uint32_t s = 0; s < answers_.size(); ++s) {
    answers_[s] = 0;
    for (const mad::Lid lid : at_[s]) {
      answers_[s] = static_cast<LaneSet>(answers_[s] | lane_of(by, lid));
    }
  }
}

LaneSet PacketLanes::from(fabric::SwitchIndex at) const {
  if (only_hosts_ && has_hosts_[at.value] == 0) return 0;
  if (!changed_.empty()) {
    const auto known = changed_.find(key_of(at.value));
    if (known != changed_.end()) return static_cast<LaneSet>(1u << known->second);
  }
  return static_cast<LaneSet>(lane_of(at, lid_) | (replies_ ? answers_[at.value] : 0));
}

// Of the way from a switch to where packets head for: both ends if it is the same both ways.
std::uint64_t PacketLanes::key_of(std::uint32_t from) const {
  if (!replies_) return std::uint64_t{from} << 32 | lid_.value;
  const std::uint32_t to = place_[lid_.value];
  return std::uint64_t{std::min(from, to)} << 32 | std::max(from, to);
}

void PacketLanes::change(fabric::SwitchIndex from, std::uint8_t lane) {
  Change change{from.value, place_[lid_.value], lid_, lane, key_of(from.value), std::nullopt};
  const auto [known, is_new] = changed_.try_emplace(change.key, lane);
  if (!is_new) change.before = std::exchange(known->second, lane);
  changes_.push_back(change);
}

void PacketLanes::undo() {
  const Change& last = changes_.back();
  if (last.before) {
    changed_[last.key] = *last.before;
  } else {
    changed_.erase(last.key);
  }
  changes_.pop_back();
}

std::vector<fabric::ServiceLevels::Change> PacketLanes::changes() const {
  std::vector<fabric::ServiceLevels::Change> all;
  for (const Change& change : changes_) {
    const std::uint8_t level = level_of(change.lane);
    if (!replies_) {
      all.push_back({{change.from}, change.lid, level});
      continue;
    }
    for (const mad::Lid lid : at_[change.to]) all.push_back({{change.from}, lid, level});
    for (const mad::Lid lid : at_[change.from]) all.push_back({{change.to}, lid, level});
  }
  return all;
}

std::uint8_t PacketLanes::level_of(std::uint8_t lane) const {
  const auto& map = lanes_.maps.everywhere();
  const auto level = std::find(map.begin(), map.end(), lane);
  HEDDLE_CHECK(level != map.end());
  return static_cast<std::uint8_t>(level - map.begin());
}

}  // namespace heddle::routing
