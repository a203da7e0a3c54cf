// SPDX-License-Identifier: BSD-3-Clause
// What libibumad and libibverbs see on this host, put together.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <endian.h>
#include <fmt/format.h>
#include <infiniband/umad.h>
#include <infiniband/verbs.h>

#include "transport/ports.hpp"

namespace heddle::transport {
namespace {

using PortsById = std::map<PortId, ObservedPort>;

ObservedPort& entry(PortsById& ports, const PortId& id) {
  ObservedPort& port = ports[id];
  port.id = id;
  return port;
}

DeviceKind device_kind(int node_type) {
  switch (node_type) {
    case IBV_NODE_CA:
      return DeviceKind::ChannelAdapter;
    case IBV_NODE_SWITCH:
      return DeviceKind::Switch;
    case IBV_NODE_ROUTER:
      return DeviceKind::Router;
    case IBV_NODE_RNIC:
      return DeviceKind::Rnic;
    case IBV_NODE_USNIC:
    case IBV_NODE_USNIC_UDP:
      return DeviceKind::Usnic;
    default:
      return DeviceKind::Unknown;
  }
}

// libibumad says "IB" when the kernel is too old to tell: InfiniBand was all there was then.
LinkLayer link_layer_named(std::string_view name) {
  if (name == "InfiniBand" || name == "IB") return LinkLayer::InfiniBand;
  return name == "Ethernet" ? LinkLayer::Ethernet : LinkLayer::Unknown;
}

// A port that ib_umad serves has a device number, which the path of its issm device shows.
bool is_served(const PortId& id) {
  char path[256];
  return umad_get_issm_path(id.device.c_str(), id.port, path, sizeof path) == 0;
}

void add_umad_port(PortsById& ports, unsigned node_type, const umad_port_t& seen) {
  ObservedPort& port = entry(ports, {seen.ca_name, static_cast<std::uint8_t>(seen.portnum)});
  port.kind = device_kind(static_cast<int>(node_type));
  port.port_guid = mad::Guid{be64toh(seen.port_guid)};
  port.link_layer = link_layer_named(seen.link_layer);
  port.state = static_cast<mad::PortState>(seen.state);
  port.physical_state = static_cast<mad::PortPhysicalState>(seen.phys_state);
  port.rate = fmt::format("{} Gb/s", seen.rate);
  port.sm_lid = static_cast<std::uint16_t>(seen.sm_lid);
  port.has_umad = is_served(port.id);
}

void look_with_umad(PortsById& ports) {
  // umad_get_cas_names invents a device when there are none; a list asked for this way is honest.
  umad_device_node* devices = umad_get_ca_device_list();
  for (const umad_device_node* device = devices; device != nullptr; device = device->next) {
    umad_ca_t adapter{};
    if (umad_get_ca(device->ca_name, &adapter) != 0) continue;
    for (const umad_port_t* port : adapter.ports) {
      if (port != nullptr) add_umad_port(ports, adapter.node_type, *port);
    }
    umad_release_ca(&adapter);
  }
  umad_free_ca_device_list(devices);
}

mad::Guid port_guid(ibv_context& context, std::uint8_t port) {
  ibv_gid gid{};
  if (ibv_query_gid(&context, port, 0, &gid) != 0) return {};
  return mad::Guid{be64toh(gid.global.interface_id)};
}

void add_verbs_port(PortsById& ports, const ibv_device& device, ibv_context& context,
                    const ibv_device_attr& attributes, std::uint8_t number) {
  ibv_port_attr seen{};
  if (ibv_query_port(&context, number, &seen) != 0) return;
  const PortId id{ibv_get_device_name(const_cast<ibv_device*>(&device)), number};
  const bool known = ports.contains(id);
  ObservedPort& port = entry(ports, id);
  port.kind = device_kind(device.node_type);
  port.iwarp = device.transport_type == IBV_TRANSPORT_IWARP;
  port.vendor_id = attributes.vendor_id;
  if (known) return;  // libibumad has said the rest, in the words of the same kernel
  port.port_guid = port_guid(context, number);
  port.link_layer = seen.link_layer == IBV_LINK_LAYER_ETHERNET     ? LinkLayer::Ethernet
                    : seen.link_layer == IBV_LINK_LAYER_INFINIBAND ? LinkLayer::InfiniBand
                                                                   : LinkLayer::Unknown;
  port.state = static_cast<mad::PortState>(seen.state);
  port.physical_state = static_cast<mad::PortPhysicalState>(seen.phys_state);
  port.sm_lid = seen.sm_lid;
}

void look_with_verbs(PortsById& ports) {
  int count = 0;
  ibv_device** devices = ibv_get_device_list(&count);
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<ibv_context, int (*)(ibv_context*)> context(ibv_open_device(devices[i]),
                                                                      ibv_close_device);
    ibv_device_attr attributes{};
    if (!context || ibv_query_device(context.get(), &attributes) != 0) continue;
    for (int number = 1; number <= attributes.phys_port_cnt; ++number) {
      add_verbs_port(ports, *devices[i], *context, attributes, static_cast<std::uint8_t>(number));
    }
  }
  if (devices != nullptr) ibv_free_device_list(devices);
}

}  // namespace

std::vector<ObservedPort> observe_ports() {
  PortsById by_id;
  look_with_umad(by_id);
  look_with_verbs(by_id);
  std::vector<ObservedPort> ports;
  for (auto& [id, port] : by_id) ports.push_back(std::move(port));
  return ports;
}

}  // namespace heddle::transport
