// SPDX-License-Identifier: BSD-3-Clause
// The words that the sentences of events are made of. Only for those files.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/names.hpp"
#include "sm/events.hpp"

namespace heddle::sm::rendering {

using Fields = std::vector<std::pair<std::string_view, std::string>>;

inline std::string guid_text(mad::Guid guid) {
  return base::hex(guid.value);
}

// A node as a person calls it; its GUID only when it has no name.
inline std::string short_name(const NodeName& node) {
  return node.description.empty() ? guid_text(node.guid) : node.description;
}

inline std::string full_name(const NodeName& node) {
  if (node.description.empty()) return fmt::format("node {}", guid_text(node.guid));
  return fmt::format("{} ({})", node.description, guid_text(node.guid));
}

inline std::string short_name(const PortName& port) {
  return fmt::format("{}/{}", short_name(port.node), port.port.value);
}

inline std::string full_name(const PortName& port) {
  return fmt::format("{} port {}", full_name(port.node), port.port.value);
}

inline std::string_view node_type_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ChannelAdapter:
      return "channel adapter";
    case mad::NodeType::Switch:
      return "switch";
    case mad::NodeType::Router:
      return "router";
  }
  return "unknown node";
}

inline std::string_view state_name(mad::SMState state) {
  switch (state) {
    case mad::SMState::NotActive:
      return "not active";
    case mad::SMState::Discovering:
      return "discovering";
    case mad::SMState::Standby:
      return "standby";
    case mad::SMState::Master:
      return "master";
  }
  return "unknown";
}

inline std::string attribute_name(mad::AttributeId id) {
  const std::string_view name = mad::name_of(id);
  if (!name.empty()) return std::string(name);
  return fmt::format("attribute {}", base::hex(static_cast<std::uint16_t>(id), 4));
}

// What the status says, as far as the common bits go (IBA vol. 1, 13.4.7).
inline std::string_view status_meaning(mad::Status status) {
  switch (status.value & 0x1F) {
    case 0x01:
      return "busy";
    case 0x02:
      return "redirected";
    case 0x04:
      return "bad version";
    case 0x08:
      return "method not supported";
    case 0x0C:
      return "method and attribute not supported";
    case 0x1C:
      return "invalid field";
    default:
      return "refused";
  }
}

inline std::string seconds(base::Duration duration) {
  return fmt::format("{:.3f}",
                     std::chrono::duration_cast<std::chrono::duration<double>>(duration).count());
}

inline std::string yes_no(bool value) {
  return value ? "true" : "false";
}

template <class Number>
inline std::string number(Number value) {
  return fmt::format("{}", value);
}

void add(Fields& out, std::string_view name, std::string_view guid_name, const NodeName& node) {
  out.emplace_back(name, node.description);
  out.emplace_back(guid_name, guid_text(node.guid));
}

Fields node_fields(const NodeName& node) {
  Fields out;
  add(out, "node", "guid", node);
  return out;
}

// Both ends of a link or cable.
Fields pair_fields(const PortName& a, const PortName& b) {
  return {{"a", short_name(a)},
          {"a_guid", guid_text(a.node.guid)},
          {"b", short_name(b)},
          {"b_guid", guid_text(b.node.guid)}};
}

// Name, severity, sentence and fields of one event, side by side: to add an event is to add one
// such struct.
template <class T>
struct Rendering;

}  // namespace heddle::sm::rendering
