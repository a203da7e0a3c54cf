// SPDX-License-Identifier: BSD-3-Clause
// Takes load off the channels that carry most, once all ways are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "routing/channel_order.hpp"
#include "routing/destinations.hpp"
#include "routing/target_trees.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Who chooses one way after the other knows only what he has chosen so far, so some channels carry
// more than they need to in the end. What comes through one of these is led by another way that the
// finder allows, where that makes no channel as busy and all together more even. That goes on until
// nothing is gained by it, no trees could do better, or so much was looked at that more is not
// worth it: then most ways are as they were, and with them what is good about their order.
// Trees that are too many for so many channels stay as they are. Channels count for what
// `channels` says. hosts: by switch. looks: at a switch, and all that it may do.
inline constexpr std::size_t kManyLooks = 100'000;
void relieve(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
             WayFinder& finder, TargetTrees& trees);

// The same for the LIDs of hosts; only where each has one, as several keep apart. Whether it
// changed anything.
bool relieve(const CompactChannels& channels, const Destinations& destinations, WayFinder& finder,
             fabric::ForwardingTables& tables, std::size_t looks = kManyLooks);

// The same within layers, which have all that the ways to hosts' LIDs cause, and stay free of
// cycles: ways may be any whose layer takes each two channels that packets on them hold in
// succession. layer_of: by LID. What channels carry then; nothing if it changed nothing.
std::optional<ChannelLoads> relieve_in_layers(const CompactChannels& channels,
                                              const Destinations& destinations,
                                              std::vector<ChannelOrder>& layers,
                                              std::span<const std::uint8_t> layer_of,
                                              fabric::ForwardingTables& tables);

}  // namespace heddle::routing
