// SPDX-License-Identifier: BSD-3-Clause
#include "routing/way_finder.hpp"

#include <algorithm>

namespace heddle::routing {

Ways::Ways(const fabric::Topology& topology)
    : count_(topology.switch_count()), choices_(topology.channels().size()) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    first_.push_back(topology.first_channel(fabric::SwitchIndex{s}).value);
  }
  nearest_first_.reserve(topology.switch_count());
}

void Ways::clear() {
  nearest_first_.clear();
  lent_ = {};
  std::fill(count_.begin(), count_.end(), std::uint8_t{0});
}

void WayFinder::offer(std::span<const fabric::SwitchIndex> targets, const CompactChannels& channels,
                      std::span<Lanes> offers) {
  std::fill(offers.begin(), offers.end(), Lanes{0});
  expect(targets);
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    add_offers(toward(targets[lane]), lane, channels, offers);
  }
}

void WayFinder::add_offers(const Ways& ways, std::size_t lane, const CompactChannels& channels,
                           std::span<Lanes> offers) {
  ways.farthest_first([&](fabric::SwitchIndex at, std::span<const std::uint8_t> choices) {
    for (const std::uint8_t position : choices) {
      offers[channels.first[at.value] + position] |= Lanes{1} << lane;
    }
  });
}

// Who looks at the switches in order, and at the way back to each, meets the channels of every
// switch in the order of where they lead.
CompactChannels::CompactChannels(const fabric::Topology& topology) {
  const auto channels = topology.channels();
  first.reserve(topology.switch_count() + 1);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    first.push_back(topology.first_channel(fabric::SwitchIndex{s}).value);
  }
  std::vector<std::uint32_t> end = first;             // by switch: of what is there already
  std::vector<std::uint32_t> index(channels.size());  // the topology's
  first.push_back(static_cast<std::uint32_t>(channels.size()));
  for (const fabric::Channel& there : channels) {
    std::uint32_t place = end[there.to.value]++;
    const std::uint32_t back = there.reverse.value;
    // Of parallel links the far ports may stand in another order.
    for (; place > first[there.to.value] && channels[index[place - 1]].to == there.from &&
           index[place - 1] > back;
         --place) {
      index[place] = index[place - 1];
    }
    index[place] = back;
  }
  take(channels, index);
}

void CompactChannels::take(std::span<const fabric::Channel> channels,
                           const std::vector<std::uint32_t>& index) {
  std::vector<std::uint16_t> local(index.size());  // by the topology's index
  for (std::uint32_t c = 0; c < index.size(); ++c) {
    const std::uint32_t at = channels[index[c]].from.value;
    local[index[c]] = static_cast<std::uint16_t>(c - first[at]);
  }
  from.resize(index.size());
  to.resize(index.size());
  out.resize(index.size());
  reverse_local.resize(index.size());
  for (std::size_t c = 0; c < index.size(); ++c) {
    const fabric::Channel& channel = channels[index[c]];
    from[c] = channel.from.value;
    to[c] = channel.to.value;
    out[c] = channel.out.value;
    reverse_local[c] = local[channel.reverse.value];
  }
}

std::vector<std::uint8_t> CompactChannels::slowness(const fabric::Topology& topology) const {
  std::vector<std::uint8_t> slowness(count());
  for (std::uint32_t c = 0; c < count(); ++c) {
    const fabric::SwitchIndex at{from[c]};
    slowness[c] = topology.port(topology.port_of(at, mad::PortNumber{out[c]})).slowness;
  }
  return slowness;
}

}  // namespace heddle::routing
