// SPDX-License-Identifier: BSD-3-Clause
// Layers for pairs of switches, the same both ways, so that an answer may ride the level of its
// request; and for each switch a tree that keeps to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/islands.hpp"
#include "fabric/lanes.hpp"
#include "routing/channel_order.hpp"
#include "routing/destinations.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {

class PairLayers {
 public:
  explicit PairLayers(std::size_t switches)
      : switches_(switches), layer_(switches * switches, 0xFF), next_(switches * switches, 0xFF) {}

  // By the other switch of the pair; kNoLayer where no packets go between the two.
  std::span<const std::uint8_t> of(std::uint32_t at) const {
    return std::span(layer_).subspan(at * switches_, switches_);
  }
  std::uint8_t layer(std::uint32_t a, std::uint32_t b) const { return layer_[a * switches_ + b]; }
  void set(std::uint32_t a, std::uint32_t b, std::uint8_t layer) {
    layer_[a * switches_ + b] = layer;
    layer_[b * switches_ + a] = layer;
  }

  // The tree toward a switch: the channel to leave `at` by, as a place among those that leave it;
  // 0xFF at the target, and where no tree was made.
  std::uint8_t way(std::uint32_t target, std::uint32_t at) const {
    return next_[target * switches_ + at];
  }
  // All of it, as channels; kNoWay where there is none.
  std::vector<std::uint32_t> tree(const CompactChannels& channels, std::uint32_t target) const;
  void set_way(std::uint32_t target, std::uint32_t at, std::uint8_t local) {
    next_[target * switches_ + at] = local;
  }

  // How many layers are in use, at least 1.
  unsigned count() const;
  // What paths ask for: the layer of the two switches' pair.
  fabric::ServiceLevels levels(const Destinations& destinations, mad::Lid top) const;

 private:
  std::size_t switches_;
  std::vector<std::uint8_t> layer_, next_;
};

// Grows a tree for each switch and gives every pair a layer. Tries several ways of choosing them;
// nothing if each leaves some pair without a way. The layers must have no dependencies, and have
// those of the trees afterwards.
std::optional<PairLayers> make_pair_layers(const CompactChannels& channels,
                                           const Destinations& destinations,
                                           const fabric::Islands& islands,
                                           std::vector<ChannelOrder>& layers,
                                           const base::ParallelFor& parallel = base::inline_for);

enum class TreeLoads {
  Evenest,  // Even, or the same grown again, once or twice, after it is known what the others
            // carry: whatever loads the busiest channel least, where no bandwidth is lost by it
  Even,     // they share the load, and busy channels are relieved
  Shared,   // they share the load
  Any,      // they differ as little as they can, which takes fewer layers
};
// How good trees are, whatever their layers.
using BandwidthOfTrees = std::function<double(const PairLayers&)>;
// The same with trees of shortest ways only, which must fit into the layers as they are.
// bandwidth_of: asked where trees are to be Evenest.
std::optional<PairLayers> layer_shortest_trees(const CompactChannels& channels,
                                               const Destinations& destinations,
                                               std::vector<ChannelOrder>& layers, TreeLoads loads,
                                               const BandwidthOfTrees& bandwidth_of = {});

}  // namespace heddle::routing
