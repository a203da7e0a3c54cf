// SPDX-License-Identifier: BSD-3-Clause
// Fabrics whose ports have GUIDs and whose switches have multicast tables, and requests as hosts
// send them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/component_mask.hpp"
#include "multicast/groups.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::multicast::testing {

inline constexpr std::uint16_t kUsualCap = 1024;

// Port GUIDs are those of stage_guid(). Switches whose name is in `without` have no table.
std::shared_ptr<const fabric::Topology> staged(
    const support::Recipe& recipe, std::uint16_t cap = kUsualCap,
    const std::function<bool(const fabric::Node&)>& without = {});
mad::Guid stage_guid(mad::Guid node, unsigned port);
// Of all endports that hang on a switch, in index order; without the switches' own if so asked.
std::vector<mad::Guid> stage_ports(const fabric::Topology& topology, bool switches = false);

inline constexpr auto kMgidBit = mad::component<&mad::MCMemberRecord::mgid>();
inline constexpr auto kPortGidBit = mad::component<&mad::MCMemberRecord::port_gid>();
inline constexpr auto kQKeyBit = mad::component<&mad::MCMemberRecord::q_key>();
inline constexpr auto kMlidBit = mad::component<&mad::MCMemberRecord::mlid>();
inline constexpr auto kMtuBits = mad::component<&mad::MCMemberRecord::mtu>() |
                                 mad::component<&mad::MCMemberRecord::mtu_selector>();
inline constexpr auto kTClassBit = mad::component<&mad::MCMemberRecord::t_class>();
inline constexpr auto kPKeyBit = mad::component<&mad::MCMemberRecord::p_key>();
inline constexpr auto kRateBits = mad::component<&mad::MCMemberRecord::rate>() |
                                  mad::component<&mad::MCMemberRecord::rate_selector>();
inline constexpr auto kLifeBits = mad::component<&mad::MCMemberRecord::packet_life_time>() |
                                  mad::component<&mad::MCMemberRecord::packet_life_time_selector>();
inline constexpr auto kSlBit = mad::component<&mad::MCMemberRecord::sl>();
inline constexpr auto kFlowLabelBit = mad::component<&mad::MCMemberRecord::flow_label>();
inline constexpr auto kHopLimitBit = mad::component<&mad::MCMemberRecord::hop_limit>();
inline constexpr auto kScopeBit = mad::component<&mad::MCMemberRecord::scope>();
inline constexpr auto kJoinStateBit = mad::component<&mad::MCMemberRecord::join_state>();
inline constexpr auto kProxyJoinBit = mad::component<&mad::MCMemberRecord::proxy_join>();

// What a member names, and what a creator does.
inline constexpr auto kJoinMask = kMgidBit | kPortGidBit | kJoinStateBit;
inline constexpr auto kCreateMask =
    kJoinMask | kQKeyBit | kPKeyBit | kTClassBit | kSlBit | kFlowLabelBit;

mad::Gid gid(std::uint64_t guid);
// ff12:a0ff::<number>, which belongs to nobody in particular.
mad::Gid plain_mgid(std::uint64_t number);

// By host `guid`, a member of every partition at 4096 bytes and 100 Gb/s, with a mask that can
// create.
Request request(const mad::Gid& mgid, std::uint64_t guid, std::uint8_t join_state = kFullMember);

}  // namespace heddle::multicast::testing
