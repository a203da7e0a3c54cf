// SPDX-License-Identifier: BSD-3-Clause
// Whatever a user calls a partitions file: it is refused with a sentence, or what was understood
// reads back as the same, gives every port its keys, and fits the tables.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "partitions/language.hpp"
#include "partitions/memberships.hpp"
#include "partitions/tables.hpp"

namespace {

using namespace heddle;

fabric::Topology two_hosts_and_a_switch() {
  fabric::TopologyBuilder builder;
  for (std::uint64_t guid = 1; guid <= 3; ++guid) {
    fabric::Node node;
    node.guid = mad::Guid{guid};
    node.type = guid == 1 ? mad::NodeType::Switch : mad::NodeType::ChannelAdapter;
    node.port_count = 2;
    builder.add_node(node);
    builder.set_port_guid(
        {node.guid, mad::PortNumber{guid == 1 ? std::uint8_t{0} : std::uint8_t{1}}}, node.guid);
  }
  for (std::uint8_t port = 1; port <= 2; ++port) {
    builder.add_link({mad::Guid{1}, mad::PortNumber{port}},
                     {mad::Guid{port + 1u}, mad::PortNumber{1}});
  }
  return std::move(builder).build().value();
}

void check_tables(const partitions::Memberships& memberships, const fabric::Topology& topology) {
  for (const fabric::PortIndex port : topology.endports()) {
    const auto keys = memberships.of(port);
    HEDDLE_CHECK(!keys.empty());
    partitions::HeldTable held{8, {mad::PKeyTable{}}};
    const auto plan = partitions::plan_table(held, keys);
    HEDDLE_CHECK(plan.left_out.size() + 8 >= keys.size());
    HEDDLE_CHECK(plan.blocks.at(0).p_keys[0] == keys.front());
    held.blocks[0] = plan.blocks[0];
    HEDDLE_CHECK(partitions::plan_table(held, keys).to_write.empty());
    for (const fabric::PortIndex other : topology.endports()) {
      HEDDLE_CHECK(memberships.may_talk(port, other) == memberships.may_talk(other, port));
      HEDDLE_CHECK(memberships.may_talk(port, other) ==
                   memberships.best_common_key(port, other).has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const fabric::Topology topology = two_hosts_and_a_switch();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const partitions::LanguageOptions options{.allow_both_pkeys = true, .qos = true};
  auto parsed = partitions::parse(text, "fuzz", options);
  if (!parsed) {
    HEDDLE_CHECK(parsed.error().message.starts_with("fuzz:"));
    return 0;
  }
  HEDDLE_CHECK(parsed->policy.partitions.at(0).key == partitions::kDefaultBaseKey);
  const auto again = partitions::parse(partitions::to_text(parsed->policy), "again", options);
  HEDDLE_CHECK(again && again->policy == parsed->policy);
  check_tables({std::move(parsed->policy), topology, topology.endports().back()}, topology);
  return 0;
}
