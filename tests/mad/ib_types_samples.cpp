// SPDX-License-Identifier: BSD-3-Clause
// Samples laid out by the packed structs of OpenSM's ib_types.h (Debian's libopensm-dev): an
// independent declaration of what libibmad has no fields for.
#include "tests/mad/ib_types_filler.hpp"

namespace heddle::mad {

namespace {

using DataDetails = decltype(ib_mad_notice_attr_t::data_details);
constexpr std::size_t kDetailBytes = sizeof(DataDetails);

Sample gid_notice(base::Prng& prng) {
  Filler fill("DataDetails64to67", prng);
  DataDetails details{};
  details.ntc_64_67.gid = fill.gid("GIDADDR");
  return fill.take(details, kDetailBytes);
}

Sample link_state_notice(base::Prng& prng) {
  Filler fill("DataDetails128", prng);
  DataDetails details{};
  details.ntc_128.sw_lid = fill.be16("LIDADDR");
  return fill.take(details, kDetailBytes);
}

Sample port_threshold_notice(base::Prng& prng) {
  Filler fill("DataDetails129to131", prng);
  DataDetails details{};
  details.ntc_129_131.lid = fill.be16("LIDADDR");
  details.ntc_129_131.port_num = fill.u8("PORTNO");
  return fill.take(details, kDetailBytes);
}

Sample local_changes_notice(base::Prng& prng) {
  Filler fill("DataDetails144", prng);
  DataDetails details{};
  auto& ntc = details.ntc_144;
  ntc.lid = fill.be16("LIDADDR");
  if (fill.note("OtherLocalChanges", 1) != 0) ntc.local_changes = TRAP_144_MASK_OTHER_LOCAL_CHANGES;
  ntc.new_cap_mask = fill.be32("CAPABILITYMASK");
  const auto flag = [&](const char* row, std::uint16_t mask) {
    if (fill.note(row, 1) != 0)
      ntc.change_flgs = static_cast<std::uint16_t>(ntc.change_flgs | mask);
  };
  flag("CapabilityMask2Change", TRAP_144_MASK_CAPABILITY_MASK2_CHANGE);
  flag("HierarchyInfoChange", TRAP_144_MASK_HIERARCHY_INFO_CHANGE);
  flag("SMPriorityChange", TRAP_144_MASK_SM_PRIORITY_CHANGE);
  flag("LinkSpeedEnabledChange", TRAP_144_MASK_LINK_SPEED_ENABLE_CHANGE);
  flag("LinkWidthEnabledChange", TRAP_144_MASK_LINK_WIDTH_ENABLE_CHANGE);
  flag("NodeDescriptionChange", TRAP_144_MASK_NODE_DESCRIPTION_CHANGE);
  ntc.cap_mask2 = fill.be16("CAPABILITYMASK2");
  return fill.take(details, kDetailBytes);
}

Sample system_image_guid_notice(base::Prng& prng) {
  Filler fill("DataDetails145", prng);
  DataDetails details{};
  details.ntc_145.lid = fill.be16("LIDADDR");
  details.ntc_145.new_sys_guid = fill.be64("SystemImageGUID");
  return fill.take(details, kDetailBytes);
}

// The byte of DRNotice, DRPathTruncated and DRHopCount has no accessors there; its whole is checked
// by the mask bits that IBA names, high to low.
Sample bad_m_key_notice(base::Prng& prng) {
  Filler fill("DataDetails256", prng);
  DataDetails details{};
  auto& ntc = details.ntc_256;
  ntc.lid = fill.be16("LIDADDR");
  ntc.dr_slid = fill.be16("DRSLID");
  ntc.method = fill.u8("METHOD");
  ntc.attr_id = fill.be16("ATTRIBUTEID");
  ntc.attr_mod = fill.be32("ATTRIBUTEMODIFIER");
  ntc.mkey = fill.be64("M_KEY");
  const unsigned notice = fill.u8("DRNotice", 1);
  const unsigned truncated = fill.u8("DRPathTruncated", 1);
  const unsigned hops = fill.u8("DRHopCount", 6);
  ntc.dr_trunc_hop = static_cast<std::uint8_t>(notice << 7 | truncated << 6 | hops);
  for (std::size_t i = 0; i < sizeof ntc.dr_rtn_path; ++i) {
    ntc.dr_rtn_path[i] = fill.u8("DRNoticeReturnPath[" + std::to_string(i) + "]");
  }
  return fill.take(details, kDetailBytes);
}

Sample bad_key_notice(base::Prng& prng) {
  Filler fill("DataDetails257to258", prng);
  DataDetails details{};
  auto& ntc = details.ntc_257_258;
  ntc.lid1 = fill.be16("LIDADDR1");
  ntc.lid2 = fill.be16("LIDADDR2");
  ntc.key = fill.be32("KEY");
  ntc.qp1 = htonl(static_cast<std::uint32_t>(fill.note("SL", 4)) << 28) | fill.be32("QP1", 24);
  ntc.qp2 = fill.be32("QP2", 24);
  ntc.gid1 = fill.gid("GIDADDR1");
  ntc.gid2 = fill.gid("GIDADDR2");
  return fill.take(details, kDetailBytes);
}

Sample switch_bad_p_key_notice(base::Prng& prng) {
  Filler fill("DataDetails259", prng);
  DataDetails details{};
  auto& ntc = details.ntc_259;
  ntc.data_valid = fill.be16("DataValid");
  ntc.lid1 = fill.be16("LIDADDR1");
  ntc.lid2 = fill.be16("LIDADDR2");
  ntc.pkey = fill.be16("PKEY");
  ntc.sl_qp1 = htonl(static_cast<std::uint32_t>(fill.note("SL", 4)) << 28) | fill.be32("QP1", 24);
  ntc.qp2 = fill.be32("QP2", 24);
  ntc.gid1 = fill.gid("GIDADDR1");
  ntc.gid2 = fill.gid("GIDADDR2");
  ntc.sw_lid = fill.be16("SWLIDADDR");
  ntc.port_no = fill.u8("PORTNO");
  return fill.take(details, kDetailBytes);
}

Sample issued_notice(base::Prng& prng) {
  Filler fill("IssuedNotice", prng);
  ib_mad_notice_attr_t notice{};
  if (fill.note("Notice.IsGeneric", 1) != 0) notice.generic_type = 0x80;
  notice.generic_type = static_cast<std::uint8_t>(notice.generic_type | fill.u8("Notice.Type", 7));
  ib_notice_set_prod_type_ho(
      &notice, static_cast<std::uint32_t>(fill.note("Notice.ProducerType/VendorID", 24)));
  notice.g_or_v.generic.trap_num = fill.be16("Notice.TrapNumber/DeviceID");
  notice.issuer_lid = fill.be16("Notice.IssuerLID");
  const auto toggle = static_cast<std::uint16_t>(fill.note("Notice.NoticeToggle", 1) << 15);
  const auto count = static_cast<std::uint16_t>(fill.note("Notice.NoticeCount", 15));
  notice.toggle_count = htons(static_cast<std::uint16_t>(toggle | count));
  for (std::size_t i = 0; i < kDetailBytes; ++i) {
    notice.data_details.raw_data.details[i] =
        fill.u8("Notice.DataDetails[" + std::to_string(i) + "]");
  }
  notice.issuer_gid = fill.gid("IssuerGID");
  return fill.take(notice);
}

Sample p_key_table(base::Prng& prng) {
  Filler fill("P_KeyTable", prng);
  ib_pkey_table_t table{};
  for (std::size_t i = 0; i < std::size(table.pkey_entry); ++i) {
    table.pkey_entry[i] = fill.be16("P_Key[" + std::to_string(i) + "]");
  }
  return fill.take(table);
}

Sample port_info_extended(base::Prng& prng) {
  Filler fill("PortInfoExtended", prng);
  ib_port_info_ext_t info{};
  info.cap_mask = fill.be32("CapabilityMask");
  info.fec_mode_active = fill.be16("FECModeActive");
  info.fdr_fec_mode_sup = fill.be16("FDRFECModeSupported");
  info.fdr_fec_mode_enable = fill.be16("FDRFECModeEnabled");
  info.edr_fec_mode_sup = fill.be16("EDRFECModeSupported");
  info.edr_fec_mode_enable = fill.be16("EDRFECModeEnabled");
  info.hdr_fec_mode_sup = fill.be16("HDRFECModeSupported");
  info.hdr_fec_mode_enable = fill.be16("HDRFECModeEnabled");
  return fill.take(info);
}

Sample sl_to_vl_table(base::Prng& prng) {
  Filler fill("SLtoVLMappingTable", prng);
  ib_slvl_table_t table{};
  for (std::uint8_t sl = 0; sl < 16; ++sl) {
    ib_slvl_table_set(&table, sl, fill.u8("SLtoVL[" + std::to_string(sl) + "]", 4));
  }
  return fill.take(table);
}

void fill_mad_header(ib_mad_t& header, Filler& fill, const std::string& prefix) {
  header.base_ver = fill.u8(prefix + "BaseVersion");
  header.mgmt_class = fill.u8(prefix + "MgmtClass");
  header.class_ver = fill.u8(prefix + "ClassVersion");
  header.method = fill.u8(prefix + "Method");
  header.status = fill.be16(prefix + "Status");
  header.class_spec = fill.be16(prefix + "ClassSpecific");
  header.trans_id = fill.be64(prefix + "TransactionID");
  header.attr_id = fill.be16(prefix + "AttributeID");
  header.attr_mod = fill.be32(prefix + "AttributeModifier");
}

Sample pm_header(base::Prng& prng) {
  Filler fill("PMHeader", prng);
  ib_perfmgt_mad_t mad{};
  fill_mad_header(mad.header, fill, "MADHeader.");
  return fill.take(mad, sizeof mad - IB_PM_DATA_SIZE);
}

Sample rmpp_header(base::Prng& prng) {
  Filler fill("RMPPHeader", prng);
  ib_rmpp_mad_t mad{};
  mad.rmpp_version = fill.u8("RMPPVersion");
  mad.rmpp_type = fill.u8("RMPPType");
  mad.rmpp_status = fill.u8("RMPPStatus");
  mad.seg_num = fill.be32("Data1");
  mad.paylen_newwin = fill.be32("Data2");
  Sample whole = fill.take(mad);
  whole.bytes.erase(whole.bytes.begin(), whole.bytes.begin() + sizeof(ib_mad_t));
  return whole;
}

Sample sa_header(base::Prng& prng) {
  Filler fill("SAHeader", prng);
  ib_sa_mad_t mad{};
  ib_mad_t common{};
  fill_mad_header(common, fill, "MADHeader.");
  std::memcpy(&mad, &common, sizeof common);
  mad.rmpp_version = fill.u8("RMPPHeader.RMPPVersion");
  mad.sm_key = fill.be64("SM_Key");
  mad.attr_offset = fill.be16("AttributeOffset");
  mad.comp_mask = fill.be64("ComponentMask");
  return fill.take(mad, IB_SA_MAD_HDR_SIZE);
}

Sample class_port_info(base::Prng& prng) {
  Filler fill("ClassPortInfo", prng);
  ib_class_port_info_t info{};
  info.base_ver = fill.u8("BaseVersion");
  info.cap_mask = fill.be16("CapabilityMask");
  ib_class_set_cap_mask2(&info, static_cast<std::uint32_t>(fill.note("CapabilityMask2", 27)));
  ib_class_set_resp_time_val(&info, fill.u8("RespTimeValue", 5));
  info.redir_gid = fill.gid("RedirectGID");
  info.redir_lid = fill.be16("RedirectLID");
  info.redir_qp = fill.be32("RedirectQP", 24);
  info.trap_gid = fill.gid("TrapGID");
  info.trap_lid = fill.be16("TrapLID");
  info.trap_qkey = fill.be32("TrapQ_Key");
  return fill.take(info);
}

Sample smp(base::Prng& prng) {
  Filler fill("SMP", prng);
  ib_smp_t mad{};
  mad.hop_ptr = fill.u8("HopPointer");
  mad.hop_count = fill.u8("HopCount");
  mad.trans_id = fill.be64("TransactionID");
  mad.m_key = fill.be64("M_Key");
  mad.dr_slid = fill.be16("DrSLID");
  mad.dr_dlid = fill.be16("DrDLID");
  for (std::size_t i = 0; i < IB_SMP_DATA_SIZE; ++i) {
    mad.data[i] = fill.u8("SMPData[" + std::to_string(i) + "]");
    mad.initial_path[i] = fill.u8("InitialPath[" + std::to_string(i) + "]");
    mad.return_path[i] = fill.u8("ReturnPath[" + std::to_string(i) + "]");
  }
  return fill.take(mad);
}

}  // namespace

std::vector<Sample> ib_types_samples(base::Prng& prng) {
  std::vector<Sample> samples{gid_notice(prng),
                              link_state_notice(prng),
                              port_threshold_notice(prng),
                              local_changes_notice(prng),
                              system_image_guid_notice(prng),
                              bad_m_key_notice(prng),
                              bad_key_notice(prng),
                              switch_bad_p_key_notice(prng),
                              issued_notice(prng),
                              p_key_table(prng),
                              sl_to_vl_table(prng),
                              pm_header(prng),
                              rmpp_header(prng),
                              sa_header(prng),
                              class_port_info(prng),
                              smp(prng),
                              port_info_extended(prng)};
  for (Sample& record : ib_types_records(prng)) samples.push_back(std::move(record));
  return samples;
}

}  // namespace heddle::mad
