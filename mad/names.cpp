// SPDX-License-Identifier: BSD-3-Clause
#include "mad/names.hpp"

namespace heddle::mad {

std::string_view name_of(NodeType type) {
  switch (type) {
    case NodeType::ChannelAdapter:
      return "ChannelAdapter";
    case NodeType::Switch:
      return "Switch";
    case NodeType::Router:
      return "Router";
  }
  return {};
}

std::string_view name_of(PortState state) {
  switch (state) {
    case PortState::NoChange:
      return "NoChange";
    case PortState::Down:
      return "Down";
    case PortState::Init:
      return "Init";
    case PortState::Armed:
      return "Armed";
    case PortState::Active:
      return "Active";
  }
  return {};
}

std::string_view name_of(PortPhysicalState state) {
  switch (state) {
    case PortPhysicalState::NoChange:
      return "NoChange";
    case PortPhysicalState::Sleep:
      return "Sleep";
    case PortPhysicalState::Polling:
      return "Polling";
    case PortPhysicalState::Disabled:
      return "Disabled";
    case PortPhysicalState::PortConfigurationTraining:
      return "PortConfigurationTraining";
    case PortPhysicalState::LinkUp:
      return "LinkUp";
    case PortPhysicalState::LinkErrorRecovery:
      return "LinkErrorRecovery";
    case PortPhysicalState::PhyTest:
      return "PhyTest";
  }
  return {};
}

std::string_view name_of(Mtu mtu) {
  switch (mtu) {
    case Mtu::Bytes256:
      return "256 bytes";
    case Mtu::Bytes512:
      return "512 bytes";
    case Mtu::Bytes1024:
      return "1024 bytes";
    case Mtu::Bytes2048:
      return "2048 bytes";
    case Mtu::Bytes4096:
      return "4096 bytes";
  }
  return {};
}

std::string_view name_of(ManagementClass management_class) {
  switch (management_class) {
    case ManagementClass::SubnLidRouted:
      return "SubnLidRouted";
    case ManagementClass::SubnAdm:
      return "SubnAdm";
    case ManagementClass::Perf:
      return "Perf";
    case ManagementClass::DeviceManagement:
      return "DeviceManagement";
    case ManagementClass::CommunicationManagement:
      return "CommunicationManagement";
    case ManagementClass::VendorMellanox:
      return "VendorMellanox";
    case ManagementClass::CongestionControl:
      return "CongestionControl";
    case ManagementClass::SubnDirectedRoute:
      return "SubnDirectedRoute";
  }
  return {};
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::Get:
      return "Get";
    case Method::Set:
      return "Set";
    case Method::Send:
      return "Send";
    case Method::Trap:
      return "Trap";
    case Method::Report:
      return "Report";
    case Method::TrapRepress:
      return "TrapRepress";
    case Method::GetTable:
      return "GetTable";
    case Method::GetTraceTable:
      return "GetTraceTable";
    case Method::GetMulti:
      return "GetMulti";
    case Method::Delete:
      return "Delete";
    case Method::GetResp:
      return "GetResp";
    case Method::ReportResp:
      return "ReportResp";
    case Method::GetTableResp:
      return "GetTableResp";
    case Method::GetMultiResp:
      return "GetMultiResp";
    case Method::DeleteResp:
      return "DeleteResp";
  }
  return {};
}

std::string_view name_of(AttributeId id) {
  switch (id) {
    case AttributeId::ClassPortInfo:
      return "ClassPortInfo";
    case AttributeId::Notice:
      return "Notice";
    case AttributeId::InformInfo:
      return "InformInfo";
    case AttributeId::NodeDescription:
      return "NodeDescription";
    case AttributeId::NodeInfo:
      return "NodeInfo";
    case AttributeId::SwitchInfo:
      return "SwitchInfo";
    case AttributeId::GUIDInfo:
      return "GUIDInfo";
    case AttributeId::PortInfo:
      return "PortInfo";
    case AttributeId::PKeyTable:
      return "P_KeyTable";
    case AttributeId::SLtoVLMappingTable:
      return "SLtoVLMappingTable";
    case AttributeId::VLArbitrationTable:
      return "VLArbitrationTable";
    case AttributeId::LinearForwardingTable:
      return "LinearForwardingTable";
    case AttributeId::RandomForwardingTable:
      return "RandomForwardingTable";
    case AttributeId::MulticastForwardingTable:
      return "MulticastForwardingTable";
    case AttributeId::SMInfo:
      return "SMInfo";
    case AttributeId::VendorDiag:
      return "VendorDiag";
    case AttributeId::LedInfo:
      return "LedInfo";
    case AttributeId::PortInfoExtended:
      return "PortInfoExtended";
    case AttributeId::SwitchPortStateTable:
      return "SwitchPortStateTable";
    case AttributeId::MlnxExtendedPortInfo:
      return "MlnxExtendedPortInfo";
    case AttributeId::VirtualizationInfo:
      return "VirtualizationInfo";
    case AttributeId::VPortInfo:
      return "VPortInfo";
    case AttributeId::VNodeInfo:
      return "VNodeInfo";
    case AttributeId::VPortState:
      return "VPortState";
    case AttributeId::VNodeDescription:
      return "VNodeDescription";
    case AttributeId::VPortGUIDInfo:
      return "VPortGUIDInfo";
    case AttributeId::VPortPKeyTable:
      return "VPortP_KeyTable";
  }
  return {};
}

std::string_view name_of(SMState state) {
  switch (state) {
    case SMState::NotActive:
      return "NotActive";
    case SMState::Discovering:
      return "Discovering";
    case SMState::Standby:
      return "Standby";
    case SMState::Master:
      return "Master";
  }
  return {};
}

std::string_view name_of(NoticeType type) {
  switch (type) {
    case NoticeType::Fatal:
      return "Fatal";
    case NoticeType::Urgent:
      return "Urgent";
    case NoticeType::Security:
      return "Security";
    case NoticeType::SubnetManagement:
      return "SubnetManagement";
    case NoticeType::Informational:
      return "Informational";
    case NoticeType::Empty:
      return "Empty";
  }
  return {};
}

std::string_view name_of(TrapNumber trap) {
  switch (trap) {
    case TrapNumber::GidInService:
      return "GidInService";
    case TrapNumber::GidOutOfService:
      return "GidOutOfService";
    case TrapNumber::MulticastGroupCreated:
      return "MulticastGroupCreated";
    case TrapNumber::MulticastGroupDeleted:
      return "MulticastGroupDeleted";
    case TrapNumber::LinkStateChange:
      return "LinkStateChange";
    case TrapNumber::LocalLinkIntegrity:
      return "LocalLinkIntegrity";
    case TrapNumber::ExcessiveBufferOverrun:
      return "ExcessiveBufferOverrun";
    case TrapNumber::FlowControlUpdateWatchdog:
      return "FlowControlUpdateWatchdog";
    case TrapNumber::LocalChanges:
      return "LocalChanges";
    case TrapNumber::SystemImageGuidChange:
      return "SystemImageGuidChange";
    case TrapNumber::BadMKey:
      return "BadMKey";
    case TrapNumber::BadPKey:
      return "BadPKey";
    case TrapNumber::BadQKey:
      return "BadQKey";
    case TrapNumber::SwitchBadPKey:
      return "SwitchBadPKey";
  }
  return {};
}

std::string_view name_of(RMPPType type) {
  switch (type) {
    case RMPPType::None:
      return "None";
    case RMPPType::Data:
      return "Data";
    case RMPPType::Ack:
      return "Ack";
    case RMPPType::Stop:
      return "Stop";
    case RMPPType::Abort:
      return "Abort";
  }
  return {};
}

std::string_view name_of(Selector selector) {
  switch (selector) {
    case Selector::GreaterThan:
      return "GreaterThan";
    case Selector::LessThan:
      return "LessThan";
    case Selector::Exactly:
      return "Exactly";
    case Selector::Best:
      return "Best";
  }
  return {};
}

}  // namespace heddle::mad
