// SPDX-License-Identifier: BSD-3-Clause
#include "api/lookup.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

base::Error nobody(const sm::Snapshot& fabric, std::string_view word) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < fabric.topology.node_count(); ++i) {
    names.push_back(fabric.topology.node(NodeIndex{i}).description);
  }
  const auto like = base::closest(word, names);
  return base::error(fmt::format("there is no '{}' in the fabric{}", base::printable(word),
                                 like ? fmt::format("; is it '{}'?", *like) : ""));
}

std::optional<mad::Guid> guid_of(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  const auto number = base::parse_hex(word);
  return number ? std::optional(mad::Guid{*number}) : std::nullopt;
}

// By their whole descriptions, or by the first words.
std::vector<NodeIndex> nodes_called(const sm::Snapshot& fabric, std::string_view word, bool whole) {
  std::vector<NodeIndex> found;
  for (std::uint32_t i = 0; i < fabric.topology.node_count(); ++i) {
    const std::string_view description = fabric.topology.node(NodeIndex{i}).description;
    const std::string_view name =
        whole ? description : description.substr(0, description.find(' '));
    if (name == word) found.push_back(NodeIndex{i});
  }
  return found;
}

std::optional<PortIndex> port_by_guid(const sm::Snapshot& fabric, mad::Guid guid) {
  for (const PortIndex port : fabric.topology.endports()) {
    if (fabric.topology.port(port).guid == guid) return port;
  }
  return std::nullopt;
}

base::Result<PortIndex> endport_of(const sm::Snapshot& fabric, NodeIndex node) {
  const auto& topology = fabric.topology;
  if (topology.is_switch(node)) return topology.port_of(node, mad::PortNumber{0});
  for (unsigned number = 1; number <= topology.node(node).port_count; ++number) {
    const auto port = topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(number)});
    if (lid_of(fabric, port) != mad::kNoLid) return port;
  }
  return base::error(
      fmt::format("no port of '{}' has a LID: its links are down, or an order took them out",
                  topology.node(node).description));
}

base::Result<PortIndex> numbered_port(const sm::Snapshot& fabric, NodeIndex node,
                                      std::string_view number) {
  const auto& topology = fabric.topology;
  const unsigned most = topology.node(node).port_count;
  const auto port = base::parse_number(number, most);
  if (!port) {
    return base::error(fmt::format("'{}' has ports up to {}, not '{}'",
                                   topology.node(node).description, most, base::printable(number)));
  }
  if (topology.is_switch(node)) return topology.port_of(node, mad::PortNumber{0});
  return topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(*port)});
}

}  // namespace

const sa::VirtualPort* find_guest(const sm::Snapshot& fabric, std::string_view word) {
  if (fabric.view == nullptr) return nullptr;
  if (const auto guid = guid_of(word)) return fabric.view->guest(*guid);
  const auto lid = base::parse_number(word, mad::kLastUnicastLid.value);
  return lid ? fabric.view->guest(mad::Lid{static_cast<std::uint16_t>(*lid)}) : nullptr;
}

mad::Lid lid_of(const sm::Snapshot& fabric, PortIndex port) {
  if (fabric.lids.top() == mad::kNoLid) return mad::kNoLid;
  const auto node = fabric.topology.node_of(port);
  const bool of_switch = fabric.topology.is_switch(node);
  return fabric.lids.base(of_switch ? fabric.topology.port_of(node, mad::PortNumber{0}) : port);
}

base::Result<NodeIndex> find_node(const sm::Snapshot& fabric, std::string_view word) {
  if (const auto guid = guid_of(word)) {
    const auto node = fabric.topology.find_node(*guid);
    if (node) return *node;
  }
  for (const bool whole : {true, false}) {
    const auto called = nodes_called(fabric, word, whole);
    if (called.size() == 1) return called.front();
    if (called.size() > 1) {
      return base::error(fmt::format("{} nodes are called '{}', one of them '{}' ({})",
                                     called.size(), base::printable(word),
                                     fabric.topology.node(called.front()).description,
                                     base::hex(fabric.topology.node(called.front()).guid.value)));
    }
  }
  return nobody(fabric, word);
}

base::Result<PortIndex> find_endport(const sm::Snapshot& fabric, std::string_view word) {
  if (const auto lid = base::parse_number(word, mad::kLastUnicastLid.value);
      lid && !word.starts_with("0x")) {
    const auto owner = fabric.lids.owner(mad::Lid{static_cast<std::uint16_t>(*lid)});
    if (owner != fabric::kNoPort) return owner;
    return base::error(fmt::format("nobody has LID {}", *lid));
  }
  if (const auto guid = guid_of(word)) {
    if (const auto port = port_by_guid(fabric, *guid)) return *port;
    if (const auto* guest = find_guest(fabric, word)) return guest->host;
  }
  const auto node = find_node(fabric, word);
  if (node) return endport_of(fabric, *node);
  const std::size_t slash = word.rfind('/');
  if (slash == word.npos) return node.error();
  const auto named = find_node(fabric, word.substr(0, slash));
  if (named.has_error()) return named.error();
  return numbered_port(fabric, *named, word.substr(slash + 1));
}

}  // namespace heddle::api
