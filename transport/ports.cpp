// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ports.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::transport {
namespace {

// How the software drivers introduce themselves to libibverbs.
constexpr std::uint32_t kVendorRxe = 0xff'ffff;
constexpr std::uint32_t kVendorSiw = 0x62'6d74;

constexpr std::size_t kMaxDeviceName = 64;  // the kernel's IB_DEVICE_NAME_MAX

bool named_like(const ObservedPort& port, std::string_view prefix) {
  return std::string_view(port.id.device).substr(0, prefix.size()) == prefix;
}

// Why a subnet manager cannot sit here, in words; empty when it can.
std::string objection(const ObservedPort& port) {
  if (port.kind == DeviceKind::Rnic || port.iwarp) {
    const bool software = port.vendor_id == kVendorSiw || named_like(port, "siw");
    return software ? "Soft-iWARP (siw): TCP over Ethernet, has no subnet manager"
                    : "iWARP: TCP over Ethernet, has no subnet manager";
  }
  if (port.kind == DeviceKind::Usnic) return "usNIC: Ethernet, has no subnet manager";
  if (port.link_layer == LinkLayer::Ethernet) {
    const bool software = port.vendor_id == kVendorRxe || named_like(port, "rxe");
    return software ? "Soft-RoCE (rxe): Ethernet link layer, has no subnet manager"
                    : "RoCE: Ethernet link layer, has no subnet manager";
  }
  if (named_like(port, "hfi1") || named_like(port, "opa")) {
    return "Omni-Path: needs a fabric manager of its own kind";
  }
  if (port.kind == DeviceKind::Switch) {
    return "switch management board: a subnet manager here must be the switch's own";
  }
  if (port.kind == DeviceKind::Unknown && port.link_layer != LinkLayer::InfiniBand) {
    return "not an InfiniBand device";
  }
  if (!port.has_umad) return "no umad device: load the module with `modprobe ib_umad`";
  return {};
}

bool link_is_up(const LocalPort& port) {
  return port.state >= mad::PortState::Init;
}

std::string state_in_words(const LocalPort& port) {
  return fmt::format("{}, {}", to_string(port.state), to_string(port.physical_state));
}

std::string names_of(std::span<const LocalPort> ports) {
  std::string names;
  for (const LocalPort& port : ports) {
    if (!names.empty()) names += ", ";
    names += to_string(port.id);
    if (!port.candidate) names += fmt::format(" ({})", port.reason);
  }
  return names;
}

base::Error no_port_at_all() {
  return base::error(
      "this host has no InfiniBand port: check that the adapter is seen (`lspci | grep -i "
      "infiniband`) and that its driver (`modprobe mlx5_ib`, for example) and ib_umad (`modprobe "
      "ib_umad`) are loaded");
}

PortChoice chosen(const LocalPort& port, std::string_view why) {
  PortChoice choice{port.id, port.port_guid, !link_is_up(port), {}};
  choice.remark = fmt::format("{} (port GUID {}, {}): {}", to_string(port.id),
                              base::hex(port.port_guid.value), state_in_words(port), why);
  if (choice.waits_for_link) {
    choice.remark += ". Its link is down: check the cable and what it leads to; waiting for it";
  }
  return choice;
}

base::Result<PortChoice> choose_wished(std::span<const LocalPort> ports, const std::string& name,
                                       auto&& is_wished) {
  const auto port = std::find_if(ports.begin(), ports.end(), is_wished);
  if (port == ports.end()) {
    return base::error(fmt::format("this host has no port {}; it has {}", name, names_of(ports)));
  }
  if (!port->candidate) {
    return base::error(fmt::format("port {} cannot be used: {}", name, port->reason));
  }
  return chosen(*port, "as asked for");
}

base::Result<PortChoice> choose_freely(std::span<const LocalPort> ports) {
  const auto up = std::find_if(ports.begin(), ports.end(), [](const LocalPort& port) {
    return port.candidate && link_is_up(port);
  });
  if (up != ports.end()) return chosen(*up, "the first InfiniBand port with a link");
  const auto any = std::find_if(ports.begin(), ports.end(),
                                [](const LocalPort& port) { return port.candidate; });
  if (any != ports.end()) return chosen(*any, "the first InfiniBand port; none has a link");
  return base::error(
      fmt::format("no port of this host can carry a subnet manager: {}", names_of(ports)));
}

base::Error wrong_form(std::string_view text) {
  return base::error(fmt::format(
      "\"{}\" names no port: write DEVICE:PORT (mlx5_0:1) or a port GUID (0x0002c903000e0b72)",
      base::printable(text)));
}

}  // namespace

LocalPort classify(const ObservedPort& observed) {
  const std::string reason = objection(observed);
  return {observed.id,     observed.port_guid,      observed.link_layer,
          observed.state,  observed.physical_state, observed.rate,
          observed.sm_lid, reason.empty(),          reason};
}

std::vector<LocalPort> list_ports() {
  std::vector<LocalPort> ports;
  for (const ObservedPort& observed : observe_ports()) ports.push_back(classify(observed));
  return ports;
}

base::Result<PortWish> parse_port_wish(std::string_view text) {
  text = base::trim(text);
  if (text.empty()) return PortWish{};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    const auto guid = base::parse_hex(text);
    if (text.substr(0, 2) != "0x" || !guid || *guid == 0) return wrong_form(text);
    return PortWish{mad::Guid{*guid}};
  }
  const auto device = text.substr(0, colon);
  const auto port = base::parse_number(text.substr(colon + 1), 254);
  if (device.empty() || device.size() >= kMaxDeviceName || !port) return wrong_form(text);
  if (device.find_first_of("/: \t") != std::string_view::npos) return wrong_form(text);
  return PortWish{PortId{std::string(device), static_cast<std::uint8_t>(*port)}};
}

base::Result<PortChoice> choose_port(std::span<const LocalPort> ports, const PortWish& wish) {
  if (ports.empty()) return no_port_at_all();
  if (const auto* id = std::get_if<PortId>(&wish)) {
    return choose_wished(ports, to_string(*id),
                         [&](const LocalPort& port) { return port.id == *id; });
  }
  if (const auto* guid = std::get_if<mad::Guid>(&wish)) {
    return choose_wished(ports, base::hex(guid->value),
                         [&](const LocalPort& port) { return port.port_guid == *guid; });
  }
  return choose_freely(ports);
}

std::string_view to_string(LinkLayer link_layer) {
  switch (link_layer) {
    case LinkLayer::InfiniBand:
      return "InfiniBand";
    case LinkLayer::Ethernet:
      return "Ethernet";
    case LinkLayer::Unknown:
      break;
  }
  return "unknown";
}

std::string_view to_string(mad::PortState state) {
  switch (state) {
    case mad::PortState::Down:
      return "DOWN";
    case mad::PortState::Init:
      return "INIT";
    case mad::PortState::Armed:
      return "ARMED";
    case mad::PortState::Active:
      return "ACTIVE";
    case mad::PortState::NoChange:
      break;
  }
  return "unknown";
}

std::string_view to_string(mad::PortPhysicalState state) {
  switch (state) {
    case mad::PortPhysicalState::Sleep:
      return "Sleep";
    case mad::PortPhysicalState::Polling:
      return "Polling";
    case mad::PortPhysicalState::Disabled:
      return "Disabled";
    case mad::PortPhysicalState::PortConfigurationTraining:
      return "Training";
    case mad::PortPhysicalState::LinkUp:
      return "LinkUp";
    case mad::PortPhysicalState::LinkErrorRecovery:
      return "LinkErrorRecovery";
    case mad::PortPhysicalState::PhyTest:
      return "PhyTest";
    case mad::PortPhysicalState::NoChange:
      break;
  }
  return "unknown";
}

}  // namespace heddle::transport
