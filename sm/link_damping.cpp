// SPDX-License-Identifier: BSD-3-Clause
#include "sm/link_damping.hpp"

#include <algorithm>
#include <optional>

#include "base/prefetch.hpp"
#include "routing/disjoint_sets.hpp"

namespace heddle::sm {
namespace {

using fabric::Observation;
using fabric::ObservedEnd;
using fabric::ObservedIndex;
using fabric::PortIndex;

std::optional<ObservedEnd> find(const Observation& observed, LinkDamping::End end) {
  const auto node = observed.find(end.node);
  if (!node || end.port.value >= observed.ports(*node).size()) return std::nullopt;
  return ObservedEnd{*node, end.port};
}

// Up and led to by the other end; in which state a port is raised does not matter.
bool stands(const Observation& observed, std::optional<ObservedEnd> a, std::optional<ObservedEnd> b,
            mad::PortState least) {
  if (!a || !b) return false;
  const auto& port = observed.port(*a);
  const auto& other = observed.port(*b);
  const bool up =
      port.info && other.info && port.info->port_state >= least && other.info->port_state >= least;
  return up && (port.sighting == b || other.sighting == a);
}

bool stands(const Observation& observed, LinkDamping::Link link, mad::PortState least) {
  return stands(observed, find(observed, link.first), find(observed, link.second), least);
}

// Between switches, each from both ends.
template <class Visit>
void for_each_link(const Observation& observed, const Visit& visit) {
  for (std::uint32_t n = 0; n < observed.size(); ++n) {
    if (!observed.is_switch({n})) continue;
    const auto ports = observed.ports({n});
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const auto& there = ports[p].sighting;
      if (!there || !observed.is_switch(there->node)) continue;
      const LinkDamping::End here{observed[ObservedIndex{n}].info.node_guid,
                                  {static_cast<std::uint8_t>(p)}};
      const LinkDamping::End other{observed[there->node].info.node_guid, there->port};
      visit(LinkDamping::Link(std::minmax(here, other)), ObservedIndex{n}, there->node);
    }
  }
}

// Each link once, by one of its two channels: of those switches, or all.
std::vector<fabric::Channel> links_at(const fabric::Topology& topology, const Observation& observed,
                                      const LinkDamping::Nodes& changed) {
  std::vector<bool> wanted(topology.switch_count(), !changed);
  for (const ObservedIndex node : changed.value_or(std::vector<ObservedIndex>{})) {
    const auto at = topology.find_node(observed[node].info.node_guid);
    if (at && topology.is_switch(*at)) wanted[at->value] = true;
  }
  std::vector<fabric::Channel> links;
  for (const fabric::Channel& channel : topology.channels()) {
    const bool is_second = wanted[channel.to.value] && channel.to < channel.from;
    if (wanted[channel.from.value] && !is_second) links.push_back(channel);
  }
  return links;
}

}  // namespace

void LinkDamping::note_losses(base::Instant now, std::uint64_t sweep, const sa::View& before,
                              const Observation& observed, const Nodes& changed) {
  if (std::exchange(noted_, sweep) == sweep) return;
  const auto& topology = before.topology();
  const auto& infos = before.subnet().registers->ports;
  const auto active = [&](PortIndex port) {
    return infos[port.value].port_state == mad::PortState::Active;
  };
  const auto end = [&](PortIndex port) {
    return End{topology.node(topology.node_of(port)).guid, topology.number_of(port)};
  };
  // Each switch is looked up once, and not with each of its links.
  std::vector<std::optional<ObservedIndex>> here(topology.switch_count());
  for (std::uint32_t s = 0; s < here.size(); ++s) {
    here[s] = observed.find(topology.node(fabric::SwitchIndex{s}).guid);
  }
  const auto observed_end = [&](PortIndex port) -> std::optional<ObservedEnd> {
    const auto node = here[topology.node_of(port).value];
    if (!node || topology.number_of(port).value >= observed.ports(*node).size()) return {};
    return ObservedEnd{*node, topology.number_of(port)};
  };
  const auto ends_of = [&](const fabric::Channel& channel) {
    return std::pair(topology.port_of(channel.from, channel.out),
                     topology.port_of(channel.to, channel.in));
  };
  const auto fetch = [&](const fabric::Channel& channel) {
    const auto [from, to] = ends_of(channel);
    for (const PortIndex port : {from, to}) {
      const auto ahead = observed_end(port);
      if (ahead) base::prefetch(&observed.port(*ahead));
    }
  };
  const auto channels = links_at(topology, observed, changed);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (c + base::kAhead < channels.size()) fetch(channels[c + base::kAhead]);
    const auto [from, to] = ends_of(channels[c]);
    if (stands(observed, observed_end(from), observed_end(to), mad::PortState::Armed)) continue;
    if (!active(from) || !active(to)) continue;
    const Link link = std::minmax(end(from), end(to));
    History& history = links_[link];
    history.losses.push_back(now);
    history.last = now;
  }
}

void LinkDamping::set_level(const Link& link, History& history, Level level) {
  if (history.level == level) return;
  history.level = level;
  news_.push_back({link, level, history.losses.size()});
}

std::vector<ObservedEnd> LinkDamping::judge(base::Instant now, const Limits& limits,
                                            const Observation& observed) {
  std::set<Link> wanting;
  for (auto entry = links_.begin(); entry != links_.end();) {
    History& history = entry->second;
    auto& losses = history.losses;
    while (!losses.empty() && now >= losses.front() + limits.window) losses.pop_front();
    history.stands = stands(observed, entry->first, mad::PortState::Init);
    if (!history.stands) history.last = now;
    const bool calm = now >= history.last + limits.hold;
    const bool noisy = limits.losses > 0 && losses.size() >= limits.losses;
    if (limits.losses > 0 && !calm && (noisy || history.level != Level::Used)) {
      wanting.insert((entry++)->first);
      continue;
    }
    set_level(entry->first, history, Level::Used);
    entry = losses.empty() || limits.losses == 0 ? links_.erase(entry) : std::next(entry);
  }
  if (wanting.empty()) return {};

  return hold_back(observed, wanting);
}

// All of them but those that hold the fabric together: of these, the quietest are used.
std::vector<ObservedEnd> LinkDamping::hold_back(const Observation& observed,
                                                const std::set<Link>& wanting) {
  routing::DisjointSets joined(observed.size());
  for_each_link(observed, [&](const Link& link, ObservedIndex a, ObservedIndex b) {
    if (wanting.count(link) == 0) joined.unite(a.value, b.value);
  });
  std::vector<decltype(links_)::iterator> quietest;
  for (const Link& link : wanting) quietest.push_back(links_.find(link));
  std::stable_sort(quietest.begin(), quietest.end(), [](const auto& a, const auto& b) {
    return a->second.losses.size() < b->second.losses.size();
  });
  std::vector<ObservedEnd> held;
  for (const auto& entry : quietest) {
    const Link& link = entry->first;
    // One that is not there stays what it was.
    if (!entry->second.stands) continue;
    const auto a = find(observed, link.first);
    const auto b = find(observed, link.second);
    if (joined.find(a->node.value) != joined.find(b->node.value)) {
      joined.unite(a->node.value, b->node.value);
      set_level(link, entry->second, Level::Needed);
      continue;
    }
    set_level(link, entry->second, Level::HeldBack);
    held.insert(held.end(), {*a, *b});
  }
  return held;
}

std::vector<LinkDamping::Link> LinkDamping::due(base::Instant now, base::Duration hold) const {
  std::vector<Link> links;
  for (const auto& [link, history] : links_) {
    if (history.waits() && now >= history.last + hold) links.push_back(link);
  }
  return links;
}

base::Instant LinkDamping::next_due(base::Duration hold) const {
  base::Instant next = base::kNever;
  for (const auto& [link, history] : links_) {
    if (history.waits()) next = std::min(next, history.last + hold);
  }
  return next;
}

}  // namespace heddle::sm
