// SPDX-License-Identifier: BSD-3-Clause
#include "sa/registry.hpp"

#include <array>
#include <cstddef>

namespace heddle::sa {
namespace {

using mad::SAAttributeId;

constexpr std::array kEntries{
    Entry{SAAttributeId::ClassPortInfo, kGet, find_class_port_info},
    Entry{SAAttributeId::InformInfo, kSet, nullptr, set_inform_info},
    Entry{SAAttributeId::NodeRecord, kReads, find_node_records},
    Entry{SAAttributeId::PortInfoRecord, kReads, find_port_info_records},
    Entry{SAAttributeId::SLtoVLMappingTableRecord, kReads, nullptr, find_sl_to_vl_mapping_records},
    Entry{SAAttributeId::SwitchInfoRecord, kReads, find_switch_info_records},
    Entry{SAAttributeId::LinearForwardingTableRecord, kReads, find_linear_forwarding_table_records},
    Entry{SAAttributeId::MulticastForwardingTableRecord, kReads, nullptr,
          find_multicast_forwarding_table_records},
    Entry{SAAttributeId::SMInfoRecord, kReads, find_sm_info_records},
    Entry{SAAttributeId::LinkRecord, kReads, find_link_records},
    Entry{SAAttributeId::GUIDInfoRecord, kAllMethods, find_guid_info_records,
          handle_guid_info_records},
    Entry{SAAttributeId::ServiceRecord, kAllMethods, nullptr, handle_service_records},
    Entry{SAAttributeId::PKeyTableRecord, kReads, find_p_key_table_records},
    Entry{SAAttributeId::PathRecord, kReads, find_path_records, handle_path_records},
    Entry{SAAttributeId::VLArbitrationTableRecord, kReads, nullptr, find_vl_arbitration_records},
    Entry{SAAttributeId::MCMemberRecord, kAllMethods, nullptr, handle_mc_member_records},
    Entry{SAAttributeId::TraceRecord, kGetTraceTable, find_trace_records},
    Entry{SAAttributeId::MultiPathRecord, kGetMulti, find_multi_path_records, nullptr,
          SAAttributeId::PathRecord},
    Entry{SAAttributeId::InformInfoRecord, kReads, nullptr, find_inform_info_records},
};

// Where in the table an attribute is, by its number; kEntries.size() if it is not answered. All
// numbers of the class fit a byte (IBA vol. 1, table 188).
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 256> places{};
  places.fill(static_cast<std::uint8_t>(kEntries.size()));
  for (std::size_t place = 0; place < kEntries.size(); ++place) {
    places[static_cast<std::uint16_t>(kEntries[place].id)] = static_cast<std::uint8_t>(place);
  }
  return places;
}();

}  // namespace

std::uint8_t bit_of(mad::Method method) {
  switch (method) {
    case mad::Method::Get:
      return kGet;
    case mad::Method::GetTable:
      return kGetTable;
    case mad::Method::Set:
      return kSet;
    case mad::Method::Delete:
      return kDelete;
    case mad::Method::GetMulti:
      return kGetMulti;
    case mad::Method::GetTraceTable:
      return kGetTraceTable;
    default:
      return 0;
  }
}

const Entry* find_entry(std::uint16_t attribute_id) {
  if (attribute_id >= kPlaces.size()) return nullptr;
  const std::size_t place = kPlaces[attribute_id];
  return place < kEntries.size() ? &kEntries[place] : nullptr;
}

}  // namespace heddle::sa
