// SPDX-License-Identifier: BSD-3-Clause
// The ports of this host, and which one a subnet manager can sit on. Looking (observe_ports) is
// apart from judging (classify, choose_port), so that every kind of host can be judged in a test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"
#include "transport/port_id.hpp"

namespace heddle::transport {

enum class LinkLayer : std::uint8_t { Unknown, InfiniBand, Ethernet };

// What kind of device the kernel says it is (rdma node types).
enum class DeviceKind : std::uint8_t { Unknown, ChannelAdapter, Switch, Router, Rnic, Usnic };

// What the two libraries say of one port, unjudged. libibverbs knows transports and vendors,
// libibumad knows which ports take management datagrams; either may not know a port at all.
struct ObservedPort {
  PortId id;
  mad::Guid port_guid{};
  DeviceKind kind = DeviceKind::Unknown;
  bool iwarp = false;         // libibverbs: the transport is iWARP
  std::uint32_t vendor_id{};  // 0 when libibverbs does not know the device
  LinkLayer link_layer = LinkLayer::Unknown;
  mad::PortState state{};
  mad::PortPhysicalState physical_state{};
  std::string rate;        // "100 Gb/s"
  std::uint16_t sm_lid{};  // 0: no subnet manager has been here
  bool has_umad = false;   // ib_umad serves this port
};

struct LocalPort {
  PortId id;
  mad::Guid port_guid{};
  LinkLayer link_layer = LinkLayer::Unknown;
  mad::PortState state{};
  mad::PortPhysicalState physical_state{};
  std::string rate;
  std::uint16_t sm_lid{};
  bool candidate = false;
  std::string reason;  // why it is no candidate; empty for one
  friend bool operator==(const LocalPort&, const LocalPort&) = default;
};

// In the order of device name, then port number. Empty when the host has no RDMA device.
std::vector<ObservedPort> observe_ports();

// One port, judged.
LocalPort classify(const ObservedPort& observed);

// observe_ports, each classified.
std::vector<LocalPort> list_ports();

// What the user asked for: nothing, a device and port, or a port GUID.
using PortWish = std::variant<std::monostate, PortId, mad::Guid>;

// "" is no wish; "mlx5_0:1"; "0x0002c903000e0b72". The error names the right forms.
base::Result<PortWish> parse_port_wish(std::string_view text);

struct PortChoice {
  PortId id;
  mad::Guid port_guid{};
  // The link is down: the subnet manager can start, and has nothing to do until it comes up.
  bool waits_for_link = false;
  std::string remark;  // a sentence for the log: what was chosen and why
};

// A wish must name a candidate. Without a wish: the first candidate whose link is up, else the
// first candidate. The error is a sentence that says what to do.
base::Result<PortChoice> choose_port(std::span<const LocalPort> ports, const PortWish& wish);

// "InfiniBand", "Ethernet", "unknown"; "ACTIVE", "INIT", "DOWN"...; "LinkUp", "Polling"...
std::string_view to_string(LinkLayer link_layer);
std::string_view to_string(mad::PortState state);
std::string_view to_string(mad::PortPhysicalState state);

}  // namespace heddle::transport
