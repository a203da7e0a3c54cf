// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_packer.hpp"

#include <algorithm>

namespace heddle::routing {

std::optional<std::uint8_t> LanePacker::pack(const Dependencies& flow) {
  for (unsigned v = 0; v < layers_.size(); ++v) {
    if (!take(layers_[v], flow)) continue;
    used_ = std::max(used_, v + 1);
    return static_cast<std::uint8_t>(v);
  }
  return std::nullopt;
}

bool LanePacker::take(ChannelOrder& layer, const Dependencies& flow) {
  turns_.begin(layer);
  return turns_.end(std::all_of(flow.begin(), flow.end(), [&](const auto& turn) {
    return turns_.add(turn.first, turn.second);
  }));
}

}  // namespace heddle::routing
