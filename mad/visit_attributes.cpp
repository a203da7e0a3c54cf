// SPDX-License-Identifier: BSD-3-Clause
// The one place where the tables of mad/ are unrolled into calls of a visitor.
#include "mad/attribute_catalogue.hpp"
#include "mad/visit.hpp"

namespace heddle::mad {

template void visit_fields(const Smp&, FieldVisitor&);
template void visit_fields(const Notice&, FieldVisitor&);
template void visit_fields(const NodeDescription&, FieldVisitor&);
template void visit_fields(const NodeInfo&, FieldVisitor&);
template void visit_fields(const SwitchInfo&, FieldVisitor&);
template void visit_fields(const GUIDInfo&, FieldVisitor&);
template void visit_fields(const PortInfo&, FieldVisitor&);
template void visit_fields(const PortInfoExtended&, FieldVisitor&);
template void visit_fields(const PKeyTable&, FieldVisitor&);
template void visit_fields(const SLtoVLMappingTable&, FieldVisitor&);
template void visit_fields(const VLArbitrationTable&, FieldVisitor&);
template void visit_fields(const VLArbitrationEntry&, FieldVisitor&);
template void visit_fields(const LinearForwardingTable&, FieldVisitor&);
template void visit_fields(const MulticastForwardingTable&, FieldVisitor&);
template void visit_fields(const SMInfo&, FieldVisitor&);
template void visit_fields(const LedInfo&, FieldVisitor&);
template void visit_fields(const SwitchPortStateTable&, FieldVisitor&);
template void visit_fields(const MlnxExtendedPortInfo&, FieldVisitor&);
template void visit_fields(const VirtualizationInfo&, FieldVisitor&);
template void visit_fields(const VPortInfo&, FieldVisitor&);
template void visit_fields(const VNodeInfo&, FieldVisitor&);
template void visit_fields(const VPortState&, FieldVisitor&);
template void visit_fields(const VNodeDescription&, FieldVisitor&);
template void visit_fields(const VPortGUIDInfo&, FieldVisitor&);
template void visit_fields(const VPortPKeyTable&, FieldVisitor&);
template void visit_fields(const ClassPortInfo&, FieldVisitor&);
template void visit_fields(const Gid&, FieldVisitor&);
template void visit_fields(const IssuedNotice&, FieldVisitor&);
template void visit_fields(const GidNotice&, FieldVisitor&);
template void visit_fields(const LinkStateNotice&, FieldVisitor&);
template void visit_fields(const PortThresholdNotice&, FieldVisitor&);
template void visit_fields(const LocalChangesNotice&, FieldVisitor&);
template void visit_fields(const SystemImageGuidNotice&, FieldVisitor&);
template void visit_fields(const BadMKeyNotice&, FieldVisitor&);
template void visit_fields(const BadKeyNotice&, FieldVisitor&);
template void visit_fields(const SwitchBadPKeyNotice&, FieldVisitor&);
template void visit_fields(const MADHeader&, FieldVisitor&);
template void visit_fields(const RMPPHeader&, FieldVisitor&);
template void visit_fields(const SAHeader&, FieldVisitor&);
template void visit_fields(const PMHeader&, FieldVisitor&);
template void visit_fields(const VendorHeader&, FieldVisitor&);
template void visit_fields(const PortCounters&, FieldVisitor&);
template void visit_fields(const PortCountersExtended&, FieldVisitor&);
template void visit_fields(const PortRcvErrorDetails&, FieldVisitor&);
template void visit_fields(const PortXmitDiscardDetails&, FieldVisitor&);
template void visit_fields(const PortOpRcvCounters&, FieldVisitor&);
template void visit_fields(const PortFlowCtlCounters&, FieldVisitor&);
template void visit_fields(const PortVLOpPackets&, FieldVisitor&);
template void visit_fields(const PortVLOpData&, FieldVisitor&);
template void visit_fields(const PortVLXmitFlowCtlUpdateErrors&, FieldVisitor&);
template void visit_fields(const PortVLXmitWaitCounters&, FieldVisitor&);
template void visit_fields(const PortXmitDataSL&, FieldVisitor&);
template void visit_fields(const PortRcvDataSL&, FieldVisitor&);
template void visit_fields(const SwPortVLCongestion&, FieldVisitor&);
template void visit_fields(const PortRcvConCtrl&, FieldVisitor&);
template void visit_fields(const PortSLRcvFECN&, FieldVisitor&);
template void visit_fields(const PortSLRcvBECN&, FieldVisitor&);
template void visit_fields(const PortXmitConCtrl&, FieldVisitor&);
template void visit_fields(const PortVLXmitTimeCong&, FieldVisitor&);
template void visit_fields(const PortExtendedSpeedsCounters&, FieldVisitor&);
template void visit_fields(const PortExtendedSpeedsCountersRSFEC&, FieldVisitor&);
template void visit_fields(const PortSamplesControl&, FieldVisitor&);
template void visit_fields(const PortSamplesResult&, FieldVisitor&);
template void visit_fields(const CongestionInfo&, FieldVisitor&);
template void visit_fields(const CongestionKeyInfo&, FieldVisitor&);
template void visit_fields(const CongestionLogSwitch&, FieldVisitor&);
template void visit_fields(const CongestionLogCA&, FieldVisitor&);
template void visit_fields(const CongestionEntrySwitch&, FieldVisitor&);
template void visit_fields(const CongestionEventCA&, FieldVisitor&);
template void visit_fields(const CongestionControlTable&, FieldVisitor&);
template void visit_fields(const TimeStamp&, FieldVisitor&);
template void visit_fields(const NodeRecord&, FieldVisitor&);
template void visit_fields(const PortInfoRecord&, FieldVisitor&);
template void visit_fields(const SLtoVLMappingTableRecord&, FieldVisitor&);
template void visit_fields(const SwitchInfoRecord&, FieldVisitor&);
template void visit_fields(const LinearForwardingTableRecord&, FieldVisitor&);
template void visit_fields(const MulticastForwardingTableRecord&, FieldVisitor&);
template void visit_fields(const SMInfoRecord&, FieldVisitor&);
template void visit_fields(const LinkRecord&, FieldVisitor&);
template void visit_fields(const GUIDInfoRecord&, FieldVisitor&);
template void visit_fields(const ServiceRecord&, FieldVisitor&);
template void visit_fields(const PKeyTableRecord&, FieldVisitor&);
template void visit_fields(const PathRecord&, FieldVisitor&);
template void visit_fields(const VLArbitrationTableRecord&, FieldVisitor&);
template void visit_fields(const MCMemberRecord&, FieldVisitor&);
template void visit_fields(const MultiPathRecord&, FieldVisitor&);
template void visit_fields(const TraceRecord&, FieldVisitor&);
template void visit_fields(const InformInfo&, FieldVisitor&);
template void visit_fields(const InformInfoRecord&, FieldVisitor&);

}  // namespace heddle::mad
