// SPDX-License-Identifier: BSD-3-Clause
// Records of subnet administration, laid out by OpenSM's packed structs. What they embed is judged
// elsewhere; here it is enough that it sits at the right place.
#include "tests/mad/ib_types_filler.hpp"

namespace heddle::mad {
namespace {

std::string entry(const std::string& row, std::size_t index) {
  return row + '[' + std::to_string(index) + ']';
}

Sample node_record(base::Prng& prng) {
  Filler fill("NodeRecord", prng);
  ib_node_record_t record{};
  record.lid = fill.be16("LID");
  record.node_info.base_version = fill.u8("NodeInfo.BaseVersion");
  record.node_info.port_guid = fill.be64("NodeInfo.PortGUID");
  const std::uint32_t port = fill.u8("NodeInfo.LocalPortNum");
  record.node_info.port_num_vendor_id = htonl(port << 24) | fill.be32("NodeInfo.VendorID", 24);
  for (std::size_t i = 0; i < sizeof record.node_desc.description; ++i) {
    record.node_desc.description[i] = fill.u8(entry("NodeDescription.NodeString", i));
  }
  return fill.take(record);
}

Sample port_info_record(base::Prng& prng) {
  Filler fill("PortInfoRecord", prng);
  ib_portinfo_record_t record{};
  record.lid = fill.be16("EndportLID");
  record.port_num = fill.u8("PortNum");
  record.options = fill.u8("Options");
  record.port_info.m_key = fill.be64("PortInfo.M_Key");
  record.port_info.base_lid = fill.be16("PortInfo.LID");
  record.port_info.capability_mask2 = fill.be16("PortInfo.CapabilityMask2");
  return fill.take(record);
}

Sample sl_to_vl_record(base::Prng& prng) {
  Filler fill("SLtoVLMappingTableRecord", prng);
  ib_slvl_table_record_t record{};
  record.lid = fill.be16("LID");
  record.in_port_num = fill.u8("InputPortNum");
  record.out_port_num = fill.u8("OutputPortNum");
  for (std::uint8_t sl = 0; sl < 16; ++sl) {
    ib_slvl_table_set(&record.slvl_tbl, sl, fill.u8(entry("SLtoVLMappingTable.SLtoVL", sl), 4));
  }
  return fill.take(record);
}

Sample switch_info_record(base::Prng& prng) {
  Filler fill("SwitchInfoRecord", prng);
  ib_switch_info_record_t record{};
  record.lid = fill.be16("LID");
  record.switch_info.lin_cap = fill.be16("SwitchInfo.LinearFDBCap");
  record.switch_info.mcast_top = fill.be16("SwitchInfo.MulticastFDBTop");
  return fill.take(record);
}

Sample lft_record(base::Prng& prng) {
  Filler fill("LinearForwardingTableRecord", prng);
  ib_lft_record_t record{};
  record.lid = fill.be16("LID");
  record.block_num = fill.be16("BlockNum");
  for (std::size_t i = 0; i < sizeof record.lft; ++i) {
    record.lft[i] = fill.u8(entry("LinearForwardingTable.Port", i));
  }
  return fill.take(record);
}

Sample mft_record(base::Prng& prng) {
  Filler fill("MulticastForwardingTableRecord", prng);
  ib_mft_record_t record{};
  record.lid = fill.be16("LID");
  const auto position = static_cast<std::uint16_t>(fill.note("Position", 4) << 12);
  const auto block = static_cast<std::uint16_t>(fill.note("BlockNum", 9));
  record.position_block_num = htons(static_cast<std::uint16_t>(position | block));
  for (std::size_t i = 0; i < std::size(record.mft); ++i) {
    record.mft[i] = fill.be16(entry("MulticastForwardingTable.PortMask", i));
  }
  return fill.take(record);
}

Sample sm_info_record(base::Prng& prng) {
  Filler fill("SMInfoRecord", prng);
  ib_sminfo_record_t record{};
  record.lid = fill.be16("LID");
  record.sm_info.guid = fill.be64("SMInfo.GUID");
  record.sm_info.sm_key = fill.be64("SMInfo.SM_Key");
  record.sm_info.act_count = fill.be32("SMInfo.ActCount");
  const unsigned priority = fill.u8("SMInfo.Priority", 4);
  record.sm_info.pri_state =
      static_cast<std::uint8_t>(priority << 4 | fill.u8("SMInfo.SMState", 4));
  return fill.take(record);
}

Sample link_record(base::Prng& prng) {
  Filler fill("LinkRecord", prng);
  ib_link_record_t record{};
  record.from_lid = fill.be16("FromLID");
  record.from_port_num = fill.u8("FromPort");
  record.to_port_num = fill.u8("ToPort");
  record.to_lid = fill.be16("ToLID");
  return fill.take(record);
}

Sample guid_info_record(base::Prng& prng) {
  Filler fill("GUIDInfoRecord", prng);
  ib_guidinfo_record_t record{};
  record.lid = fill.be16("LID");
  record.block_num = fill.u8("BlockNum");
  for (std::size_t i = 0; i < GUID_TABLE_MAX_ENTRIES; ++i) {
    record.guid_info.guid[i] = fill.be64(entry("GUIDInfo.GUID", i));
  }
  return fill.take(record);
}

template <class Array>
void fill_bytes(Filler& fill, Array& bytes, const std::string& row) {
  for (std::size_t i = 0; i < std::size(bytes); ++i) bytes[i] = fill.u8(entry(row, i));
}

Sample service_record(base::Prng& prng) {
  Filler fill("ServiceRecord", prng);
  ib_service_record_t record{};
  record.service_id = fill.be64("ServiceID");
  record.service_gid = fill.gid("ServiceGID");
  record.service_pkey = fill.be16("ServiceP_Key");
  record.service_lease = fill.be32("ServiceLease");
  fill_bytes(fill, record.service_key, "ServiceKey");
  fill_bytes(fill, record.service_name, "ServiceName");
  fill_bytes(fill, record.service_data8, "ServiceData8");
  for (std::size_t i = 0; i < 8; ++i)
    record.service_data16[i] = fill.be16(entry("ServiceData16", i));
  for (std::size_t i = 0; i < 4; ++i)
    record.service_data32[i] = fill.be32(entry("ServiceData32", i));
  for (std::size_t i = 0; i < 2; ++i)
    record.service_data64[i] = fill.be64(entry("ServiceData64", i));
  return fill.take(record);
}

Sample p_key_table_record(base::Prng& prng) {
  Filler fill("P_KeyTableRecord", prng);
  ib_pkey_table_record_t record{};
  record.lid = fill.be16("LID");
  record.block_num = fill.be16("BlockNum");
  record.port_num = fill.u8("PortNum");
  for (std::size_t i = 0; i < std::size(record.pkey_tbl.pkey_entry); ++i) {
    record.pkey_tbl.pkey_entry[i] = fill.be16(entry("P_KeyTable.P_Key", i));
  }
  return fill.take(record);
}

Sample vl_arbitration_record(base::Prng& prng) {
  Filler fill("VLArbitrationTableRecord", prng);
  ib_vl_arb_table_record_t record{};
  record.lid = fill.be16("LID");
  record.port_num = fill.u8("OutputPortNum");
  record.block_num = fill.u8("BlockNum");
  for (std::size_t i = 0; i < 32; ++i) {
    const std::string row = entry("VLArbitrationTable.Entry", i);
    record.vl_arb_tbl.vl_entry[i].vl = fill.u8(row + ".VL", 4);
    record.vl_arb_tbl.vl_entry[i].weight = fill.u8(row + ".Weight");
  }
  return fill.take(record);
}

// A selector in the two upper bits, a value in the six lower.
std::uint8_t selected(Filler& fill, const std::string& selector, const std::string& value) {
  const unsigned upper = fill.u8(selector, 2);
  return static_cast<std::uint8_t>(upper << 6 | fill.u8(value, 6));
}

// What PathRecord and MultiPathRecord have in common, under the same names in both structs.
template <class Record>
void fill_path(Filler& fill, Record& record) {
  const auto raw = static_cast<std::uint32_t>(fill.note("RawTraffic", 1) << 31);
  const auto flow = static_cast<std::uint32_t>(fill.note("FlowLabel", 20) << 8);
  record.hop_flow_raw = htonl(raw | flow | fill.u8("HopLimit"));
  record.tclass = fill.u8("TClass");
  const unsigned reversible = fill.u8("Reversible", 1);
  record.num_path = static_cast<std::uint8_t>(reversible << 7 | fill.u8("NumbPath", 7));
  record.pkey = fill.be16("P_Key");
  const auto qos = static_cast<unsigned>(fill.note("QosClass", 12) << 4);
  record.qos_class_sl = htons(static_cast<std::uint16_t>(qos | fill.u8("SL", 4)));
  record.mtu = selected(fill, "MtuSelector", "Mtu");
  record.rate = selected(fill, "RateSelector", "Rate");
  record.pkt_life = selected(fill, "PacketLifeTimeSelector", "PacketLifeTime");
}

Sample path_record(base::Prng& prng) {
  Filler fill("PathRecord", prng);
  ib_path_rec_t record{};
  record.service_id = fill.be64("ServiceID");
  record.dgid = fill.gid("DGID");
  record.sgid = fill.gid("SGID");
  record.dlid = fill.be16("DLID");
  record.slid = fill.be16("SLID");
  fill_path(fill, record);
  record.preference = fill.u8("Preference");
  return fill.take(record);
}

Sample multi_path_record(base::Prng& prng) {
  Filler fill("MultiPathRecord", prng);
  ib_multipath_rec_t record{};
  fill_path(fill, record);
  record.service_id_8msb = fill.u8("ServiceID8MSB");
  record.sgid_count = fill.u8("SGIDCount");
  record.dgid_count = fill.u8("DGIDCount");
  const std::uint64_t lower = fill.note("ServiceID56LSB", 56);
  for (std::size_t i = 0; i < 7; ++i) {
    record.service_id_56lsb[i] = static_cast<std::uint8_t>(lower >> (48 - 8 * i));
  }
  return fill.take(record, offsetof(ib_multipath_rec_t, gids));
}

// ProxyJoin is left out: a bit field of C begins at the other end of the byte.
Sample mc_member_record(base::Prng& prng) {
  Filler fill("MCMemberRecord", prng);
  ib_member_rec_t record{};
  record.mgid = fill.gid("MGID");
  record.port_gid = fill.gid("PortGID");
  record.qkey = fill.be32("Q_Key");
  record.mlid = fill.be16("MLID");
  record.mtu = selected(fill, "MTUSelector", "MTU");
  record.tclass = fill.u8("TClass");
  record.pkey = fill.be16("P_Key");
  record.rate = selected(fill, "RateSelector", "Rate");
  record.pkt_life = selected(fill, "PacketLifeTimeSelector", "PacketLifeTime");
  const std::uint8_t sl = fill.u8("SL", 4);
  const auto flow = static_cast<std::uint32_t>(fill.note("FlowLabel", 20));
  record.sl_flow_hop = ib_member_set_sl_flow_hop(sl, flow, fill.u8("HopLimit"));
  const std::uint8_t scope = fill.u8("Scope", 4);
  record.scope_state = ib_member_set_scope_state(scope, fill.u8("JoinState", 4));
  return fill.take(record);
}

void fill_inform_info(Filler& fill, ib_inform_info_t& info, const std::string& prefix) {
  info.gid = fill.gid(prefix + "GID");
  info.lid_range_begin = fill.be16(prefix + "LIDRangeBegin");
  info.lid_range_end = fill.be16(prefix + "LIDRangeEnd");
  info.is_generic = fill.u8(prefix + "IsGeneric");
  info.subscribe = fill.u8(prefix + "Subscribe");
  info.trap_type = fill.be16(prefix + "Type");
  info.g_or_v.generic.trap_num = fill.be16(prefix + "TrapNumber/DeviceID");
  const auto qpn = static_cast<std::uint32_t>(fill.note(prefix + "QPN", 24) << 8);
  info.g_or_v.generic.qpn_resp_time_val = htonl(qpn | fill.u8(prefix + "RespTimeValue", 5));
  const auto producer = static_cast<std::uint32_t>(fill.note(prefix + "ProducerType/VendorID", 24));
  info.g_or_v.generic.node_type_msb = static_cast<std::uint8_t>(producer >> 16);
  info.g_or_v.generic.node_type_lsb = htons(static_cast<std::uint16_t>(producer));
}

Sample inform_info(base::Prng& prng) {
  Filler fill("InformInfo", prng);
  ib_inform_info_t info{};
  fill_inform_info(fill, info, "");
  return fill.take(info);
}

Sample inform_info_record(base::Prng& prng) {
  Filler fill("InformInfoRecord", prng);
  ib_inform_info_record_t record{};
  record.subscriber_gid = fill.gid("SubscriberGID");
  record.subscriber_enum = fill.be16("Enum");
  fill_inform_info(fill, record.inform_info, "InformInfo.");
  return fill.take(record);
}

}  // namespace

std::vector<Sample> ib_types_records(base::Prng& prng) {
  return {node_record(prng),        port_info_record(prng),   sl_to_vl_record(prng),
          switch_info_record(prng), lft_record(prng),         mft_record(prng),
          sm_info_record(prng),     link_record(prng),        guid_info_record(prng),
          service_record(prng),     p_key_table_record(prng), vl_arbitration_record(prng),
          path_record(prng),        multi_path_record(prng),  mc_member_record(prng),
          inform_info(prng),        inform_info_record(prng)};
}

}  // namespace heddle::mad
