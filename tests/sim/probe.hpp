// SPDX-License-Identifier: BSD-3-Clause
// Management software of the simplest kind: asks one question at a time and waits for the answer.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "mad/port_info.hpp"
#include "mad/smp.hpp"
#include "mad/switch_info.hpp"
#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle::sim {

inline World make_world(std::string_view fabric, WorldOptions options = {}) {
  return World(generate_fabric(fabric).value(), options);
}

// A directed route: the ports to leave by, one after another.
using Route = std::vector<std::uint8_t>;

inline mad::Smp directed(mad::Method method, mad::AttributeId attribute, const Route& route,
                         std::uint32_t modifier = 0) {
  mad::Smp smp;
  smp.method = method;
  smp.attribute_id = attribute;
  smp.attribute_modifier = modifier;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  for (const std::uint8_t port : route) {
    smp.initial_path[++smp.hop_count] = mad::PortNumber{port};
  }
  return smp;
}

inline mad::Smp lid_routed(mad::Method method, mad::AttributeId attribute,
                           std::uint32_t modifier = 0) {
  mad::Smp smp = directed(method, attribute, {}, modifier);
  smp.management_class = mad::ManagementClass::SubnLidRouted;
  smp.dr_slid = smp.dr_dlid = {};
  return smp;
}

class Probe {
 public:
  Probe(World& where, EndpointId endpoint) : world(where), at(endpoint) {}

  // Sends, lets the world run to rest, and gives the answer; nothing when there was none.
  std::optional<mad::Smp> ask(const mad::Smp& smp, mad::Lid dlid = mad::kPermissiveLid) {
    mad::Address peer;
    peer.lid = dlid;
    world.send(at, mad::make_datagram(peer, smp), now);
    settle();
    const auto deliveries = world.take_deliveries();
    if (deliveries.empty()) return std::nullopt;
    EXPECT_EQ(deliveries.size(), 1u);
    EXPECT_EQ(deliveries[0].to, at);
    return mad::decode_smp(deliveries[0].datagram.payload);
  }

  std::optional<mad::Smp> get(mad::AttributeId attribute, const Route& route,
                              std::uint32_t modifier = 0) {
    mad::Smp smp = directed(mad::Method::Get, attribute, route, modifier);
    smp.m_key = m_key;
    return ask(smp);
  }

  std::optional<mad::Smp> set(mad::AttributeId attribute, const Route& route,
                              std::uint32_t modifier, const mad::SmpData& data) {
    mad::Smp smp = directed(mad::Method::Set, attribute, route, modifier);
    smp.m_key = m_key;
    smp.data = data;
    return ask(smp);
  }

  mad::PortInfo port_info(const Route& route, std::uint8_t port = 0) {
    const auto answer = get(mad::AttributeId::PortInfo, route, port);
    EXPECT_TRUE(answer);
    return answer ? mad::decode<mad::PortInfo>(answer->data) : mad::PortInfo{};
  }

  // Reads, lets `change` alter, writes back with no change of states; the status of the answer.
  template <class Change>
  mad::Status change_port(const Route& route, std::uint8_t port, Change change) {
    mad::PortInfo info = port_info(route, port);
    info.port_state = mad::PortState::NoChange;
    info.port_physical_state = mad::PortPhysicalState::NoChange;
    if (info.lid == mad::kNoLid) info.lid = mad::Lid{1};
    if (info.master_sm_lid == mad::kNoLid) info.master_sm_lid = mad::Lid{1};
    change(info);
    mad::SmpData data{};
    mad::encode(info, std::span(data));
    const auto answer = set(mad::AttributeId::PortInfo, route, port, data);
    EXPECT_TRUE(answer);
    return answer ? answer->status : mad::kStatusBusy;
  }

  mad::Status set_state(const Route& route, std::uint8_t port, mad::PortState state) {
    return change_port(route, port, [&](mad::PortInfo& info) { info.port_state = state; });
  }

  mad::SwitchInfo switch_info(const Route& route) {
    const auto answer = get(mad::AttributeId::SwitchInfo, route);
    EXPECT_TRUE(answer);
    return answer ? mad::decode<mad::SwitchInfo>(answer->data) : mad::SwitchInfo{};
  }

  template <class Change>
  mad::Status change_switch(const Route& route, Change change) {
    mad::SwitchInfo info = switch_info(route);
    info.port_state_change = false;
    change(info);
    mad::SmpData data{};
    mad::encode(info, std::span(data));
    const auto answer = set(mad::AttributeId::SwitchInfo, route, 0, data);
    return answer ? answer->status : mad::kStatusBusy;
  }

  void settle() {
    while (world.next_event() != base::kNever) {
      now = std::max(now, world.next_event());
      world.advance(now);
    }
    world.advance(now);
  }

  World& world;
  EndpointId at;
  base::Instant now{};
  mad::MKey m_key{};
};

}  // namespace heddle::sim
