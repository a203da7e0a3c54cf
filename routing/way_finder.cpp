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

CompactChannels::CompactChannels(const fabric::Topology& topology) {
  std::vector<std::uint8_t> place(topology.channels().size());  // by the topology's own index
  std::vector<fabric::Channel> sorted;
  std::vector<fabric::Channel> all;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto channels = topology.channels_from(fabric::SwitchIndex{s});
    sorted.assign(channels.begin(), channels.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.to < b.to;  // stable: they come by port
    });
    first.push_back(static_cast<std::uint32_t>(all.size()));
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      place[topology.channel_by_port(sorted[i].from, sorted[i].out).value] =
          static_cast<std::uint8_t>(i);
    }
    all.insert(all.end(), sorted.begin(), sorted.end());
  }
  first.push_back(static_cast<std::uint32_t>(all.size()));
  for (const fabric::Channel& channel : all) {
    from.push_back(channel.from.value);
    to.push_back(channel.to.value);
    out.push_back(channel.out.value);
    reverse_local.push_back(place[channel.reverse.value]);
  }
}

void CompactChannels::weigh_slow_links(const fabric::Topology& topology) {
  counts_for.assign(count(), 1);
  for (std::uint32_t c = 0; c < count(); ++c) {
    const fabric::SwitchIndex at{from[c]};
    counts_for[c] = topology.port(topology.port_of(at, mad::PortNumber{out[c]})).slowness;
  }
}

}  // namespace heddle::routing
