// SPDX-License-Identifier: BSD-3-Clause
// Prints who holds which P_Keys by a partitions.conf, and its groups:
//   partition_memberships FABRIC FILE SELF-GUID [qos] [allow_both_pkeys]
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "partitions/gid_text.hpp"
#include "partitions/language.hpp"
#include "partitions/memberships.hpp"
#include "sim/blueprint.hpp"

namespace {

using namespace heddle;

mad::Guid port_guid(const sim::PlannedNode& node, std::uint8_t port) {
  if (node.type == mad::NodeType::Switch) return node.guid;
  const bool given = port < node.ports.size() && node.ports[port].guid.value != 0;
  return given ? node.ports[port].guid : mad::Guid{node.guid.value + port};
}

base::Result<fabric::Topology> topology_of(const sim::Blueprint& plan) {
  fabric::TopologyBuilder builder;
  for (const sim::PlannedNode& planned : plan.nodes) {
    fabric::Node node;
    node.guid = planned.guid;
    node.type = planned.type;
    node.port_count = planned.port_count;
    builder.add_node(node);
    for (std::uint8_t port = 0; port <= planned.port_count; ++port) {
      builder.set_port_guid({planned.guid, mad::PortNumber{port}}, port_guid(planned, port));
    }
  }
  const auto end = [&](const sim::PlannedEnd& planned) {
    return fabric::TopologyBuilder::End{plan.nodes[planned.node].guid,
                                        mad::PortNumber{planned.port}};
  };
  for (const sim::PlannedCable& cable : plan.cables) builder.add_link(end(cable.a), end(cable.b));
  return std::move(builder).build();
}

int fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return EXIT_FAILURE;
}

void print(const partitions::Memberships& memberships, const fabric::Topology& topology) {
  for (const fabric::PortIndex port : topology.endports()) {
    fmt::print("port {}", base::hex(topology.port(port).guid.value));
    for (const mad::PKey key : memberships.of(port)) fmt::print(" {:#06x}", key.value);
    fmt::print("\n");
  }
  for (const partitions::Partition& partition : memberships.policy().partitions) {
    for (const partitions::GroupSpec& group : partition.groups) {
      fmt::print("group {} {} {} {:#06x} {}\n", partitions::gid_text(group.mgid),
                 static_cast<unsigned>(group.mtu), group.rate, group.p_key.value, group.sl.value);
    }
  }
}

fabric::PortIndex port_with(const fabric::Topology& topology, std::uint64_t guid) {
  for (const fabric::PortIndex port : topology.endports()) {
    if (topology.port(port).guid.value == guid) return port;
  }
  return fabric::kNoPort;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (words.size() < 4) return fail("partition_memberships FABRIC FILE SELF-GUID [OPTION ...]");
  const auto plan = sim::load_fabric(words[1]);
  if (!plan) return fail(plan.error().message);
  const auto topology = topology_of(*plan);
  if (!topology) return fail(topology.error().message);
  std::ifstream file(words[2], std::ios::binary);
  if (!file) return fail(fmt::format("{}: cannot be read", words[2]));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  partitions::LanguageOptions options;
  for (const std::string_view word : words.subspan(4)) {
    if (word == "qos") options.qos = true;
    if (word == "allow_both_pkeys") options.allow_both_pkeys = true;
  }
  auto parsed = partitions::parse(text, words[2], options);
  if (!parsed) return fail(parsed.error().message);
  for (const std::string& warning : parsed->warnings) fmt::print(stderr, "{}\n", warning);
  const fabric::PortIndex self = port_with(*topology, base::parse_hex(words[3]).value_or(0));
  if (self == fabric::kNoPort) return fail("nobody is the subnet manager");
  print({std::move(parsed->policy), *topology, self}, *topology);
  return EXIT_SUCCESS;
}
