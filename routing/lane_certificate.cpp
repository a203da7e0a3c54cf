// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_certificate.hpp"

namespace heddle::routing {
namespace {

// Each channel as often as it has lanes, one beside the other.
CompactChannels lanes_of(const CompactChannels& channels, unsigned vls) {
  CompactChannels lanes = channels;
  for (std::uint32_t& first : lanes.first) first *= vls;
  lanes.from.clear();
  lanes.to.clear();
  lanes.out.clear();
  lanes.reverse_local.clear();
  for (std::uint32_t channel = 0; channel < channels.count(); ++channel) {
    for (unsigned vl = 0; vl < vls; ++vl) {
      lanes.from.push_back(channels.from[channel]);
      lanes.to.push_back(channels.to[channel]);
      lanes.out.push_back(channels.out[channel]);
      lanes.reverse_local.push_back(
          static_cast<std::uint16_t>(channels.reverse_local[channel] * vls + vl));
    }
  }
  return lanes;
}

}  // namespace

LaneCertificate::LaneCertificate(const fabric::Topology& topology, unsigned vls)
    : vls_(vls),
      by_port_(topology.switch_count() * 256, kNone),
      lanes_(lanes_of(CompactChannels(topology), vls)),
      order_(lanes_) {
  for (std::uint32_t lane = 0; lane < lanes_.count(); lane += vls) {
    by_port_[lanes_.from[lane] * std::size_t{256} + lanes_.out[lane]] = lane;
  }
}

std::shared_ptr<const LaneCertificate> LaneCertificate::make(
    const fabric::Topology& topology, const fabric::Dependencies& dependencies) {
  auto made = std::make_shared<LaneCertificate>(topology, dependencies.vls());
  return made->take(topology, dependencies) ? made : nullptr;
}

// Kahn's algorithm gives the order; false if some lanes are left, which is so if there is a cycle.
bool LaneCertificate::take(const fabric::Topology& topology,
                           const fabric::Dependencies& dependencies) {
  const auto& channels = topology.channels();
  const auto number = [&](fabric::LaneChannel lane) {
    const fabric::Channel& channel = channels[lane.channel.value];
    return first_lane(channel.from.value, channel.out.value) + lane.vl;
  };
  const auto each_lane = [&](auto visit) {
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      for (unsigned vl = 0; vl < vls_; ++vl) visit({{i}, static_cast<std::uint8_t>(vl)});
    }
  };
  std::vector<std::uint32_t> waiting(lanes_.count());
  each_lane([&](fabric::LaneChannel held) {
    dependencies.for_each(held, [&](fabric::LaneChannel next) { ++waiting[number(next)]; });
  });
  std::vector<fabric::LaneChannel> line;
  line.reserve(lanes_.count());
  each_lane([&](fabric::LaneChannel lane) {
    if (waiting[number(lane)] == 0) line.push_back(lane);
  });
  std::vector<std::uint32_t> numbers;
  numbers.reserve(lanes_.count());
  for (std::size_t i = 0; i < line.size(); ++i) {
    numbers.push_back(number(line[i]));
    dependencies.for_each(line[i], [&](fabric::LaneChannel next) {
      if (--waiting[number(next)] == 0) line.push_back(next);
    });
  }
  if (line.size() != lanes_.count()) return false;
  order_.arrange(numbers);
  for (const fabric::LaneChannel held : line) {
    dependencies.for_each(
        held, [&](fabric::LaneChannel next) { order_.put(number(held), number(next)); });
  }
  return true;
}

}  // namespace heddle::routing
