// SPDX-License-Identifier: BSD-3-Clause
// Puts finished paths into as few layers as it can: each into the first one that stays free of
// cycles with it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "routing/channel_order.hpp"
#include "routing/turns_together.hpp"

namespace heddle::routing {

class LanePacker {
 public:
  // The layers outlive this; they have the paths' dependencies afterwards.
  explicit LanePacker(std::vector<ChannelOrder>& layers) : layers_(layers) {}

  // The paths of one flow: pairs of channels, one held while the other is waited for.
  using Dependencies = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // The layer for a flow; nothing if none takes it.
  std::optional<std::uint8_t> pack(const Dependencies& flow);
  // How many layers have been used, at least 1.
  unsigned used() const { return used_; }

 private:
  bool take(ChannelOrder& layer, const Dependencies& flow);

  std::vector<ChannelOrder>& layers_;
  unsigned used_ = 1;
  TurnsTogether turns_;
};

}  // namespace heddle::routing
