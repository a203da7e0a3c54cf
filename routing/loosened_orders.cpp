// SPDX-License-Identifier: BSD-3-Clause
#include "routing/loosened_orders.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "routing/channel_order.hpp"

namespace heddle::routing {
namespace {

// So many turns may be tried that channels would have to move for.
constexpr std::size_t kTriedInAll = 200'000'000;

class Loosener {
 public:
  Loosener(const CompactChannels& channels, const LayerOrders& orders, const PairedTrees& trees);
  void loosen(std::uint32_t needed, const base::ParallelFor& parallel);
  LayerOrders orders() const;

 private:
  std::uint32_t switches() const { return static_cast<std::uint32_t>(ways_.size()); }
  template <class Visit>
  void for_each_pair(const base::ParallelFor& parallel, const Visit& visit);
  template <class Visit>
  bool for_each_turn(std::uint32_t from, std::uint32_t target, const Visit& visit) const;
  void put_needed(std::uint32_t needed, const base::ParallelFor& parallel);
  void place(std::uint32_t a, std::uint32_t b, LayerSet common);
  bool has_all(unsigned layer, std::uint32_t a, std::uint32_t b) const;
  bool place_in(unsigned layer, std::uint32_t a, std::uint32_t b);
  bool add(ChannelOrder& layer, std::uint32_t from, std::uint32_t target);

  const CompactChannels& channels_;
  const PairedTrees& trees_;
  std::vector<ChannelOrder> layers_;
  std::vector<std::vector<std::uint32_t>> ways_;  // by target and switch: the channel to leave by
  std::size_t tries_left_ = kTriedInAll;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;  // on trial
};

Loosener::Loosener(const CompactChannels& channels, const LayerOrders& orders,
                   const PairedTrees& trees)
    : channels_(channels), trees_(trees), layers_(orders.count(), ChannelOrder(channels)) {
  std::vector<std::uint32_t> sorted(channels.count());
  for (unsigned v = 0; v < orders.count(); ++v) {
    const auto& position = orders.positions(v);
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t one, std::uint32_t other) {
      return position[one] < position[other];
    });
    layers_[v].arrange(sorted);
  }
  for (std::uint32_t s = 0; s + 1 < channels.first.size(); ++s) ways_.push_back(trees.tree(s));
}

// With the layers that it has now.
template <class Visit>
void Loosener::for_each_pair(const base::ParallelFor& parallel, const Visit& visit) {
  for (std::uint32_t a = 0; a < switches(); ++a) {
    base::breathe(parallel);
    for (std::uint32_t b = 0; b < a; ++b) {
      if (trees_.matters(a, b)) visit(a, b, trees_.layers(a, b));
    }
  }
}

// Until one is refused: false then.
template <class Visit>
bool Loosener::for_each_turn(std::uint32_t from, std::uint32_t target, const Visit& visit) const {
  const auto& next = ways_[target];
  for (std::uint32_t held = next[from]; held != kNoWay && channels_.to[held] != target;) {
    const std::uint32_t onward = next[channels_.to[held]];
    if (!visit(held, onward)) return false;
    held = onward;
  }
  return true;
}

void Loosener::loosen(std::uint32_t needed, const base::ParallelFor& parallel) {
  const auto place_quarrels = [&] {
    for_each_pair(parallel, [&](std::uint32_t a, std::uint32_t b, LayerSet common) {
      if (common == 0) place(a, b, common);
    });
  };
  put_needed(needed, parallel);
  if (needed > 1) place_quarrels();
  for (const bool has_choice : {false, true}) {
    for_each_pair(parallel, [&](std::uint32_t a, std::uint32_t b, LayerSet common) {
      if (common != 0 && (std::popcount(common) > 1) == has_choice) place(a, b, common);
    });
  }
  if (needed == 1) place_quarrels();
}

// All of them agree with the order that was given.
void Loosener::put_needed(std::uint32_t needed, const base::ParallelFor& parallel) {
  std::size_t width = 1;
  for (std::uint32_t s = 0; s < switches(); ++s) {
    width = std::max<std::size_t>(width, channels_.first[s + 1] - channels_.first[s]);
  }
  for (unsigned v = 0; v < layers_.size(); ++v) {
    std::vector<std::uint32_t> uses(channels_.count() * width);
    const auto note = [&](std::uint32_t held, std::uint32_t next) {
      auto& count = uses[held * width + next - channels_.first[channels_.to[held]]];
      if (++count == needed) layers_[v].put(held, next);
      return true;
    };
    for_each_pair(parallel, [&](std::uint32_t a, std::uint32_t b, LayerSet common) {
      if (common != 1u << v) return;
      for_each_turn(a, b, note);
      for_each_turn(b, a, note);
    });
  }
}

// In a layer of its own that has all its turns, or takes them; else in any, the last one first,
// which others have asked least of.
void Loosener::place(std::uint32_t a, std::uint32_t b, LayerSet common) {
  const auto count = static_cast<unsigned>(layers_.size());
  for (unsigned v = 0; std::popcount(common) > 1 && v < count; ++v) {
    if ((common >> v & 1) != 0 && has_all(v, a, b)) return;
  }
  for (unsigned v = 0; v < count; ++v) {
    if ((common >> v & 1) != 0 && place_in(v, a, b)) return;
  }
  for (unsigned v = count; v-- > 0;) {
    if ((common >> v & 1) == 0 && place_in(v, a, b)) return;
  }
}

bool Loosener::has_all(unsigned layer, std::uint32_t a, std::uint32_t b) const {
  const auto has = [&](std::uint32_t held, std::uint32_t next) {
    return layers_[layer].has(held, next);
  };
  return for_each_turn(a, b, has) && for_each_turn(b, a, has);
}

bool Loosener::place_in(unsigned layer, std::uint32_t a, std::uint32_t b) {
  ChannelOrder& order = layers_[layer];
  const bool fits = add(order, a, b) && add(order, b, a);
  for (; !added_.empty(); added_.pop_back()) {
    const auto [held, next] = added_.back();
    if (fits) {
      order.keep(held, next);
    } else {
      order.remove(held, next);
    }
  }
  return fits;
}

// What was added has to be taken back if it is refused.
bool Loosener::add(ChannelOrder& layer, std::uint32_t from, std::uint32_t target) {
  return for_each_turn(from, target, [&](std::uint32_t held, std::uint32_t next) {
    if (layer.has(held, next)) return true;
    if (!layer.agrees(held, next)) {
      if (tries_left_ == 0) return false;
      --tries_left_;
    }
    if (!layer.add(held, next)) return false;
    added_.emplace_back(held, next);
    return true;
  });
}

LayerOrders Loosener::orders() const {
  std::vector<std::vector<std::uint32_t>> positions;
  for (const ChannelOrder& layer : layers_) positions.push_back(layer.positions());
  return {channels_, std::move(positions)};
}

}  // namespace

LayerOrders loosened_orders(const CompactChannels& channels, const LayerOrders& orders,
                            const PairedTrees& trees, std::uint32_t needed,
                            const base::ParallelFor& parallel) {
  Loosener loosener(channels, orders, trees);
  loosener.loosen(needed, parallel);
  return loosener.orders();
}

}  // namespace heddle::routing
