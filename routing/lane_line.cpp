// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_line.hpp"

#include "base/check.hpp"

namespace heddle::routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;
using fabric::Topology;

LaneLine::LaneLine(const Topology& topology, const LaneKinship& kin,
                   std::span<const SwitchIndex> at_home)
    : kin_(&kin) {
  first_lane_.reserve(topology.channels().size());
  for (const fabric::Channel& channel : topology.channels()) {
    const SwitchIndex from = at_home[channel.from.value];
    first_lane_.push_back(kin.certificate->first_lane(from.value, channel.out.value));
    HEDDLE_CHECK(first_lane_.back() != LaneCertificate::kNone);
  }
}

std::optional<LaneLine> LaneLine::between(const Topology& topology, const Selected& wanted,
                                          const Selected& in_place) {
  const auto home_of = [](const Selected& routes) {
    return routes.lane_kin != nullptr ? routes.lane_kin->certificate : routes.lanes;
  };
  const auto& kin = wanted.lane_kin != nullptr ? wanted.lane_kin : in_place.lane_kin;
  if (kin == nullptr || home_of(wanted) != home_of(in_place)) return std::nullopt;
  if (wanted.lane_kin != nullptr) return LaneLine(topology, *kin, kin->at_home);
  std::vector<SwitchIndex> same;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) same.push_back(SwitchIndex{s});
  return LaneLine(topology, *kin, same);
}

bool LaneLine::leads_forward(ChannelIndex held, ChannelIndex next, LaneSet lanes) const {
  for (unsigned vl = 0; lanes >> vl != 0; ++vl) {
    if ((lanes >> vl & 1) != 0 && place(held, vl) >= place(next, vl)) return false;
  }
  return true;
}

bool LaneLine::covers(const Topology& topology, const fabric::Dependencies& dependencies) const {
  bool all = true;
  for (std::uint32_t i = 0; i < topology.channels().size(); ++i) {
    for (unsigned vl = 0; vl < dependencies.vls() && all; ++vl) {
      const fabric::LaneChannel held{{i}, static_cast<std::uint8_t>(vl)};
      dependencies.for_each(
          held, [&](fabric::LaneChannel next) { all = all && leads_forward(held, next); });
    }
  }
  return all;
}

}  // namespace heddle::routing
