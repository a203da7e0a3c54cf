// SPDX-License-Identifier: BSD-3-Clause
#include "sm/ways.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "base/prefetch.hpp"
#include "sm/changes.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

constexpr std::size_t kWanted = 3;

ObservedEnd end_at(ObservedIndex node, std::size_t port) {
  return {node, {static_cast<std::uint8_t>(port)}};
}

std::size_t switch_count(const fabric::Observation& observation) {
  std::size_t count = 0;
  for (std::uint32_t n = 0; n < observation.size(); ++n) count += observation.is_switch({n});
  return count;
}

struct Reached {
  ObservedEnd end;
  DeviceId device;
};

std::vector<Reached> all_devices(const Picture& picture) {
  std::vector<Reached> found;
  found.reserve(picture.devices.size());
  for (std::uint32_t n = 0; n < picture.devices.size(); ++n) {
    if (n + base::kAhead < picture.devices.size()) {
      base::prefetch(picture.devices.of({n + base::kAhead}).data());
    }
    const auto devices = picture.devices.of({n});
    for (std::size_t p = 0; p < devices.size(); ++p) {
      if (devices[p]) found.push_back({end_at({n}, p), *devices[p]});
    }
  }
  return found;
}

}  // namespace

Ways::Ways(const Picture& picture, const CutEnds* cut)
    : picture_(picture), cut_(cut), hops_(picture.observation.size()) {
  HEDDLE_CHECK(picture.own.has_value());
  spread();
}

void Ways::spread() {
  const ObservedEnd own = *picture_.own;
  hops_[own.node.value].reached = true;
  // A channel adapter passes nothing on: from it there is the way out of the own port and no other.
  if (picture_.observation.is_switch(own.node)) {
    found_.push_back(own.node);
  } else {
    reach(own, 1);
  }
  // Whoever is farthest away hangs on hosts mostly, and nobody else.
  const std::size_t all = switch_count(picture_.observation);
  for (std::size_t i = 0; i < found_.size() && found_.size() < all; ++i) {
    const ObservedIndex at = found_[i];
    const std::uint32_t length = hops_[at.value].length + 1;
    const std::size_t ports = picture_.observation.ports(at).size();
    for (std::size_t port = 1; port < ports; ++port) reach(end_at(at, port), length);
  }
}

void Ways::reach(ObservedEnd from, std::uint32_t length) {
  const auto& there = picture_.observation.port(from).sighting;
  if (!there || length > mad::kMaxHops || !picture_.observation.is_switch(there->node)) return;
  Hop& hop = hops_[there->node.value];
  if (hop.reached) return;
  const auto guid = [&] { return picture_.observation[from.node].info.node_guid; };
  if (cut_ != nullptr && cut_->count({guid(), from.port.value}) != 0) return;
  hop = {from.node, from.port, length, true};
  found_.push_back(there->node);
}

bool Ways::reaches(ObservedIndex node) const {
  const bool reached = hops_[node.value].reached;
  if (reached || picture_.observation.is_switch(node)) return reached;
  const auto ports = picture_.observation.ports(node);
  return std::any_of(ports.begin(), ports.end(), [&](const fabric::ObservedPort& port) {
    return port.sighting && hops_[port.sighting->node.value].reached;
  });
}

mad::DirectedRoute Ways::shortest(ObservedIndex at) const {
  mad::DirectedRoute route;
  route.hop_count = static_cast<std::uint8_t>(hops_[at.value].length);
  for (auto hop = route.hop_count; hop > 0; --hop) {
    route.ports[hop] = hops_[at.value].out;
    at = hops_[at.value].from;
  }
  return route;
}

std::optional<mad::DirectedRoute> Ways::through(ObservedEnd last) const {
  const bool own = last.node == picture_.own->node;
  const bool passes = picture_.observation.is_switch(last.node) || last == *picture_.own;
  if (!passes || (!own && !hops_[last.node.value].reached)) return std::nullopt;
  if (hops_[last.node.value].length >= mad::kMaxHops) return std::nullopt;
  return shortest(last.node).then(last.port);
}

std::vector<mad::DirectedRoute> Ways::to(ObservedEnd end) const {
  const auto& node = picture_.observation[end.node];
  const ObservedEnd own = *picture_.own;
  if (end.node == own.node && (node.is_switch() || end.port == own.port)) return {{}};
  std::vector<mad::DirectedRoute> routes;
  if (!node.is_switch()) {
    const auto& from = node.ports[end.port.value].sighting;
    const auto way = from ? through(*from) : std::nullopt;
    if (way) routes.push_back(*way);
    return routes;
  }
  if (!hops_[end.node.value].reached) return {};
  routes.push_back(shortest(end.node));
  for (std::size_t port = 1; port < node.ports.size() && routes.size() < kWanted; ++port) {
    const auto& from = node.ports[port].sighting;
    // A way that is no longer than the shortest one to here does not run through here.
    if (!from || hops_[from->node.value].length > hops_[end.node.value].length) continue;
    const auto way = through(*from);
    if (way && *way != routes.front()) routes.push_back(*way);
  }
  return routes;
}

void mend_routes(const Picture& picture, const Ways& ways, Transactions& transactions) {
  const auto all = all_devices(picture);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 2 * base::kAhead < all.size()) transactions.fetch(all[i + 2 * base::kAhead].device);
    if (i + base::kAhead < all.size()) transactions.fetch_routes(all[i + base::kAhead].device);
    const auto& [end, device] = all[i];
    const auto& known = transactions.routes(device);
    const auto lives = [&, node = end.node](const mad::DirectedRoute& route) {
      return end_of_way(picture, route) == node;
    };
    if (std::all_of(known.begin(), known.end(), lives)) continue;
    std::vector<mad::DirectedRoute> routes;
    std::copy_if(known.begin(), known.end(), std::back_inserter(routes), lives);
    if (routes.empty()) routes = ways.to(end);
    if (!routes.empty()) transactions.set_routes(device, std::move(routes));
  }
}

}  // namespace heddle::sm
