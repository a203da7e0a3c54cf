// SPDX-License-Identifier: BSD-3-Clause
#include "routing/peacemaker.hpp"

#include <algorithm>

namespace heddle::routing {
namespace {

constexpr std::uint64_t kPeaceSeed = 6;
// Of all pairs, one in so many may be without a layer at first.
constexpr std::size_t kWorthTrying = 8;
// And so many at first, times switches: more of them take minutes, and mostly in vain.
constexpr std::size_t kMostAtFirst = 400'000'000;
constexpr std::uint32_t kNewHops = 2;
constexpr std::uint32_t kPatience = 8;
// What may be spent until only half as many quarrels are left: in switches looked at, for each two
// switches, and at least.
constexpr std::size_t kLookedAtPerPair = 64;
constexpr std::size_t kLookedAtAtLeast = 80'000'000;

}  // namespace

Peacemaker::Peacemaker(const CompactChannels& channels, const Destinations& destinations,
                       const LayerOrders& orders, OrderedForest& forest)
    : channels_(channels),
      destinations_(destinations),
      orders_(orders),
      forest_(forest),
      switches_(forest.switch_count()),
      dice_(kPeaceSeed),
      ways_(channels, orders, forest) {}

std::vector<Peacemaker::Pair> Peacemaker::quarrels() const {
  std::vector<Pair> found;
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (layers(a, b) == 0 && matters(destinations_, a, b)) found.push_back({a, b});
    }
  }
  return found;
}

bool Peacemaker::reconcile(Patience patience) {
  auto left = quarrels();
  if (left.empty()) return true;
  if (left.size() > switches_ * switches_ / 2 / kWorthTrying) return false;
  if (patience == Patience::Much && left.size() * switches_ > kMostAtFirst) return false;
  weights_.assign(switches_ * switches_, 1);
  std::size_t half = left.size();
  while (!left.empty()) {
    if (left.size() <= half) {
      half = left.size() / 2;
      work_left_ = kLookedAtAtLeast;
      if (patience == Patience::Much) {
        work_left_ = std::max(work_left_, kLookedAtPerPair * (switches_ * switches_ / 2));
      }
    } else if (patience == Patience::Little && work_left_ < kLookedAtAtLeast / 2) {
      return false;
    }
    dice_.shuffle(left);
    fresh_.clear();
    for (const Pair& pair : left) {
      if (work_left_ == 0 || !settle(pair)) return false;
    }
    left.insert(left.end(), fresh_.begin(), fresh_.end());
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    const auto is_settled = [&](const Pair& pair) { return layers(pair.a, pair.b) != 0; };
    left.erase(std::remove_if(left.begin(), left.end(), is_settled), left.end());
  }
  return true;
}

// Takes what was changed, and notes what quarrels come of it.
void Peacemaker::keep() {
  for (const auto& change : forest_.changes()) {
    const auto target = static_cast<std::uint32_t>(change.tree);
    if (layers(target, change.at) != 0 || !matters(destinations_, target, change.at)) continue;
    fresh_.push_back({std::max(target, change.at), std::min(target, change.at)});
  }
  forest_.keep();
}

// False if they have no ways in one layer, whatever became of others.
bool Peacemaker::settle(const Pair& pair) {
  if (layers(pair.a, pair.b) != 0) return true;
  Move best;
  look_along(pair.a, pair.b, best);
  look_along(pair.b, pair.a, best);
  if (best.channel != kNoWay) {
    graft(best.tree, best.at, best.channel);
    keep();
    return true;
  }
  const unsigned count = orders_.count();
  const auto start = static_cast<unsigned>(dice_.below(count));
  for (unsigned i = 0; i < count; ++i) {
    if (lead_both(pair, (start + i) % count)) return true;
  }
  return weight(pair.a, pair.b)++ != kPatience || has_hope(pair);
}

// Whether some layer takes ways there and back.
bool Peacemaker::has_hope(const Pair& pair) {
  for (unsigned layer = 0; layer < orders_.count(); ++layer) {
    if (find_way(pair.a, pair.b, layer, kNoWay) && find_way(pair.b, pair.a, layer, kNoWay)) {
      return true;
    }
  }
  return false;
}

// What it gains.
std::int64_t Peacemaker::graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel) {
  const auto changes = forest_.graft(tree, at, channel);
  work_left_ -= std::min(work_left_, changes.size());
  std::int64_t gain = 0;
  for (const auto& change : changes) {
    const LayerSet back = forest_.layers(change.at, tree);
    const bool was = (change.layers & back) != 0;
    const bool is = (forest_.layers(tree, change.at) & back) != 0;
    if (was == is || !matters(destinations_, tree, change.at)) continue;
    const std::int64_t much = weight(tree, change.at);
    gain += is ? much : -much;
  }
  return gain;
}

bool Peacemaker::may_graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel) const {
  const std::uint32_t to = channels_.to[channel];
  return forest_.leads_through(tree, to, tree) && !forest_.leads_through(tree, to, at);
}

// At the beginning of the way first, where fewest others follow; farther on, the longer it lasts.
void Peacemaker::look_along(std::uint32_t tree, std::uint32_t from, Move& best) {
  std::uint32_t left = weight(tree, from);
  for (std::uint32_t at = from; at != tree && best.gain == 0 && left-- > 0;
       at = channels_.to[forest_.next(tree, at)]) {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (c == forest_.next(tree, at) || !may_graft(tree, at, c)) continue;
      const std::int64_t gain = graft(tree, at, c);
      const std::uint32_t hops = gain > 0 ? forest_.hops(tree, at, tree) : 0;
      if (gain > best.gain || (gain == best.gain && gain > 0 && hops < best.hops)) {
        best = {gain, hops, tree, at, c};
      }
      forest_.take_back();
    }
  }
}

bool Peacemaker::lead_both(const Pair& pair, unsigned layer) {
  // The longer it lasts, the more is tried.
  const std::uint32_t most_new = kNewHops + weight(pair.a, pair.b) - 1;
  std::int64_t gain = 0;
  if (lead(pair.a, pair.b, layer, most_new, gain) && lead(pair.b, pair.a, layer, most_new, gain) &&
      gain > 0) {
    keep();
    return true;
  }
  forest_.take_back();
  return false;
}

bool Peacemaker::find_way(std::uint32_t from, std::uint32_t target, unsigned layer,
                          std::uint32_t most_new) {
  const bool found =
      ways_.find(target, from, layer, most_new, kNoWay - 1, [](std::uint32_t) { return true; });
  work_left_ -= std::min(work_left_, ways_.looked_at());
  return found;
}

// Makes the target's tree lead from a switch along ways in this layer, and adds what that gains.
bool Peacemaker::lead(std::uint32_t from, std::uint32_t target, unsigned layer,
                      std::uint32_t most_new, std::int64_t& gain) {
  if ((forest_.layers(target, from) >> layer & 1) != 0) return true;
  if (!find_way(from, target, layer, most_new)) return false;
  for (const std::uint32_t channel : ways_.way()) {
    const std::uint32_t at = channels_.from[channel];
    if (!may_graft(target, at, channel)) return false;
    if (channel != forest_.next(target, at)) gain += graft(target, at, channel);
  }
  return true;
}

}  // namespace heddle::routing
