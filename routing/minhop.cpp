// SPDX-License-Identifier: BSD-3-Clause
#include "routing/minhop.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "routing/balance.hpp"
#include "routing/shortest_ways.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// The shortest ways where hops do not all count alike.
class LightestWays : public WayFinder {
 public:
  LightestWays(const fabric::Topology& topology, const CompactChannels& channels,
               const std::vector<std::uint8_t>& weight)
      : channels_(channels), weight_(weight), ways_(topology), distance_(topology.switch_count()) {}

  const Ways& toward(SwitchIndex target) override {
    std::fill(distance_.begin(), distance_.end(), kUnseen);
    ways_.clear();
    distance_[target.value] = 0;
    queue_.emplace(0u, target.value);
    while (!queue_.empty()) {
      const auto [distance, at] = queue_.top();
      queue_.pop();
      if (distance != distance_[at]) continue;
      ways_.add_switch(SwitchIndex{at});
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t from = channels_.to[c];
        const std::uint32_t heavier = distance + weight_[channels_.reverse(c)];
        if (distance_[from] <= heavier) continue;
        distance_[from] = heavier;
        queue_.emplace(heavier, from);
      }
    }
    for (const SwitchIndex s : ways_.nearest_first()) offer_from(s.value);
    return ways_;
  }

 private:
  static constexpr std::uint32_t kUnseen = 0xFFFF'FFFF;

  void offer_from(std::uint32_t at) {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (distance_[channels_.to[c]] + weight_[c] != distance_[at]) continue;
      ways_.offer(SwitchIndex{at}, static_cast<std::uint8_t>(c - channels_.first[at]));
    }
  }

  const CompactChannels& channels_;
  const std::vector<std::uint8_t>& weight_;  // by channel, at least 1
  Ways ways_;
  std::vector<std::uint32_t> distance_;
  using Reached = std::pair<std::uint32_t, std::uint32_t>;  // distance, switch
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue_;
};

std::vector<std::uint8_t> weigh(const Request& request, const CompactChannels& channels) {
  std::vector<std::uint8_t> weight(channels.count(), 1);
  for (const auto& [at, counts_for] : request.options.hop_weights) {
    const auto node = request.topology.find_node(at.node);
    if (!node || !request.topology.is_switch(*node)) continue;
    for (std::uint32_t c = channels.first[node->value]; c < channels.first[node->value + 1]; ++c) {
      if (channels.out[c] == at.port.value) weight[c] = counts_for;
    }
  }
  return weight;
}

}  // namespace

base::Result<Routes> MinHop::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  const bool weighted = !request.options.hop_weights.empty();
  const auto weight = weighted ? weigh(request, channels) : std::vector<std::uint8_t>{};
  auto tables = balanced_tables(request, channels, [&]() -> std::unique_ptr<WayFinder> {
    if (!weighted) return std::make_unique<ShortestWays>(channels);
    return std::make_unique<LightestWays>(request.topology, channels, weight);
  });
  return Routes{std::string(name()), std::move(tables), {}};
}

}  // namespace heddle::routing
