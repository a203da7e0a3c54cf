// SPDX-License-Identifier: BSD-3-Clause
#include "routing/minhop.hpp"

#include <algorithm>

#include "routing/balance.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

class ShortestWays : public WayFinder {
 public:
  ShortestWays(const fabric::Topology& topology, const CompactChannels& channels)
      : channels_(channels), ways_(topology), distance_(topology.switch_count()) {}

  // Breadth first from the target; each channel to a farther switch is a choice of that switch.
  const Ways& toward(SwitchIndex target) override {
    constexpr std::uint32_t kUnseen = 0xFFFF'FFFF;
    std::fill(distance_.begin(), distance_.end(), kUnseen);
    ways_.clear();
    ways_.add_switch(target);
    distance_[target.value] = 0;
    for (std::size_t i = 0; i < ways_.nearest_first().size(); ++i) {
      const std::uint32_t at = ways_.nearest_first()[i].value;
      const std::uint32_t farther = distance_[at] + 1;
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const SwitchIndex from{channels_.to[c]};
        if (distance_[from.value] < farther) continue;
        if (distance_[from.value] == kUnseen) {
          distance_[from.value] = farther;
          ways_.add_switch(from);
        }
        ways_.offer(from, channels_.reverse_local[c]);
      }
    }
    return ways_;
  }

 private:
  const CompactChannels& channels_;
  Ways ways_;
  std::vector<std::uint32_t> distance_;
};

}  // namespace

base::Result<Routes> MinHop::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  auto tables = balanced_tables(
      request, [&] { return std::make_unique<ShortestWays>(request.topology, channels); });
  return Routes{std::string(name()), std::move(tables), {}};
}

}  // namespace heddle::routing
