// SPDX-License-Identifier: BSD-3-Clause
// Trees in given layers against the same trees grown by asking everybody again and again.
#include "routing/ordered_trees.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/islands.hpp"
#include "routing/layer_orders.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/support/networks.hpp"

namespace heddle::routing {
namespace {

enum class Wish { Shortest, Longer, AnyLayer, NoMatter };

// One round over all after the other, nearest first, as long as somebody finds a way; then one who
// takes any layer, or else any shortest way, and rounds again.
class PatientTree {
 public:
  PatientTree(const CompactChannels& channels, const LayerOrders& orders, std::uint32_t target,
              const std::vector<LayerSet>& wanted, const ChannelLoads& loads)
      : next(channels.first.size() - 1, kNoWay),
        channels_(channels),
        orders_(orders),
        target_(target),
        wanted_(wanted),
        loads_(loads),
        fewest_(next.size(), kNoWay),
        hops_(next.size(), kNoWay),
        layers_(next.size()),
        cost_(next.size()) {
    fewest_[target] = hops_[target] = 0;
    nearest_first_.push_back(target);
    for (std::size_t i = 0; i < nearest_first_.size(); ++i) {
      for (std::uint32_t c = first(nearest_first_[i]); c < first(nearest_first_[i] + 1); ++c) {
        if (fewest_[channels.to[c]] != kNoWay) continue;
        fewest_[channels.to[c]] = fewest_[nearest_first_[i]] + 1;
        nearest_first_.push_back(channels.to[c]);
      }
    }
    for (const std::uint32_t at : nearest_first_) attach(at, Wish::Shortest);
    do {
      while (ask_all()) {
      }
    } while (one_more(Wish::AnyLayer) || one_more(Wish::NoMatter));
  }

  std::vector<std::uint32_t> next;  // by switch
  unsigned longer = 0, against = 0;

 private:
  std::uint32_t first(std::uint32_t at) const { return channels_.first[at]; }

  bool ask_all() {
    unsigned found = 0;
    for (const std::uint32_t at : nearest_first_) found += attach(at, Wish::Longer) ? 1 : 0;
    longer += found;
    return found > 0;
  }
  bool one_more(Wish wish) {
    const bool found = std::any_of(nearest_first_.begin(), nearest_first_.end(),
                                   [&](std::uint32_t at) { return attach(at, wish); });
    against += found ? 1 : 0;
    return found;
  }

  bool is_granted(std::uint32_t at, Wish wish, LayerSet layers) const {
    if (wish == Wish::NoMatter) return true;
    if (wish == Wish::AnyLayer) return layers != 0;
    return wanted_[at] == 0 || (layers & wanted_[at]) != 0;
  }
  LayerSet layers_by(std::uint32_t c) const {
    const std::uint32_t to = channels_.to[c];
    return to == target_ ? orders_.all()
                         : static_cast<LayerSet>(layers_[to] & orders_.admit(c, next[to]));
  }

  // By the way of the fewest hops, then the least load; equal ones in the target's turn.
  bool attach(std::uint32_t at, Wish wish) {
    if (hops_[at] != kNoWay) return false;
    const std::uint32_t count = first(at + 1) - first(at);
    std::uint32_t best = kNoWay;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t c = first(at) + (target_ + i) % count, to = channels_.to[c];
      if (hops_[to] == kNoWay) continue;
      if (wish != Wish::Longer && fewest_[to] >= fewest_[at]) continue;
      if (!is_granted(at, wish, layers_by(c))) continue;
      if (best == kNoWay || rank(c) < rank(best)) best = c;
    }
    if (best == kNoWay) return false;
    const std::uint32_t to = channels_.to[best];
    layers_[at] = layers_by(best);
    next[at] = best;
    hops_[at] = hops_[to] + 1;
    cost_[at] = cost_[to] + loads_[best];
    return true;
  }
  std::pair<std::uint32_t, std::uint64_t> rank(std::uint32_t c) const {
    return {hops_[channels_.to[c]], cost_[channels_.to[c]] + loads_[c]};
  }

  const CompactChannels& channels_;
  const LayerOrders& orders_;
  std::uint32_t target_;
  const std::vector<LayerSet>& wanted_;
  const ChannelLoads& loads_;
  std::vector<std::uint32_t> nearest_first_, fewest_, hops_;
  std::vector<LayerSet> layers_;
  std::vector<std::uint64_t> cost_;
};

// Most want one of the layers, some none.
std::vector<LayerSet> drawn_wishes(base::Prng& dice, std::size_t switches, unsigned layers) {
  std::vector<LayerSet> wanted(switches);
  for (LayerSet& one : wanted) {
    const auto layer = static_cast<unsigned>(dice.below(layers + 1));
    one = layer == layers ? LayerSet{0} : static_cast<LayerSet>(1u << layer);
  }
  return wanted;
}

TEST(OrderedTrees, AreThoseOfWhoeverAsksAllAgainAndAgain) {
  unsigned longer = 0, against = 0;
  for (const auto& recipe :
       {support::degraded(support::torus({6, 6, 6}, 1), 40, 1), support::torus({9, 5}, 1),
        support::random_regular(100, 5, 1, 1), support::random_regular(60, 3, 1, 2)}) {
    const Subnet subnet(recipe);
    const CompactChannels channels(subnet.topology);
    const auto orders = ranked_orders(channels, fabric::Islands(subnet.topology), 4);
    const auto switches = static_cast<std::uint32_t>(subnet.topology.switch_count());
    base::Prng dice(3);
    ChannelLoads loads(channels.count());
    for (std::uint64_t& load : loads) load = dice.below(20);
    OrderedTrees trees(channels, orders);
    for (std::uint32_t target = 0; target < switches; ++target) {
      const auto wanted = drawn_wishes(dice, switches, orders.count());
      const PatientTree plain(channels, orders, target, wanted, loads);
      trees.grow_anyway(target, wanted, loads);
      for (std::uint32_t s = 0; s < switches; ++s) {
        ASSERT_EQ(trees.next(s), plain.next[s]) << "from " << s << " to " << target;
      }
      longer += plain.longer;
      against += plain.against;
    }
  }
  EXPECT_GT(longer, 1000u);  // or else nothing was asked twice
  EXPECT_GT(against, 1000u);
}

}  // namespace
}  // namespace heddle::routing
