// SPDX-License-Identifier: BSD-3-Clause
#include "tests/multicast/stage.hpp"

#include "base/check.hpp"

namespace heddle::multicast::testing {

mad::Guid stage_guid(mad::Guid node, unsigned port) {
  return mad::Guid{node.value << 8 | port};
}

std::shared_ptr<const fabric::Topology> staged(
    const support::Recipe& recipe, std::uint16_t cap,
    const std::function<bool(const fabric::Node&)>& without) {
  fabric::TopologyBuilder builder;
  for (fabric::Node node : recipe.nodes) {
    const bool is_switch = node.type == mad::NodeType::Switch;
    if (is_switch && !(without && without(node))) node.multicast_fdb_cap = cap;
    for (unsigned port = is_switch ? 0 : 1; port <= node.port_count; ++port) {
      builder.set_port_guid({node.guid, mad::PortNumber{static_cast<std::uint8_t>(port)}},
                            stage_guid(node.guid, is_switch ? 0 : port));
    }
    builder.add_node(std::move(node));
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  auto built = std::move(builder).build();
  HEDDLE_CHECK(built.has_value());
  return std::make_shared<const fabric::Topology>(std::move(*built));
}

std::vector<mad::Guid> stage_ports(const fabric::Topology& topology, bool switches) {
  std::vector<mad::Guid> ports;
  for (const fabric::PortIndex endport : topology.endports()) {
    const bool own = topology.is_switch(topology.node_of(endport));
    if (own && !switches) continue;
    if (topology.attachment(endport)) ports.push_back(topology.port(endport).guid);
  }
  return ports;
}

mad::Gid gid(std::uint64_t guid) {
  return {mad::kDefaultGidPrefix, mad::Guid{guid}};
}

mad::Gid plain_mgid(std::uint64_t number) {
  return {mad::GidPrefix{0xff12'a0ff'0000'0000}, mad::Guid{number}};
}

Request request(const mad::Gid& mgid, std::uint64_t guid, std::uint8_t join_state) {
  Request asked;
  asked.wanted.mgid = mgid;
  asked.wanted.port_gid = gid(guid);
  asked.wanted.q_key = 0x1234;
  asked.wanted.p_key = mad::PKey{0xFFFF};
  asked.wanted.join_state = join_state;
  asked.mask = kCreateMask;
  asked.port.port = mad::Guid{guid};
  asked.port.rate = *mad::rate_rank_of_code(16);
  return asked;
}

}  // namespace heddle::multicast::testing
