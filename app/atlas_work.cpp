// SPDX-License-Identifier: BSD-3-Clause
#include "app/atlas_work.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/counters.hpp"
#include "api/lookup.hpp"
#include "api/path.hpp"
#include "api/rows.hpp"
#include "app/planned_fabric.hpp"
#include "app/report_cables.hpp"
#include "app/snapshot_blueprint.hpp"
#include "base/text.hpp"
#include "plan/base64.hpp"
#include "plan/loads.hpp"
#include "plan/loss.hpp"
#include "plan/report.hpp"
#include "plan/what_if.hpp"
#include "routing/home.hpp"
#include "routing/quality.hpp"

namespace heddle::app {
namespace {

using api::Json;
using fabric::NodeIndex;
using fabric::PortIndex;

// FNV-1a.
class Hash {
 public:
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(number >> shift & 0xFF);
  }
  void add(const std::string& text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0x100);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

// 2: both ends ACTIVE; 1: there is a link; 0: PortInfo says that there is none.
std::uint8_t state_of(const sm::Snapshot& fabric, PortIndex port) {
  const PortIndex peer = fabric.topology.peer(port);
  if (peer == fabric::kNoPort) return 0;
  const auto least = std::min(fabric.registers->ports[port.value].port_state,
                              fabric.registers->ports[peer.value].port_state);
  if (least == mad::PortState::Active) return 2;
  return least > mad::PortState::Down ? 1 : 0;
}

std::uint32_t narrow(std::uint64_t load) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(load, kMost));
}

// The fabric after a loss as a picture that paths are found in: nobody administers it.
struct Aftermath {
  sm::Snapshot fabric;
  std::string error;  // why it cannot be routed
};

Aftermath after(const SharedSnapshot& before, const routing::Policy& policy,
                const plan::Loss& loss) {
  plan::Left left = plan::without(before->topology, before->lids, loss);
  const routing::Home home{{before, &before->topology},
                           {before, &before->lids},
                           policy,
                           before->routes,
                           /*found=*/false};
  Aftermath aftermath;
  aftermath.fabric.topology = std::move(left.topology);
  aftermath.fabric.lids = std::move(left.lids);
  aftermath.fabric.registers = std::make_shared<const fabric::Registers>(
      fabric::Registers::room_for(aftermath.fabric.topology));
  auto selected = routing::select_near_home(aftermath.fabric.topology, aftermath.fabric.lids,
                                            policy, before->routes ? &home : nullptr);
  if (selected.has_error()) {
    aftermath.error = selected.error().message;
  } else {
    aftermath.fabric.routes = std::move(*selected);
  }
  return aftermath;
}

// How packets of two endports of the fabric as it is would go after the loss; null if one of them
// is lost.
Json path_after(const sm::Snapshot& before, const sm::Snapshot& left,
                const api::LossQuestion& question) {
  const auto same_port = [&](const std::string& word) -> std::optional<PortIndex> {
    const auto port = api::find_endport(before, word);
    if (port.has_error()) return std::nullopt;
    const auto node =
        left.topology.find_node(before.topology.node(before.topology.node_of(*port)).guid);
    if (!node) return std::nullopt;
    const PortIndex found = left.topology.port_of(*node, before.topology.number_of(*port));
    if (left.topology.peer(found) == fabric::kNoPort) return std::nullopt;
    return found;
  };
  const auto from = same_port(question.from), to = same_port(question.to);
  if (!from || !to) return nullptr;
  const api::Path path = api::find_path(left, *from, *to, left.lids.base(*to));
  Json hops = Json::array();
  for (const api::Hop& hop : path.hops) {
    const PortIndex peer = left.topology.peer(hop.out);
    hops.push_back(
        {{"out", api::end_row(left.topology, hop.out)},
         {"in", peer == fabric::kNoPort ? Json(nullptr) : api::end_row(left.topology, peer)}});
  }
  return {{"arrives", path.trouble.empty()},
          {"trouble", path.trouble.empty() ? Json(nullptr) : Json(path.trouble)},
          {"hops", std::move(hops)}};
}

double greatest_load(const sm::Snapshot& fabric, const fabric::ForwardingTables& tables) {
  const auto measured = routing::measure_quality(fabric.topology, fabric.lids, tables);
  return static_cast<double>(measured.greatest_load) /
         plan::host_load(fabric.topology, fabric.lids);
}

}  // namespace

std::string shape_of(const sm::Snapshot& fabric) {
  const fabric::Topology& topology = fabric.topology;
  Hash hash;
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    const fabric::Node& node = topology.node(NodeIndex{i});
    hash.add(node.guid.value);
    hash.add(node.port_count);
    hash.add(node.description);
  }
  for (std::uint32_t i = 0; i < topology.port_count(); ++i) {
    const PortIndex port{i};
    hash.add(topology.peer(port).value);
    hash.add(fabric.lids.top() == mad::kNoLid ? 0u : fabric.lids.base(port).value);
  }
  return fmt::format("{:016x}", hash.value());
}

std::shared_ptr<const fabric::ForwardingTables> tables_of(const sm::Snapshot& fabric) {
  if (fabric.view != nullptr && fabric.view->subnet().tables != nullptr) {
    return fabric.view->subnet().tables;
  }
  if (fabric.routes == nullptr) return nullptr;
  return {fabric.routes, &fabric.routes->routes.tables};
}

Drawing draw(const sm::Snapshot& fabric, const std::string& title) {
  plan::Layout layout = plan::lay_out(fabric.topology);
  plan::Report report{title, "heddle " HEDDLE_VERSION, fabric.topology, fabric.lids, layout};
  const sim::Blueprint blueprint = blueprint_of(fabric);
  plan::LinkRates rates;
  if (auto planned = plan_fabric(blueprint, fabric.lmc)) rates = std::move(planned->rates);
  describe_cables(blueprint, rates, report);
  report.why_no_tables = "The subnet manager is asked for ways.";
  std::string json = plan::report_json(report);
  return {std::move(json), std::move(layout.links), std::move(report.capacities)};
}

std::string loads_json(const sm::Snapshot& fabric, const Drawing& drawing) {
  const auto tables = tables_of(fabric);
  if (tables == nullptr) return "null";
  const fabric::Topology& topology = fabric.topology;
  const auto measured = routing::measure_loads(topology, fabric.lids, *tables);
  std::vector<std::uint32_t> forward, backward;
  for (const plan::DrawnLink& link : drawing.links) {
    const bool measurable = link.forward != fabric::kNoChannel;
    forward.push_back(measurable ? narrow(measured.load[link.forward.value]) : 0);
    const auto back = measurable ? topology.channels()[link.forward.value].reverse : link.forward;
    backward.push_back(measurable ? narrow(measured.load[back.value]) : 0);
  }
  const double unit = plan::host_load(topology, fabric.lids);
  const auto weights = plan::channel_weights(topology, drawing.capacities);
  const Json json{{"unit", unit},
                  {"hottest", plan::hottest_load({plan::weigh(measured.load, weights)}, unit)},
                  {"greatest", static_cast<double>(measured.quality.greatest_load) / unit},
                  {"mean_hops", measured.quality.mean_hops},
                  {"forward", plan::packed_numbers(forward)},
                  {"backward", plan::packed_numbers(backward)}};
  return api::dump(json);
}

std::string counted_json(const sm::Snapshot& fabric, const perf::Readings* readings,
                         const Drawing& drawing) {
  if (readings == nullptr) return "null";
  constexpr double kUnit = 10'000;
  std::vector<std::uint32_t> forward, backward;
  std::vector<std::uint8_t> ill;
  for (const plan::DrawnLink& link : drawing.links) {
    const bool has_peer = fabric.topology.peer(link.from) != fabric::kNoPort;
    const auto use = has_peer ? api::use_of_link(fabric, *readings, link.from) : api::Use{};
    forward.push_back(static_cast<std::uint32_t>(use.there.value_or(0) * kUnit));
    backward.push_back(static_cast<std::uint32_t>(use.back.value_or(0) * kUnit));
    ill.push_back(use.ill ? 1 : 0);
  }
  const Json json{{"hot", readings->hot_share},
                  {"forward", plan::packed_numbers(forward)},
                  {"backward", plan::packed_numbers(backward)},
                  {"ill", plan::packed_numbers(ill)}};
  return api::dump(json);
}

std::string states_json(const sm::Snapshot& fabric, const Drawing& drawing) {
  std::vector<std::uint8_t> links, hosts;
  for (const plan::DrawnLink& link : drawing.links) links.push_back(state_of(fabric, link.from));
  for (const PortIndex port : fabric.topology.endports()) {
    if (fabric.topology.is_switch(fabric.topology.node_of(port))) continue;
    hosts.push_back(state_of(fabric, port));
  }
  return fmt::format("\"links\": \"{}\", \"hosts\": \"{}\"", plan::packed_numbers(links),
                     plan::packed_numbers(hosts));
}

api::Response answer_loss(const SharedSnapshot& fabric, const routing::Policy& policy,
                          const api::LossQuestion& question) {
  const auto loss = plan::parse_loss(fabric->topology, question.cut);
  if (loss.has_error()) return api::refusal(404, loss.error().message);
  const auto tables = tables_of(*fabric);
  if (tables == nullptr) return api::refusal(503, "the fabric has no tables yet");
  const Aftermath left = after(fabric, policy, *loss);
  Json json{{"sweep", fabric->sweep.number},
            {"cut", plan::describe(fabric->topology, *loss)},
            {"error", left.error.empty() ? Json(nullptr) : Json(left.error)},
            {"pairs_before", plan::count_pairs(fabric->topology, fabric->lids)},
            {"pairs_after", plan::count_pairs(left.fabric.topology, left.fabric.lids)},
            {"greatest_before", greatest_load(*fabric, *tables)},
            {"greatest_after", nullptr},
            {"repaired", nullptr},
            {"entries", nullptr},
            {"switches", nullptr},
            {"lids", nullptr},
            {"path", nullptr}};
  if (left.fabric.routes != nullptr) {
    const auto& fresh = left.fabric.routes->routes.tables;
    const auto changes = plan::compare_tables(fabric->topology, *tables, left.fabric.topology,
                                              left.fabric.lids, fresh);
    json["greatest_after"] = greatest_load(left.fabric, fresh);
    json["repaired"] = !left.fabric.routes->fresh;
    json["entries"] = changes.entries;
    json["switches"] = changes.writes.size();
    json["lids"] = changes.lids;
    if (!question.from.empty()) json["path"] = path_after(*fabric, left.fabric, question);
  }
  api::Response response;
  response.body = api::dump(json) + "\n";
  return response;
}

}  // namespace heddle::app
