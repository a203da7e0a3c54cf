// SPDX-License-Identifier: BSD-3-Clause
#include "sm/shadow.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "mad/describe.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"
#include "sm/changes.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedNode;

// What any change of the master brings along.
constexpr std::array<std::string_view, 4> kOfTheOffice{"MasterSMLID", "MasterSMSL", "M_Key",
                                                       "M_KeyLeasePeriod"};

std::string text_of(const std::vector<mad::FieldDifference>& differences) {
  std::string text;
  for (const auto& field : differences) {
    text += (text.empty() ? "" : ", ") + field.name + ' ' + field.before + " -> " + field.after;
  }
  return text;
}

bool only_of_the_office(const std::vector<mad::FieldDifference>& differences) {
  return std::all_of(differences.begin(), differences.end(), [](const auto& field) {
    return std::find(kOfTheOffice.begin(), kOfTheOffice.end(), field.name) != kOfTheOffice.end();
  });
}

// Zero there asks for no change (IBA vol. 1, 14.2.5.6).
mad::PortInfo as_it_would_be(mad::PortInfo wanted, const mad::PortInfo& is) {
  if (wanted.port_state == mad::PortState::NoChange) wanted.port_state = is.port_state;
  if (wanted.port_physical_state == mad::PortPhysicalState::NoChange) {
    wanted.port_physical_state = is.port_physical_state;
  }
  if (wanted.link_down_default_state == 0) {
    wanted.link_down_default_state = is.link_down_default_state;
  }
  if (wanted.link_speed_enabled == 0) wanted.link_speed_enabled = is.link_speed_enabled;
  if (wanted.link_width_enabled == 0) wanted.link_width_enabled = is.link_width_enabled;
  wanted.client_reregister = false;
  return wanted;
}

std::string entries_text(const ObservedNode& node, const mad::Smp& set) {
  const std::size_t block = set.attribute_modifier;
  if (!node.table.known(block)) return "a block that is not known";
  const auto held = node.table.block(block);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    changed += held[i] != std::to_integer<std::uint8_t>(set.data[i]);
  }
  return std::to_string(changed) + " of " + std::to_string(held.size()) + " entries";
}

// Fills in what the change is, and gives the data that the device would answer with.
mad::SmpData answer_of(const ObservedNode& node, const mad::Smp& set, WouldWrite& change) {
  mad::SmpData data = set.data;
  const auto bytes = std::span<std::byte, mad::kSmpDataBytes>(data);
  const std::size_t port = set.attribute_modifier & 0xFFu;
  if (set.attribute_id == mad::AttributeId::PortInfo && port < node.ports.size() &&
      node.ports[port].info) {
    const auto& is = *node.ports[port].info;
    auto will_be = as_it_would_be(mad::decode<mad::PortInfo>(set.data), is);
    if (node.is_switch() && port != 0) will_be.m_key = is.m_key;  // it has none
    const auto differences = mad::differences(is, will_be);
    change.change = text_of(differences);
    change.of_the_office = only_of_the_office(differences);
    mad::encode(will_be, bytes);
  } else if (set.attribute_id == mad::AttributeId::SwitchInfo && node.switch_info) {
    auto will_be = mad::decode<mad::SwitchInfo>(set.data);
    will_be.port_state_change = false;  // a one there clears it
    change.change = text_of(mad::differences(*node.switch_info, will_be));
    mad::encode(will_be, bytes);
  } else if (set.attribute_id == mad::AttributeId::LinearForwardingTable) {
    change.change = entries_text(node, set);
  }
  return data;
}

}  // namespace

WouldWrite Shadow::note(const Picture& picture, const mad::Smp& set) {
  WouldWrite change{{}, set.attribute_id, set.attribute_modifier, {}, false};
  mad::Smp answer = set;
  answer.method = mad::Method::GetResp;
  answer.status = mad::kStatusOk;
  const auto node = end_of_way(picture, {set.initial_path, set.hop_count});
  if (node) {
    change.node = picture.name(*node);
    answer.data = answer_of(picture.observation[*node], set, change);
  }
  ++report_.writes[set.attribute_id];
  report_.of_the_office += change.of_the_office ? 1u : 0u;
  answers_.push_back(std::move(answer));
  return change;
}

}  // namespace heddle::sm
