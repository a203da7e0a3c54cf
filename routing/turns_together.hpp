// SPDX-License-Identifier: BSD-3-Clause
// Dependencies that a layer takes all together, or none of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "routing/channel_order.hpp"

namespace heddle::routing {

class TurnsTogether {
 public:
  // layer outlives the trial.
  void begin(ChannelOrder& layer) {
    layer_ = &layer;
    added_.clear();
  }
  // Whether the layer has it, or can take it with those before.
  bool add(std::uint32_t held, std::uint32_t next) {
    if (layer_->has(held, next)) return true;
    if (!layer_->add(held, next)) return false;
    added_.emplace_back(held, next);
    return true;
  }
  // Keeps what was added, or takes it back; says which.
  bool end(bool keeps) {
    for (const auto& [held, next] : added_) {
      keeps ? layer_->keep(held, next) : layer_->remove(held, next);
    }
    return keeps;
  }

 private:
  ChannelOrder* layer_ = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;  // what it did not have
};

}  // namespace heddle::routing
