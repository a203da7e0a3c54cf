// SPDX-License-Identifier: BSD-3-Clause
#include "app/given_names.hpp"

#include <utility>
#include <variant>

namespace heddle::app {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;

void rename(const NodeNames& names, sm::NodeName& node) {
  if (const std::string* name = names.find(node.guid)) node.description = *name;
}

void rename(const NodeNames& names, sm::PortName& port) {
  rename(names, port.node);
}

// What else events have under the same words: LIDs, GUIDs.
template <class Other>
void rename(const NodeNames&, const Other&) {}

template <class Told>
void rename_in(const NodeNames& names, Told& told) {
  if constexpr (requires { told.node; }) rename(names, told.node);
  if constexpr (requires { told.port; }) rename(names, told.port);
  if constexpr (requires { told.a; }) rename(names, told.a);
  if constexpr (requires { told.b; }) rename(names, told.b);
  if constexpr (requires { told.first; }) rename(names, told.first);
  if constexpr (requires { told.second; }) rename(names, told.second);
  if constexpr (requires { told.behind; }) rename(names, told.behind);
  if constexpr (requires { told.top; }) {
    for (auto& talker : told.top) rename(names, talker.node);
  }
}

bool names_anybody(const NodeNames& names, const fabric::Topology& topology) {
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    const fabric::Node& node = topology.node(NodeIndex{i});
    const std::string* name = names.find(node.guid);
    if (name != nullptr && *name != node.description) return true;
  }
  return false;
}

// The same in all but names, indices included.
base::Result<fabric::Topology> topology_with(const NodeNames& names, const fabric::Topology& old) {
  fabric::TopologyBuilder builder;
  for (std::uint32_t i = 0; i < old.node_count(); ++i) {
    fabric::Node node = old.node(NodeIndex{i});
    if (const std::string* name = names.find(node.guid)) node.description = *name;
    builder.add_node(std::move(node));
  }
  const auto end = [&old](PortIndex port) {
    return fabric::TopologyBuilder::End{old.node(old.node_of(port)).guid, old.number_of(port)};
  };
  for (std::uint32_t i = 0; i < old.port_count(); ++i) {
    const PortIndex index{i};
    const fabric::Port& port = old.port(index);
    if (port.guid != mad::Guid{}) builder.set_port_guid(end(index), port.guid);
    if (port.peer == fabric::kNoPort || port.peer.value < i) continue;
    builder.add_link(end(index), end(port.peer), port.slowness);
  }
  return std::move(builder).build();
}

constexpr KeptFileWords kWords{
    .what = "names of nodes",
    .refused = "NodeNamesRefused",
    .kept = "NodeNamesKept",
    .as_before = "Nodes are called as before",
    .until_right = "Until the file is right, nodes are called as they call themselves",
};

}  // namespace

void rename_nodes(const NodeNames& names, sm::Event& event) {
  std::visit([&](auto& told) { rename_in(names, told); }, event.value);
}

std::shared_ptr<const sm::Snapshot> with_names(const NodeNames& names,
                                               std::shared_ptr<const sm::Snapshot> snapshot) {
  if (!names_anybody(names, snapshot->topology)) return snapshot;
  auto topology = topology_with(names, snapshot->topology);
  if (!topology) return snapshot;
  auto renamed = std::make_shared<sm::Snapshot>(*snapshot);
  renamed->topology = std::move(*topology);
  return renamed;
}

std::shared_ptr<const NodeNames> NodeNamesFile::read(const config::Config& config, Log& log) {
  return file_.read(config.node_name_map, kWords, log, NodeNames::parse);
}

}  // namespace heddle::app
