// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's masks, written by hand there, judge ours, which are derived.
#include "mad/component_mask.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mad/attribute_catalogue.hpp"
#include "tests/mad/ib_types_masks.hpp"

namespace heddle::mad {
namespace {

using Named = std::pair<std::string, std::uint64_t>;

// Component i of an array that has a component for each element.
template <auto... Path>
std::vector<Named> elements(const std::string& name, unsigned count) {
  std::uint64_t bit = component<Path...>();
  bit &= ~(bit - 1);  // the lowest
  std::vector<Named> all;
  for (unsigned i = 0; i < count; ++i) all.emplace_back(name + std::to_string(i), bit << i);
  return all;
}

const std::vector<Named> kNamed{
    {"PR.SERVICEID", component<&PathRecord::service_id>()},
    {"PR.DGID", component<&PathRecord::dgid>()},
    {"PR.SGID", component<&PathRecord::sgid>()},
    {"PR.DLID", component<&PathRecord::dlid>()},
    {"PR.SLID", component<&PathRecord::slid>()},
    {"PR.RAWTRAFFIC", component<&PathRecord::raw_traffic>()},
    {"PR.FLOWLABEL", component<&PathRecord::flow_label>()},
    {"PR.HOPLIMIT", component<&PathRecord::hop_limit>()},
    {"PR.TCLASS", component<&PathRecord::t_class>()},
    {"PR.REVERSIBLE", component<&PathRecord::reversible>()},
    {"PR.NUMBPATH", component<&PathRecord::numb_path>()},
    {"PR.PKEY", component<&PathRecord::p_key>()},
    {"PR.QOS_CLASS", component<&PathRecord::qos_class>()},
    {"PR.SL", component<&PathRecord::sl>()},
    {"PR.MTUSELEC", component<&PathRecord::mtu_selector>()},
    {"PR.MTU", component<&PathRecord::mtu>()},
    {"PR.RATESELEC", component<&PathRecord::rate_selector>()},
    {"PR.RATE", component<&PathRecord::rate>()},
    {"PR.PKTLIFETIMESELEC", component<&PathRecord::packet_life_time_selector>()},
    {"PR.PKTLIFETIME", component<&PathRecord::packet_life_time>()},
    {"MPR.RAWTRAFFIC", component<&MultiPathRecord::raw_traffic>()},
    {"MPR.FLOWLABEL", component<&MultiPathRecord::flow_label>()},
    {"MPR.HOPLIMIT", component<&MultiPathRecord::hop_limit>()},
    {"MPR.TCLASS", component<&MultiPathRecord::t_class>()},
    {"MPR.REVERSIBLE", component<&MultiPathRecord::reversible>()},
    {"MPR.NUMBPATH", component<&MultiPathRecord::numb_path>()},
    {"MPR.PKEY", component<&MultiPathRecord::p_key>()},
    {"MPR.QOS_CLASS", component<&MultiPathRecord::qos_class>()},
    {"MPR.SL", component<&MultiPathRecord::sl>()},
    {"MPR.MTUSELEC", component<&MultiPathRecord::mtu_selector>()},
    {"MPR.MTU", component<&MultiPathRecord::mtu>()},
    {"MPR.RATESELEC", component<&MultiPathRecord::rate_selector>()},
    {"MPR.RATE", component<&MultiPathRecord::rate>()},
    {"MPR.PKTLIFETIMESELEC", component<&MultiPathRecord::packet_life_time_selector>()},
    {"MPR.PKTLIFETIME", component<&MultiPathRecord::packet_life_time>()},
    {"MPR.SERVICEID_MSB", component<&MultiPathRecord::service_id_8msb>()},
    {"MPR.INDEPSELEC", component<&MultiPathRecord::independence_selector>()},
    {"MPR.SGIDCOUNT", component<&MultiPathRecord::sgid_count>()},
    {"MPR.DGIDCOUNT", component<&MultiPathRecord::dgid_count>()},
    {"MPR.SERVICEID_LSB", component<&MultiPathRecord::service_id_56lsb>()},
    {"LR.FROM_LID", component<&LinkRecord::from_lid>()},
    {"LR.FROM_PORT", component<&LinkRecord::from_port>()},
    {"LR.TO_PORT", component<&LinkRecord::to_port>()},
    {"LR.TO_LID", component<&LinkRecord::to_lid>()},
    {"VLA.LID", component<&VLArbitrationTableRecord::lid>()},
    {"VLA.OUT_PORT", component<&VLArbitrationTableRecord::output_port_num>()},
    {"VLA.BLOCK", component<&VLArbitrationTableRecord::block_num>()},
    {"SLVL.LID", component<&SLtoVLMappingTableRecord::lid>()},
    {"SLVL.IN_PORT", component<&SLtoVLMappingTableRecord::input_port_num>()},
    {"SLVL.OUT_PORT", component<&SLtoVLMappingTableRecord::output_port_num>()},
    {"PKEY.LID", component<&PKeyTableRecord::lid>()},
    {"PKEY.BLOCK", component<&PKeyTableRecord::block_num>()},
    {"PKEY.PORT", component<&PKeyTableRecord::port_num>()},
    {"SWIR.LID", component<&SwitchInfoRecord::lid>()},
    {"LFTR.LID", component<&LinearForwardingTableRecord::lid>()},
    {"LFTR.BLOCK", component<&LinearForwardingTableRecord::block_num>()},
    {"MFTR.LID", component<&MulticastForwardingTableRecord::lid>()},
    {"MFTR.POSITION", component<&MulticastForwardingTableRecord::position>()},
    {"MFTR.BLOCK", component<&MulticastForwardingTableRecord::block_num>()},
    {"NR.LID", component<&NodeRecord::lid>()},
    {"NR.BASEVERSION", component<&NodeRecord::node_info, &NodeInfo::base_version>()},
    {"NR.CLASSVERSION", component<&NodeRecord::node_info, &NodeInfo::class_version>()},
    {"NR.NODETYPE", component<&NodeRecord::node_info, &NodeInfo::node_type>()},
    {"NR.NUMPORTS", component<&NodeRecord::node_info, &NodeInfo::num_ports>()},
    {"NR.SYSIMAGEGUID", component<&NodeRecord::node_info, &NodeInfo::system_image_guid>()},
    {"NR.NODEGUID", component<&NodeRecord::node_info, &NodeInfo::node_guid>()},
    {"NR.PORTGUID", component<&NodeRecord::node_info, &NodeInfo::port_guid>()},
    {"NR.PARTCAP", component<&NodeRecord::node_info, &NodeInfo::partition_cap>()},
    {"NR.DEVID", component<&NodeRecord::node_info, &NodeInfo::device_id>()},
    {"NR.REV", component<&NodeRecord::node_info, &NodeInfo::revision>()},
    {"NR.PORTNUM", component<&NodeRecord::node_info, &NodeInfo::local_port_num>()},
    {"NR.VENDID", component<&NodeRecord::node_info, &NodeInfo::vendor_id>()},
    {"NR.NODEDESC", component<&NodeRecord::node_description, &NodeDescription::node_string>()},
    {"SR.SID", component<&ServiceRecord::service_id>()},
    {"SR.SGID", component<&ServiceRecord::service_gid>()},
    {"SR.SPKEY", component<&ServiceRecord::service_p_key>()},
    {"SR.SLEASE", component<&ServiceRecord::service_lease>()},
    {"SR.SKEY", component<&ServiceRecord::service_key>()},
    {"SR.SNAME", component<&ServiceRecord::service_name>()},
    {"PIR.LID", component<&PortInfoRecord::endport_lid>()},
    {"PIR.PORTNUM", component<&PortInfoRecord::port_num>()},
    {"PIR.OPTIONS", component<&PortInfoRecord::options>()},
    {"PIR.MKEY", component<&PortInfoRecord::port_info, &PortInfo::m_key>()},
    {"PIR.GIDPRE", component<&PortInfoRecord::port_info, &PortInfo::gid_prefix>()},
    {"PIR.BASELID", component<&PortInfoRecord::port_info, &PortInfo::lid>()},
    {"PIR.SMLID", component<&PortInfoRecord::port_info, &PortInfo::master_sm_lid>()},
    {"PIR.CAPMASK", component<&PortInfoRecord::port_info, &PortInfo::capability_mask>()},
    {"PIR.DIAGCODE", component<&PortInfoRecord::port_info, &PortInfo::diag_code>()},
    {"PIR.MKEYLEASEPRD", component<&PortInfoRecord::port_info, &PortInfo::m_key_lease_period>()},
    {"PIR.LOCALPORTNUM", component<&PortInfoRecord::port_info, &PortInfo::local_port_num>()},
    {"PIR.LINKWIDTHENABLED",
     component<&PortInfoRecord::port_info, &PortInfo::link_width_enabled>()},
    {"PIR.LNKWIDTHSUPPORT",
     component<&PortInfoRecord::port_info, &PortInfo::link_width_supported>()},
    {"PIR.LNKWIDTHACTIVE", component<&PortInfoRecord::port_info, &PortInfo::link_width_active>()},
    {"PIR.LNKSPEEDSUPPORT",
     component<&PortInfoRecord::port_info, &PortInfo::link_speed_supported>()},
    {"PIR.PORTSTATE", component<&PortInfoRecord::port_info, &PortInfo::port_state>()},
    {"PIR.PORTPHYSTATE", component<&PortInfoRecord::port_info, &PortInfo::port_physical_state>()},
    {"PIR.LINKDWNDFLTSTATE",
     component<&PortInfoRecord::port_info, &PortInfo::link_down_default_state>()},
    {"PIR.MKEYPROTBITS", component<&PortInfoRecord::port_info, &PortInfo::m_key_protect_bits>()},
    {"PIR.LMC", component<&PortInfoRecord::port_info, &PortInfo::lmc>()},
    {"PIR.LINKSPEEDACTIVE", component<&PortInfoRecord::port_info, &PortInfo::link_speed_active>()},
    {"PIR.LINKSPEEDENABLE", component<&PortInfoRecord::port_info, &PortInfo::link_speed_enabled>()},
    {"PIR.NEIGHBORMTU", component<&PortInfoRecord::port_info, &PortInfo::neighbor_mtu>()},
    {"PIR.MASTERSMSL", component<&PortInfoRecord::port_info, &PortInfo::master_sm_sl>()},
    {"PIR.VLCAP", component<&PortInfoRecord::port_info, &PortInfo::vl_cap>()},
    {"PIR.INITTYPE", component<&PortInfoRecord::port_info, &PortInfo::init_type>()},
    {"PIR.VLHIGHLIMIT", component<&PortInfoRecord::port_info, &PortInfo::vl_high_limit>()},
    {"PIR.VLARBHIGHCAP",
     component<&PortInfoRecord::port_info, &PortInfo::vl_arbitration_high_cap>()},
    {"PIR.VLARBLOWCAP", component<&PortInfoRecord::port_info, &PortInfo::vl_arbitration_low_cap>()},
    {"PIR.INITTYPEREPLY", component<&PortInfoRecord::port_info, &PortInfo::init_type_reply>()},
    {"PIR.MTUCAP", component<&PortInfoRecord::port_info, &PortInfo::mtu_cap>()},
    {"PIR.VLSTALLCNT", component<&PortInfoRecord::port_info, &PortInfo::vl_stall_count>()},
    {"PIR.HOQLIFE", component<&PortInfoRecord::port_info, &PortInfo::hoq_life>()},
    {"PIR.OPVLS", component<&PortInfoRecord::port_info, &PortInfo::operational_vls>()},
    {"PIR.PARENFIN",
     component<&PortInfoRecord::port_info, &PortInfo::partition_enforcement_inbound>()},
    {"PIR.PARENFOUT",
     component<&PortInfoRecord::port_info, &PortInfo::partition_enforcement_outbound>()},
    {"PIR.FILTERRAWIN", component<&PortInfoRecord::port_info, &PortInfo::filter_raw_inbound>()},
    {"PIR.FILTERRAWOUT", component<&PortInfoRecord::port_info, &PortInfo::filter_raw_outbound>()},
    {"PIR.MKEYVIO", component<&PortInfoRecord::port_info, &PortInfo::m_key_violations>()},
    {"PIR.PKEYVIO", component<&PortInfoRecord::port_info, &PortInfo::p_key_violations>()},
    {"PIR.QKEYVIO", component<&PortInfoRecord::port_info, &PortInfo::q_key_violations>()},
    {"PIR.GUIDCAP", component<&PortInfoRecord::port_info, &PortInfo::guid_cap>()},
    {"PIR.CLIENTREREG", component<&PortInfoRecord::port_info, &PortInfo::client_reregister>()},
    {"PIR.SUBNTO", component<&PortInfoRecord::port_info, &PortInfo::subnet_timeout>()},
    {"PIR.RESPTIME", component<&PortInfoRecord::port_info, &PortInfo::resp_time_value>()},
    {"PIR.LOCALPHYERR", component<&PortInfoRecord::port_info, &PortInfo::local_phy_errors>()},
    {"PIR.OVERRUNERR", component<&PortInfoRecord::port_info, &PortInfo::overrun_errors>()},
    {"PIR.MAXCREDHINT", component<&PortInfoRecord::port_info, &PortInfo::max_credit_hint>()},
    {"PIR.LINKRTLAT", component<&PortInfoRecord::port_info, &PortInfo::link_round_trip_latency>()},
    {"PIR.CAPMASK2", component<&PortInfoRecord::port_info, &PortInfo::capability_mask2>()},
    {"PIR.LINKSPDEXTACT",
     component<&PortInfoRecord::port_info, &PortInfo::link_speed_ext_active>()},
    {"PIR.LINKSPDEXTSUPP",
     component<&PortInfoRecord::port_info, &PortInfo::link_speed_ext_supported>()},
    {"PIR.LINKSPDEXTENAB",
     component<&PortInfoRecord::port_info, &PortInfo::link_speed_ext_enabled>()},
    {"MCR.MGID", component<&MCMemberRecord::mgid>()},
    {"MCR.PORT_GID", component<&MCMemberRecord::port_gid>()},
    {"MCR.QKEY", component<&MCMemberRecord::q_key>()},
    {"MCR.MLID", component<&MCMemberRecord::mlid>()},
    {"MCR.MTU_SEL", component<&MCMemberRecord::mtu_selector>()},
    {"MCR.MTU", component<&MCMemberRecord::mtu>()},
    {"MCR.TCLASS", component<&MCMemberRecord::t_class>()},
    {"MCR.PKEY", component<&MCMemberRecord::p_key>()},
    {"MCR.RATE_SEL", component<&MCMemberRecord::rate_selector>()},
    {"MCR.RATE", component<&MCMemberRecord::rate>()},
    {"MCR.LIFE_SEL", component<&MCMemberRecord::packet_life_time_selector>()},
    {"MCR.LIFE", component<&MCMemberRecord::packet_life_time>()},
    {"MCR.SL", component<&MCMemberRecord::sl>()},
    {"MCR.FLOW", component<&MCMemberRecord::flow_label>()},
    {"MCR.HOP", component<&MCMemberRecord::hop_limit>()},
    {"MCR.SCOPE", component<&MCMemberRecord::scope>()},
    {"MCR.JOIN_STATE", component<&MCMemberRecord::join_state>()},
    {"MCR.PROXY", component<&MCMemberRecord::proxy_join>()},
    {"GIR.LID", component<&GUIDInfoRecord::lid>()},
    {"GIR.BLOCKNUM", component<&GUIDInfoRecord::block_num>()},
    {"SMIR.LID", component<&SMInfoRecord::lid>()},
    {"SMIR.GUID", component<&SMInfoRecord::sm_info, &SMInfo::guid>()},
    {"SMIR.SMKEY", component<&SMInfoRecord::sm_info, &SMInfo::sm_key>()},
    {"SMIR.ACTCOUNT", component<&SMInfoRecord::sm_info, &SMInfo::act_count>()},
    {"SMIR.PRIORITY", component<&SMInfoRecord::sm_info, &SMInfo::priority>()},
    {"SMIR.SMSTATE", component<&SMInfoRecord::sm_info, &SMInfo::sm_state>()},
    {"IIR.SUBSCRIBERGID", component<&InformInfoRecord::subscriber_gid>()},
    {"IIR.ENUM", component<&InformInfoRecord::subscriber_enum>()},
    {"IIR.GID", component<&InformInfoRecord::inform_info, &InformInfo::gid>()},
    {"IIR.LIDRANGEBEGIN",
     component<&InformInfoRecord::inform_info, &InformInfo::lid_range_begin>()},
    {"IIR.LIDRANGEEND", component<&InformInfoRecord::inform_info, &InformInfo::lid_range_end>()},
    {"IIR.ISGENERIC", component<&InformInfoRecord::inform_info, &InformInfo::is_generic>()},
    {"IIR.SUBSCRIBE", component<&InformInfoRecord::inform_info, &InformInfo::subscribe>()},
    {"IIR.TYPE", component<&InformInfoRecord::inform_info, &InformInfo::type>()},
    {"IIR.TRAPNUMB", component<&InformInfoRecord::inform_info, &InformInfo::trap_number>()},
    {"IIR.QPN", component<&InformInfoRecord::inform_info, &InformInfo::qpn>()},
    {"IIR.RESPTIME", component<&InformInfoRecord::inform_info, &InformInfo::resp_time_value>()},
    {"IIR.PRODTYPE", component<&InformInfoRecord::inform_info, &InformInfo::producer_type>()},
};

std::vector<Named> ours() {
  std::vector<Named> all = kNamed;
  const auto add = [&](const std::vector<Named>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(elements<&ServiceRecord::service_data8>("SR.SDATA8_", 16));
  add(elements<&ServiceRecord::service_data16>("SR.SDATA16_", 8));
  add(elements<&ServiceRecord::service_data32>("SR.SDATA32_", 4));
  add(elements<&ServiceRecord::service_data64>("SR.SDATA64_", 2));
  add(elements<&GUIDInfoRecord::guid_info, &GUIDInfo::guids>("GIR.GID", 8));
  return all;
}

TEST(ComponentMask, IsDerivedAsOpenSMWroteItDown) {
  const auto& theirs = ib_types_masks();
  for (const auto& [name, mask] : ours()) {
    ASSERT_TRUE(theirs.contains(name)) << name;
    EXPECT_EQ(mask, theirs.at(name)) << name;
  }
  EXPECT_EQ(ours().size(), theirs.size());
}

TEST(Matching, ComparesTheComponentsOfTheMaskAndNoOthers) {
  NodeRecord wanted;
  wanted.lid = Lid{7};
  wanted.node_info.node_guid = Guid{9};
  NodeRecord candidate = wanted;
  candidate.node_info.vendor_id = 3;
  constexpr auto lid = component<&NodeRecord::lid>();
  constexpr auto guid = component<&NodeRecord::node_info, &NodeInfo::node_guid>();
  constexpr auto vendor = component<&NodeRecord::node_info, &NodeInfo::vendor_id>();
  EXPECT_TRUE(matches(lid | guid, wanted, candidate));
  EXPECT_FALSE(matches(lid | guid | vendor, wanted, candidate));
  EXPECT_TRUE(matches(std::uint64_t{0}, NodeRecord{}, candidate));
  candidate.lid = Lid{8};
  EXPECT_FALSE(matches(lid, wanted, candidate));
  EXPECT_TRUE(matches(guid, wanted, candidate));
}

TEST(Matching, SeesEachGuidOfABlockAlone) {
  GUIDInfoRecord wanted;
  wanted.guid_info.guids[3] = Guid{5};
  GUIDInfoRecord candidate;
  candidate.guid_info.guids[3] = Guid{5};
  candidate.guid_info.guids[4] = Guid{6};
  constexpr auto all = component<&GUIDInfoRecord::guid_info, &GUIDInfo::guids>();
  EXPECT_FALSE(matches(all, wanted, candidate));
  constexpr std::uint64_t first = all & ~(all - 1);
  EXPECT_TRUE(matches(first << 3, wanted, candidate));
  EXPECT_FALSE(matches(first << 4, wanted, candidate));
}

TEST(Matching, LetsReservedAndUnknownComponentsMatchAnything) {
  EXPECT_TRUE(matches(~std::uint64_t{0}, LinkRecord{}, LinkRecord{}));
  constexpr std::uint64_t reserved = 1u << 1;
  EXPECT_TRUE(matches(reserved, SwitchInfoRecord{}, SwitchInfoRecord{Lid{3}, {}}));
}

}  // namespace
}  // namespace heddle::mad
