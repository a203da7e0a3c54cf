// SPDX-License-Identifier: BSD-3-Clause
#include "api/path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "api/lookup.hpp"
#include "mad/sa_attributes.hpp"
#include "sa/path_search.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

// What the subnet's administration answers to a Get of these two LIDs.
std::optional<mad::PathRecord> path_record(const sa::View& view, const Path& path, mad::Lid slid) {
  sa::Query query;
  query.header.mad.method = mad::Method::Get;
  query.header.component_mask =
      mad::component<&mad::PathRecord::slid>() | mad::component<&mad::PathRecord::dlid>();
  query.requester = path.from;
  query.trusted = true;
  mad::PathRecord wanted;
  wanted.slid = slid;
  wanted.dlid = path.lid;
  sa::PathEnd source, destination;
  source.port = path.from;
  source.lid = slid;
  source.guest = path.guests.from;
  destination.port = path.to;
  destination.lid = path.lid;
  destination.guest = path.guests.to;
  sa::Records records(/*table=*/false);
  sa::PathSearch search(view, query, wanted, records);
  if (!search.wish().possible() || !search.run(source, destination)) return std::nullopt;
  if (records.count() == 0) return std::nullopt;
  const mad::Payload payload = records.take();
  std::array<std::byte, mad::kSADataBytes> data{};
  const auto bytes = std::span(payload).subspan(mad::kSAHeaderBytes);
  std::copy_n(bytes.begin(), std::min(bytes.size(), data.size()), data.begin());
  return mad::decode<mad::PathRecord>(data);
}

// The tables, and the lanes if there are several.
struct Roads {
  const fabric::ForwardingTables* tables = nullptr;
  const fabric::Lanes* lanes = nullptr;
};
Roads roads_of(const sm::Snapshot& fabric) {
  // As the switches hold them, if that is known.
  if (fabric.view != nullptr && fabric.view->subnet().tables != nullptr) {
    return {fabric.view->subnet().tables.get(), fabric.view->subnet().lanes.get()};
  }
  if (fabric.routes == nullptr) return {};
  return {&fabric.routes->routes.tables, &fabric.routes->routes.lanes};
}

class Walk {
 public:
  Walk(const sm::Snapshot& fabric, Path& path)
      : topology_(fabric.topology), roads_(roads_of(fabric)), path_(path) {}

  void run() {
    PortIndex at = path_.from;
    if (at == path_.to) return;
    NodeIndex node = topology_.node_of(at);
    if (!topology_.is_switch(node)) {
      if (!step(at, lane_of_host())) return;
      if (at == path_.to) return;
      node = topology_.node_of(at);
    }
    for (std::size_t passed = 0; passed <= topology_.switch_count(); ++passed) {
      if (!topology_.is_switch(node)) return stop(node, "they end at the wrong node");
      if (roads_.tables == nullptr) return stop(node, "the fabric has no tables");
      const SwitchIndex here{node.value};
      const mad::PortNumber out = roads_.tables->out_port(here, path_.lid);
      if (out.value == 0 && node == topology_.node_of(path_.to)) return;
      if (out.value == 0 || out.value > topology_.node(node).port_count) {
        return stop(node, "there is no entry for the LID");
      }
      const auto lane = lane_at(here, at, out);
      at = topology_.port_of(node, out);
      if (!step(at, lane)) return;
      if (at == path_.to) return;
      node = topology_.node_of(at);
    }
    stop(node, "they go round in a circle");
  }

 private:
  void stop(NodeIndex node, std::string_view why) {
    path_.trouble = fmt::format("at '{}' {}", topology_.node(node).description, why);
  }

  // Along the cable; `at` is the other end then. False if there is none.
  bool step(PortIndex& at, std::uint8_t lane) {
    path_.hops.push_back({at, lane});
    const PortIndex peer = topology_.peer(at);
    if (peer == fabric::kNoPort) {
      stop(topology_.node_of(at), "they leave through a port without a link");
      return false;
    }
    at = peer;
    return true;
  }

  std::uint8_t lane_of_host() const {
    return roads_.lanes == nullptr ? 0 : roads_.lanes->maps.everywhere()[path_.level.value];
  }

  std::uint8_t lane_at(SwitchIndex here, PortIndex came_by, mad::PortNumber out) const {
    if (roads_.lanes == nullptr) return 0;
    const PortIndex behind = topology_.peer(came_by);
    const bool from_switch =
        behind != fabric::kNoPort && topology_.is_switch(topology_.node_of(behind));
    const auto in = from_switch ? topology_.number_of(came_by) : mad::PortNumber{0};
    return roads_.lanes->maps.at(here, in, out)[path_.level.value];
  }

  const fabric::Topology& topology_;
  Roads roads_;
  Path& path_;
};

mad::ServiceLevel routed_level(const sm::Snapshot& fabric, PortIndex from, mad::Lid to) {
  const auto lanes = roads_of(fabric).lanes;
  if (lanes == nullptr) return {};
  const auto node = fabric.topology.node_of(from);
  if (fabric.topology.is_switch(node)) return {lanes->levels.level(SwitchIndex{node.value}, to)};
  const auto attached = fabric.topology.attachment(from);
  return {attached ? lanes->levels.level(attached->at, to) : std::uint8_t{0}};
}

}  // namespace

const fabric::ForwardingTables* tables_of(const sm::Snapshot& fabric) {
  return roads_of(fabric).tables;
}

Path find_path(const sm::Snapshot& fabric, PortIndex from, PortIndex to, mad::Lid lid,
               const Guests& guests) {
  Path path;
  path.from = from;
  path.to = to;
  path.lid = lid;
  path.guests = guests;
  if (fabric.view != nullptr) {
    const mad::Lid own = guests.from == nullptr ? lid_of(fabric, from) : guests.from->lid;
    path.record = path_record(*fabric.view, path, own);
  }
  path.level = path.record ? path.record->sl : routed_level(fabric, from, lid);
  Walk(fabric, path).run();
  return path;
}

}  // namespace heddle::api
