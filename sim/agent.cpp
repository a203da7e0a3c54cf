// SPDX-License-Identifier: BSD-3-Clause
#include "sim/agent.hpp"

#include "sim/m_key.hpp"

namespace heddle::sim {
namespace {

mad::Status dispatch(const AgentContext& context, mad::Smp& smp) {
  switch (smp.attribute_id) {
    case mad::AttributeId::NodeInfo:
      return on_node_info(context, smp);
    case mad::AttributeId::NodeDescription:
      return on_node_description(context, smp);
    case mad::AttributeId::PortInfo:
      return on_port_info(context, smp);
    case mad::AttributeId::SwitchInfo:
      return on_switch_info(context, smp);
    case mad::AttributeId::LinearForwardingTable:
      return on_linear_forwarding_table(context, smp);
    case mad::AttributeId::MulticastForwardingTable:
      return on_multicast_forwarding_table(context, smp);
    case mad::AttributeId::SwitchPortStateTable:
      return on_switch_port_state_table(context, smp);
    case mad::AttributeId::GUIDInfo:
      return on_guid_info(context, smp);
    case mad::AttributeId::PKeyTable:
      return on_p_key_table(context, smp);
    case mad::AttributeId::SLtoVLMappingTable:
      return on_sl_to_vl(context, smp);
    case mad::AttributeId::VLArbitrationTable:
      return on_vl_arbitration(context, smp);
    case mad::AttributeId::MlnxExtendedPortInfo:
      return on_mlnx_extended_port_info(context, smp);
    case mad::AttributeId::PortInfoExtended:
      return on_port_info_extended(context, smp);
    case mad::AttributeId::LedInfo:
      return on_led_info(context, smp);
    case mad::AttributeId::VirtualizationInfo:
      return on_virtualization_info(context, smp);
    case mad::AttributeId::VPortInfo:
      return on_vport_info(context, smp);
    case mad::AttributeId::VNodeInfo:
      return on_vnode_info(context, smp);
    case mad::AttributeId::VPortState:
      return on_vport_state(context, smp);
    case mad::AttributeId::VNodeDescription:
      return on_vnode_description(context, smp);
    case mad::AttributeId::VPortGUIDInfo:
      return on_vport_guid_info(context, smp);
    case mad::AttributeId::VPortPKeyTable:
      return on_vport_p_key_table(context, smp);
    default:
      return mad::kStatusBadMethodAttribute;
  }
}

}  // namespace

void refuse(mad::Smp& smp, mad::Status status) {
  smp.method = mad::Method::GetResp;
  smp.status = status;
}

PortIndex port_meant(const AgentContext& context, std::uint32_t number) {
  const NodeIndex node = context.node();
  if (number == 0 && !context.devices.is_switch(node)) return context.port;
  if (number > context.devices.nodes[node].port_count) return kNone;
  return context.devices.port_at(node, static_cast<std::uint8_t>(number));
}

Answer answer_smp(const AgentContext& context, mad::Smp& smp) {
  if (!mad::awaits_response(smp.method)) return Answer::Silence;
  if (!m_key_admits(context, smp)) return Answer::Silence;
  if (smp.method != mad::Method::Get && smp.method != mad::Method::Set) {
    refuse(smp, mad::kStatusBadMethodAttribute);
    return Answer::Reply;
  }
  if (context.devices.nodes[context.node()].misbehaviour.busy) {
    refuse(smp, mad::kStatusBusy);
    return Answer::Reply;
  }
  refuse(smp, dispatch(context, smp));
  return Answer::Reply;
}

mad::Status on_node_info(const AgentContext& context, mad::Smp& smp) {
  if (smp.method == mad::Method::Set) return mad::kStatusBadMethodAttribute;
  const Device& device = context.devices.nodes[context.node()];
  mad::NodeInfo info = device.info;
  info.port_guid = context.devices.port_guid(context.port);
  info.local_port_num = mad::PortNumber{context.port_number()};
  if (device.misbehaviour.claims_ports) info.num_ports = *device.misbehaviour.claims_ports;
  mad::encode(info, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_node_description(const AgentContext& context, mad::Smp& smp) {
  if (smp.method == mad::Method::Set) return mad::kStatusBadMethodAttribute;
  const std::string& text = context.devices.plan.nodes[context.node()].description;
  mad::NodeDescription description;
  text.copy(description.node_string.data(), description.node_string.size());
  mad::encode(description, std::span(smp.data));
  return mad::kStatusOk;
}

}  // namespace heddle::sim
