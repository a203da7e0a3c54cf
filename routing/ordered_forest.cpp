// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ordered_forest.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

OrderedForest::OrderedForest(const CompactChannels& channels, const LayerOrders& orders,
                             std::vector<std::uint32_t> targets)
    : channels_(channels),
      orders_(orders),
      switches_(channels.first.size() - 1),
      targets_(std::move(targets)),
      places_(targets_.size() * switches_, kNoPlace),
      layers_(targets_.size() * switches_, orders.all()) {}

std::vector<std::uint32_t> OrderedForest::ways(std::size_t tree) const {
  std::vector<std::uint32_t> all(switches_);
  for (std::uint32_t s = 0; s < switches_; ++s) all[s] = next(tree, s);
  return all;
}

bool OrderedForest::leads_through(std::size_t tree, std::uint32_t from, std::uint32_t at) const {
  while (from != at) {
    const std::uint32_t channel = next(tree, from);
    if (channel == kNoWay) return false;
    from = channels_.to[channel];
  }
  return true;
}

std::uint32_t OrderedForest::hops(std::size_t tree, std::uint32_t from, std::uint32_t to) const {
  std::uint32_t hops = 0;
  for (; from != to; from = channels_.to[next(tree, from)]) ++hops;
  return hops;
}

template <class Visit>
void OrderedForest::for_each_child(std::size_t tree, std::uint32_t at, const Visit& visit) const {
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const std::uint32_t child = channels_.to[c];
    if (places_[tree * switches_ + child] == channels_.reverse_local[c]) visit(child);
  }
}

std::span<const std::uint32_t> OrderedForest::branch(std::size_t tree, std::uint32_t at) {
  branch_.assign(1, at);
  for (std::size_t i = 0; i < branch_.size(); ++i) {
    for_each_child(tree, branch_[i], [&](std::uint32_t child) { branch_.push_back(child); });
  }
  return branch_;
}

LayerSet OrderedForest::layers_by(std::size_t tree, std::uint32_t channel) const {
  const std::uint32_t to = channels_.to[channel];
  if (to == targets_[tree]) return orders_.all();
  return static_cast<LayerSet>(layers(tree, to) & orders_.admit(channel, next(tree, to)));
}

void OrderedForest::plant(std::size_t tree, const OrderedTrees& grown) {
  for (const std::uint32_t at : grown.nearest_first().subspan(1)) {
    places_[tree * switches_ + at] =
        static_cast<std::uint8_t>(grown.next(at) - channels_.first[at]);
    layers_[tree * switches_ + at] = grown.layers(at);
  }
}

std::span<const OrderedForest::Change> OrderedForest::graft(std::size_t tree, std::uint32_t at,
                                                            std::uint32_t channel) {
  const std::size_t before = changes_.size();
  const auto renew = [&](std::uint32_t here) {
    const std::size_t entry = tree * switches_ + here;
    const LayerSet now = layers_by(tree, next(tree, here));
    if (here != at && now == layers_[entry]) return;
    changes_.push_back({tree, here, places_[entry], layers_[entry]});
    layers_[entry] = now;
    stack_.push_back(here);
  };
  const std::uint8_t old = places_[tree * switches_ + at];
  places_[tree * switches_ + at] = static_cast<std::uint8_t>(channel - channels_.first[at]);
  stack_.clear();
  renew(at);
  changes_[before].place = old;
  while (!stack_.empty()) {
    const std::uint32_t here = stack_.back();
    stack_.pop_back();
    for_each_child(tree, here, renew);
  }
  return std::span<const Change>(changes_).subspan(before);
}

void OrderedForest::take_back() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    places_[change.tree * switches_ + change.at] = change.place;
    layers_[change.tree * switches_ + change.at] = change.layers;
  }
}

}  // namespace heddle::routing
