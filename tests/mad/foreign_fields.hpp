// SPDX-License-Identifier: BSD-3-Clause
// Which field of Debian's libibmad is which row of our tables: the dictionary by which tests and
// the golden generator let libibmad judge us. Fields it does not know are not here.
#pragma once

#include <string_view>
#include <vector>

#include <infiniband/mad.h>

namespace heddle::mad {

struct ForeignField {
  MAD_FIELDS field;
  std::string_view row;  // as LeafCollector spells it
  int bits = 32;         // 64: read and written by libibmad's 64-bit functions
};

struct ForeignAttribute {
  std::string_view layout;  // Layout<T>::name
  std::size_t bytes;        // what the golden holds: the attribute, or the whole SMP data
  std::vector<ForeignField> fields;
};

// An array that libibmad moves as one piece of bytes; its elements are `element_bits` wide.
struct ForeignArray {
  std::string_view layout;
  MAD_FIELDS field;
  std::string_view row;
  std::size_t bytes;
  unsigned element_bits;
};

inline const std::vector<ForeignAttribute> kForeignAttributes{
    {"NodeInfo",
     64,
     {
         {IB_NODE_BASE_VERS_F, "BaseVersion"},
         {IB_NODE_CLASS_VERS_F, "ClassVersion"},
         {IB_NODE_TYPE_F, "NodeType"},
         {IB_NODE_NPORTS_F, "NumPorts"},
         {IB_NODE_SYSTEM_GUID_F, "SystemImageGUID", 64},
         {IB_NODE_GUID_F, "NodeGUID", 64},
         {IB_NODE_PORT_GUID_F, "PortGUID", 64},
         {IB_NODE_PARTITION_CAP_F, "PartitionCap"},
         {IB_NODE_DEVID_F, "DeviceID"},
         {IB_NODE_REVISION_F, "Revision"},
         {IB_NODE_LOCAL_PORT_F, "LocalPortNum"},
         {IB_NODE_VENDORID_F, "VendorID"},
     }},
    {"SwitchInfo",
     64,
     {
         {IB_SW_LINEAR_FDB_CAP_F, "LinearFDBCap"},
         {IB_SW_RANDOM_FDB_CAP_F, "RandomFDBCap"},
         {IB_SW_MCAST_FDB_CAP_F, "MulticastFDBCap"},
         {IB_SW_LINEAR_FDB_TOP_F, "LinearFDBTop"},
         {IB_SW_DEF_PORT_F, "DefaultPort"},
         {IB_SW_DEF_MCAST_PRIM_F, "DefaultMulticastPrimaryPort"},
         {IB_SW_DEF_MCAST_NOT_PRIM_F, "DefaultMulticastNotPrimaryPort"},
         {IB_SW_LIFE_TIME_F, "LifeTimeValue"},
         {IB_SW_STATE_CHANGE_F, "PortStateChange"},
         {IB_SW_OPT_SLTOVL_MAPPING_F, "OptimizedSLtoVLMappingProgramming"},
         {IB_SW_LIDS_PER_PORT_F, "LIDsPerPort"},
         {IB_SW_PARTITION_ENFORCE_CAP_F, "PartitionEnforcementCap"},
         {IB_SW_PARTITION_ENF_INB_F, "InboundEnforcementCap"},
         {IB_SW_PARTITION_ENF_OUTB_F, "OutboundEnforcementCap"},
         {IB_SW_FILTER_RAW_INB_F, "FilterRawInboundCap"},
         {IB_SW_FILTER_RAW_OUTB_F, "FilterRawOutboundCap"},
         {IB_SW_ENHANCED_PORT0_F, "EnhancedPort0"},
         {IB_SW_MCAST_FDB_TOP_F, "MulticastFDBTop"},
     }},
    {"PortInfo",
     64,
     {
         {IB_PORT_MKEY_F, "M_Key", 64},
         {IB_PORT_GID_PREFIX_F, "GidPrefix", 64},
         {IB_PORT_LID_F, "LID"},
         {IB_PORT_SMLID_F, "MasterSMLID"},
         {IB_PORT_CAPMASK_F, "CapabilityMask"},
         {IB_PORT_DIAG_F, "DiagCode"},
         {IB_PORT_MKEY_LEASE_F, "M_KeyLeasePeriod"},
         {IB_PORT_LOCAL_PORT_F, "LocalPortNum"},
         {IB_PORT_LINK_WIDTH_ENABLED_F, "LinkWidthEnabled"},
         {IB_PORT_LINK_WIDTH_SUPPORTED_F, "LinkWidthSupported"},
         {IB_PORT_LINK_WIDTH_ACTIVE_F, "LinkWidthActive"},
         {IB_PORT_LINK_SPEED_SUPPORTED_F, "LinkSpeedSupported"},
         {IB_PORT_STATE_F, "PortState"},
         {IB_PORT_PHYS_STATE_F, "PortPhysicalState"},
         {IB_PORT_LINK_DOWN_DEF_F, "LinkDownDefaultState"},
         {IB_PORT_MKEY_PROT_BITS_F, "M_KeyProtectBits"},
         {IB_PORT_LMC_F, "LMC"},
         {IB_PORT_LINK_SPEED_ACTIVE_F, "LinkSpeedActive"},
         {IB_PORT_LINK_SPEED_ENABLED_F, "LinkSpeedEnabled"},
         {IB_PORT_NEIGHBOR_MTU_F, "NeighborMTU"},
         {IB_PORT_SMSL_F, "MasterSMSL"},
         {IB_PORT_VL_CAP_F, "VLCap"},
         {IB_PORT_INIT_TYPE_F, "InitType"},
         {IB_PORT_VL_HIGH_LIMIT_F, "VLHighLimit"},
         {IB_PORT_VL_ARBITRATION_HIGH_CAP_F, "VLArbitrationHighCap"},
         {IB_PORT_VL_ARBITRATION_LOW_CAP_F, "VLArbitrationLowCap"},
         {IB_PORT_INIT_TYPE_REPLY_F, "InitTypeReply"},
         {IB_PORT_MTU_CAP_F, "MTUCap"},
         {IB_PORT_VL_STALL_COUNT_F, "VLStallCount"},
         {IB_PORT_HOQ_LIFE_F, "HOQLife"},
         {IB_PORT_OPER_VLS_F, "OperationalVLs"},
         {IB_PORT_PART_EN_INB_F, "PartitionEnforcementInbound"},
         {IB_PORT_PART_EN_OUTB_F, "PartitionEnforcementOutbound"},
         {IB_PORT_FILTER_RAW_INB_F, "FilterRawInbound"},
         {IB_PORT_FILTER_RAW_OUTB_F, "FilterRawOutbound"},
         {IB_PORT_MKEY_VIOL_F, "M_KeyViolations"},
         {IB_PORT_PKEY_VIOL_F, "P_KeyViolations"},
         {IB_PORT_QKEY_VIOL_F, "Q_KeyViolations"},
         {IB_PORT_GUID_CAP_F, "GUIDCap"},
         {IB_PORT_CLIENT_REREG_F, "ClientReregister"},
         {IB_PORT_MCAST_PKEY_SUPR_ENAB_F, "MulticastPKeyTrapSuppressionEnabled"},
         {IB_PORT_SUBN_TIMEOUT_F, "SubnetTimeOut"},
         {IB_PORT_RESP_TIME_VAL_F, "RespTimeValue"},
         {IB_PORT_LOCAL_PHYS_ERR_F, "LocalPhyErrors"},
         {IB_PORT_OVERRUN_ERR_F, "OverrunErrors"},
         {IB_PORT_MAX_CREDIT_HINT_F, "MaxCreditHint"},
         {IB_PORT_LINK_ROUND_TRIP_F, "LinkRoundTripLatency"},
         {IB_PORT_CAPMASK2_F, "CapabilityMask2"},
         {IB_PORT_LINK_SPEED_EXT_ACTIVE_F, "LinkSpeedExtActive"},
         {IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, "LinkSpeedExtSupported"},
         {IB_PORT_LINK_SPEED_EXT_ENABLED_F, "LinkSpeedExtEnabled"},
     }},
    {"SMInfo",
     64,
     {
         {IB_SMINFO_GUID_F, "GUID", 64},
         {IB_SMINFO_KEY_F, "SM_Key", 64},
         {IB_SMINFO_ACT_F, "ActCount"},
         {IB_SMINFO_PRIO_F, "Priority"},
         {IB_SMINFO_STATE_F, "SMState"},
     }},
    {"GUIDInfo",
     64,
     {
         {IB_GI_GUID0_F, "GUID[0]", 64},
         {IB_GI_GUID1_F, "GUID[1]", 64},
         {IB_GI_GUID2_F, "GUID[2]", 64},
         {IB_GI_GUID3_F, "GUID[3]", 64},
         {IB_GI_GUID4_F, "GUID[4]", 64},
         {IB_GI_GUID5_F, "GUID[5]", 64},
         {IB_GI_GUID6_F, "GUID[6]", 64},
         {IB_GI_GUID7_F, "GUID[7]", 64},
     }},
    {"Notice",
     64,
     {
         {IB_NOTICE_IS_GENERIC_F, "IsGeneric"},
         {IB_NOTICE_TYPE_F, "Type"},
         {IB_NOTICE_PRODUCER_F, "ProducerType/VendorID"},
         {IB_NOTICE_TRAP_NUMBER_F, "TrapNumber/DeviceID"},
         {IB_NOTICE_ISSUER_LID_F, "IssuerLID"},
         {IB_NOTICE_TOGGLE_F, "NoticeToggle"},
         {IB_NOTICE_COUNT_F, "NoticeCount"},
     }},
    {"MlnxExtendedPortInfo",
     64,
     {
         {IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, "StateChangeEnable"},
         {IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, "LinkSpeedSupported"},
         {IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, "LinkSpeedEnabled"},
         {IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, "LinkSpeedActive"},
     }},
    {"ClassPortInfo",
     72,
     {
         {IB_CPI_BASEVER_F, "BaseVersion"},
         {IB_CPI_CLASSVER_F, "ClassVersion"},
         {IB_CPI_CAPMASK_F, "CapabilityMask"},
         {IB_CPI_CAPMASK2_F, "CapabilityMask2"},
         {IB_CPI_RESP_TIME_VALUE_F, "RespTimeValue"},
         {IB_CPI_REDIRECT_TC_F, "RedirectTC"},
         {IB_CPI_REDIRECT_SL_F, "RedirectSL"},
         {IB_CPI_REDIRECT_FL_F, "RedirectFL"},
         {IB_CPI_REDIRECT_LID_F, "RedirectLID"},
         {IB_CPI_REDIRECT_PKEY_F, "RedirectP_Key"},
         {IB_CPI_REDIRECT_QP_F, "RedirectQP"},
         {IB_CPI_REDIRECT_QKEY_F, "RedirectQ_Key"},
         {IB_CPI_TRAP_TC_F, "TrapTC"},
         {IB_CPI_TRAP_SL_F, "TrapSL"},
         {IB_CPI_TRAP_FL_F, "TrapFL"},
         {IB_CPI_TRAP_LID_F, "TrapLID"},
         {IB_CPI_TRAP_PKEY_F, "TrapP_Key"},
         {IB_CPI_TRAP_HL_F, "TrapHL"},
         {IB_CPI_TRAP_QP_F, "TrapQP"},
         {IB_CPI_TRAP_QKEY_F, "TrapQ_Key"},
     }},
    {"MADHeader",
     24,
     {
         {IB_MAD_BASEVER_F, "BaseVersion"},
         {IB_MAD_MGMTCLASS_F, "MgmtClass"},
         {IB_MAD_CLASSVER_F, "ClassVersion"},
         {IB_MAD_STATUS_F, "Status"},
         {IB_MAD_TRID_F, "TransactionID", 64},
         {IB_MAD_ATTRID_F, "AttributeID"},
         {IB_MAD_ATTRMOD_F, "AttributeModifier"},
     }},
    {"SMP",
     256,
     {
         {IB_MAD_BASEVER_F, "BaseVersion"},
         {IB_MAD_MGMTCLASS_F, "MgmtClass"},
         {IB_MAD_CLASSVER_F, "ClassVersion"},
         {IB_DRSMP_DIRECTION_F, "D"},
         {IB_DRSMP_STATUS_F, "Status"},
         {IB_DRSMP_HOPPTR_F, "HopPointer"},
         {IB_DRSMP_HOPCNT_F, "HopCount"},
         {IB_MAD_TRID_F, "TransactionID", 64},
         {IB_MAD_ATTRID_F, "AttributeID"},
         {IB_MAD_ATTRMOD_F, "AttributeModifier"},
         {IB_MAD_MKEY_F, "M_Key", 64},
         {IB_DRSMP_DRSLID_F, "DrSLID"},
         {IB_DRSMP_DRDLID_F, "DrDLID"},
     }},
    {"SAHeader",
     56,
     {
         {IB_SA_RMPP_VERS_F, "RMPPHeader.RMPPVersion"},
         {IB_SA_RMPP_TYPE_F, "RMPPHeader.RMPPType"},
         {IB_SA_RMPP_RESP_F, "RMPPHeader.RRespTime"},
         {IB_SA_RMPP_FLAGS_F, "RMPPHeader.RMPPFlags"},
         {IB_SA_RMPP_STATUS_F, "RMPPHeader.RMPPStatus"},
         {IB_SA_RMPP_D1_F, "RMPPHeader.Data1"},
         {IB_SA_RMPP_D2_F, "RMPPHeader.Data2"},
         {IB_SA_MKEY_F, "SM_Key", 64},
         {IB_SA_ATTROFFS_F, "AttributeOffset"},
         {IB_SA_COMPMASK_F, "ComponentMask", 64},
     }},
    {"VendorHeader",
     40,
     {
         {IB_VEND2_OUI_F, "OUI"},
     }},
};

inline const std::vector<ForeignArray>& foreign_arrays() {
  static const std::vector<ForeignArray> arrays{
      {"NodeDescription", IB_NODE_DESC_F, "NodeString", 64, 8},
      {"LinearForwardingTable", IB_LINEAR_FORW_TBL_F, "Port", 64, 8},
      {"MulticastForwardingTable", IB_MULTICAST_FORW_TBL_F, "PortMask", 64, 16},
      {"SLtoVLMappingTable", IB_SLTOVL_MAPPING_TABLE_F, "SLtoVL", 8, 4},
  };
  return arrays;
}

}  // namespace heddle::mad
