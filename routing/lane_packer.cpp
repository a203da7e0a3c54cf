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
  added_.clear();
  for (const auto& [held, next] : flow) {
    if (layer.has(held, next)) continue;
    if (!layer.add(held, next)) {
      for (const auto& [a, b] : added_) layer.remove(a, b);
      return false;
    }
    added_.push_back({held, next});
  }
  for (const auto& [held, next] : added_) layer.keep(held, next);
  return true;
}

}  // namespace heddle::routing
