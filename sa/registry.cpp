// SPDX-License-Identifier: BSD-3-Clause
#include "sa/registry.hpp"

#include <algorithm>
#include <array>

namespace heddle::sa {
namespace {

using mad::SAAttributeId;

constexpr std::array kEntries{
    Entry{SAAttributeId::ClassPortInfo, false, find_class_port_info},
    Entry{SAAttributeId::NodeRecord, true, find_node_records},
    Entry{SAAttributeId::PortInfoRecord, true, find_port_info_records},
    Entry{SAAttributeId::SwitchInfoRecord, true, find_switch_info_records},
    Entry{SAAttributeId::LinearForwardingTableRecord, true, find_linear_forwarding_table_records},
    Entry{SAAttributeId::SMInfoRecord, true, find_sm_info_records},
    Entry{SAAttributeId::LinkRecord, true, find_link_records},
    Entry{SAAttributeId::GUIDInfoRecord, true, find_guid_info_records},
    Entry{SAAttributeId::PathRecord, true, find_path_records},
};

}  // namespace

const Entry* find_entry(std::uint16_t attribute_id) {
  const auto found = std::find_if(kEntries.begin(), kEntries.end(), [=](const Entry& entry) {
    return static_cast<std::uint16_t>(entry.id) == attribute_id;
  });
  return found == kEntries.end() ? nullptr : found;
}

}  // namespace heddle::sa
