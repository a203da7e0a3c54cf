// SPDX-License-Identifier: BSD-3-Clause
// Whatever stands in a file that routing reads: it is refused with its name, or gives tables in
// which everybody reaches everybody where the file cannot decide otherwise. The first byte says
// which file it is.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "fabric/verification.hpp"
#include "routing/engine.hpp"
#include "routing/option_files.hpp"
#include "tests/support/topologies.hpp"

namespace {

using namespace heddle;

// Port 0 of a switch and port 1 of a host have the node's GUID, so that files can name them.
fabric::Topology with_port_guids(const support::Recipe& recipe) {
  fabric::TopologyBuilder builder;
  for (const auto& node : recipe.nodes) {
    builder.add_node(node);
    const std::uint8_t port = node.type == mad::NodeType::Switch ? 0 : 1;
    builder.set_port_guid({node.guid, mad::PortNumber{port}}, node.guid);
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  return std::move(builder).build().value();
}

struct Stage {
  explicit Stage(const support::Recipe& recipe)
      : topology(with_port_guids(recipe)), lids(support::number_lids(topology, 1)) {}

  base::Result<routing::Routes> route(const char* engine, const routing::Options& options) const {
    return routing::find_engine(engine)->route(
        {topology, lids, options, base::inline_for, /*data_vls=*/4});
  }
  fabric::Verification prove(const routing::Routes& routes) const {
    return fabric::verify(topology, lids, routes.tables, routes.lanes);
  }

  fabric::Topology topology;
  fabric::LidMap lids;
};

template <class Value>
bool taken(const base::Result<Value>& parsed) {
  if (parsed.has_error()) HEDDLE_CHECK(parsed.error().message.starts_with("fuzz:"));
  return !parsed.has_error();
}

void reaches_all(const Stage& stage, const char* engine, const routing::Options& options) {
  const auto routes = stage.route(engine, options);
  HEDDLE_CHECK(routes.has_value() && stage.prove(*routes).reaches_all());
}

void try_dump(const Stage& stage, std::string text, bool is_matrix) {
  routing::Options options;
  auto file =
      std::make_shared<const routing::TableFile>(routing::TableFile{"fuzz", std::move(text)});
  (is_matrix ? options.lid_matrix : options.tables) = std::move(file);
  const auto routes = stage.route("file", options);
  if (!taken(routes)) return;
  const auto proof = stage.prove(*routes);
  // Hop counts are only taken where they come nearer; forwarding tables may say anything.
  HEDDLE_CHECK(!is_matrix || proof.reaches_all());
}

void try_torus(std::string_view text) {
  static const Stage torus(support::torus({3, 3, 3}, 1));
  auto parsed = routing::parse_torus_file(text, "fuzz");
  if (!taken(parsed)) return;
  routing::Options options;
  options.torus = std::move(*parsed);
  const auto routes = torus.route("torus-2QoS", options);
  if (routes) torus.prove(*routes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Stage stage(support::xgft({2, 3}, {1, 2}));
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  routing::Options options;
  switch (bytes[0] % 7) {
    case 0:
      try_dump(stage, text, false);
      break;
    case 1:
      try_dump(stage, text, true);
      break;
    case 2:
      try_torus(text);
      break;
    case 3:
      if (auto guids = routing::parse_guid_list(text, "fuzz"); taken(guids)) {
        options.root_guids = options.routing_order = options.io_guids = std::move(*guids);
        for (const char* engine : {"updn", "minhop"}) reaches_all(stage, engine, options);
        if (const auto routes = stage.route("ftree", options)) {
          HEDDLE_CHECK(stage.prove(*routes).proven());
        }
      }
      break;
    case 4:
      if (auto weights = routing::parse_hop_weights(text, "fuzz"); taken(weights)) {
        options.hop_weights = std::move(*weights);
        reaches_all(stage, "minhop", options);
      }
      break;
    case 5:
      if (auto ports = routing::parse_switch_ports(text, "fuzz"); taken(ports)) {
        options.uncounted_ports = std::move(*ports);
        reaches_all(stage, "dnup", options);
      }
      break;
    case 6:
      if (auto ids = routing::parse_switch_ids(text, "fuzz"); taken(ids)) {
        options.switch_ids = std::move(*ids);
        reaches_all(stage, "updn", options);
      }
      break;
  }
  return 0;
}
