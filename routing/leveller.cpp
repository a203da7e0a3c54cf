// SPDX-License-Identifier: BSD-3-Clause
#include "routing/leveller.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "routing/hop_counts.hpp"

namespace heddle::routing {
namespace {

// In each step what lies above the mean by more than this part of the greatest excess is lowered.
constexpr std::uint64_t kStep = 16;
constexpr std::size_t kLookedAt = 5'000'000;
// So much may be looked at in vain before no more ways are made shorter; each that was gives some
// of it back.
constexpr std::size_t kLookedAtInVain = 1'000'000;
constexpr std::size_t kGivenBack = 20'000;
// So many trees may be passed over at the cost of one look: those that do not use a channel.
constexpr std::size_t kPassedOver = 16;
constexpr std::uint32_t kNewHops = 4;
struct Phase {
  std::uint32_t slack = 0;
  bool leads = false;
};
constexpr Phase kPhases[] = {{0, false}, {1, false}, {2, false}, {1, true}, {3, true}};

}  // namespace

Leveller::Leveller(const CompactChannels& channels, const LayerOrders& orders,
                   OrderedForest& forest, Flows flows, bool mutual, Allows allows)
    : channels_(channels),
      orders_(orders),
      forest_(forest),
      flows_(flows),
      mutual_(mutual),
      allows_(std::move(allows)),
      ways_(channels, orders, forest),
      flow_(forest.switch_count()),
      marked_(forest.switch_count()),
      hops_at_(forest.switch_count()) {}

void Leveller::level(std::span<const std::uint32_t> trees) {
  const ChannelLoads& loads = flows_.loads;
  if (loads.empty()) return;
  work_left_ = kLookedAt;
  const std::uint64_t mean =
      std::accumulate(loads.begin(), loads.end(), std::uint64_t{0}) / loads.size();
  std::size_t phase = 0;
  std::uint64_t step = kStep;
  while (work_left_ > 0) {
    const std::uint64_t most = *std::max_element(loads.begin(), loads.end());
    if (most <= mean + 1 || (phase > 0 && most <= flows_.enough)) return;
    slack_ = kPhases[phase].slack;
    leads_ = kPhases[phase].leads;
    const std::uint64_t below = std::max<std::uint64_t>((most - mean) / step, 1);
    if (lower(most - below, trees)) {
      continue;
    } else if (below > 1) {
      step *= 2;
    } else if (++phase == std::size(kPhases)) {
      return;
    } else {
      step = kStep;
    }
  }
}

// What stood in the way may be gone after others have moved, so all are tried again.
bool Leveller::shorten(std::span<const std::uint32_t> trees) {
  if (flows_.loads.empty()) return false;
  const HopCounts fewest(channels_);
  work_left_ = kLookedAtInVain;
  busy_ = kNoWay;
  limit_ = *std::max_element(flows_.loads.begin(), flows_.loads.end());
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (const std::uint32_t tree : trees) {
      const std::uint32_t target = forest_.target(tree);
      for (std::uint32_t s = 0; s < forest_.switch_count(); ++s) {
        if (work_left_ == 0) return any;
        if (forest_.next(tree, s) == kNoWay) continue;
        if (forest_.hops(tree, s, target) == fewest(s, target)) continue;
        if (!lead_away(tree, s, -1, 1)) continue;
        any = again = true;
        work_left_ = std::min(work_left_ + kGivenBack, kLookedAtInVain);
      }
    }
  }
  return any;
}

// Whether all channels keep to the limit after it.
bool Leveller::lower(std::uint64_t limit, std::span<const std::uint32_t> trees) {
  limit_ = limit;
  const ChannelLoads& loads = flows_.loads;
  busiest_.clear();
  for (std::uint32_t c = 0; c < channels_.count(); ++c) {
    if (loads[c] > limit) busiest_.push_back(c);
  }
  std::stable_sort(busiest_.begin(), busiest_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return loads[a] > loads[b]; });
  bool whole = true;
  for (const std::uint32_t channel : busiest_) {
    relieve(channel, trees);
    whole = whole && loads[channel] <= limit;
  }
  return whole;
}

void Leveller::relieve(std::uint32_t channel, std::span<const std::uint32_t> trees) {
  busy_ = channel;
  const auto relieve_by = [&](const auto& move) {
    const std::uint32_t from = channels_.from[channel];
    work_left_ -= std::min(work_left_, trees.size() / kPassedOver);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      // Not always the same ones first.
      const std::uint32_t tree = trees[(i + channel) % trees.size()];
      if (forest_.next(tree, from) != channel) continue;
      measure_branch(tree, from);
      relieved_ = branch_;
      for (const std::uint32_t at : relieved_) {
        if (flows_.loads[channel] <= limit_ || work_left_ == 0) return;
        --work_left_;
        if (move(tree, at)) break;
      }
    }
  };
  relieve_by([&](std::uint32_t tree, std::uint32_t at) { return graft_away(tree, at); });
  if (!leads_) return;
  const int slack = static_cast<int>(slack_);
  relieve_by(
      [&](std::uint32_t tree, std::uint32_t at) { return lead_away(tree, at, slack, slack); });
}

// What flows from the branch and each branch of it.
std::uint64_t Leveller::measure_branch(std::uint32_t tree, std::uint32_t at) {
  const auto branch = forest_.branch(tree, at);
  branch_.assign(branch.begin(), branch.end());
  for (const std::uint32_t one : branch_) {
    flow_[one] = std::uint64_t{flows_.sent[one]} * flows_.weight[tree];
  }
  for (std::size_t b = branch_.size(); b-- > 1;) {
    flow_[channels_.to[forest_.next(tree, branch_[b])]] += flow_[branch_[b]];
  }
  return flow_[at];
}

void Leveller::mark_way(std::uint32_t tree, std::uint32_t at) {
  ++mark_;
  std::uint32_t hops = 0;
  for (std::uint32_t here = at;; here = channels_.to[forest_.next(tree, here)], ++hops) {
    marked_[here] = mark_;
    hops_at_[here] = hops;
    if (here == forest_.target(tree)) return;
  }
}

// Other ways for a branch, which leave what is common with the old one as it is.
void Leveller::find_grafts(std::uint32_t tree, std::uint32_t at) {
  mark_way(tree, at);
  const std::uint64_t flow = flow_[at];
  const std::uint32_t most = hops_at_[forest_.target(tree)] + slack_;
  const std::uint32_t gap = hops_at_[channels_.from[busy_]];
  grafts_.clear();
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    if (c == forest_.next(tree, at)) continue;
    std::uint64_t peak = flows_.loads[c] + flow;
    std::uint32_t here = channels_.to[c], hops = 1;
    while (marked_[here] != mark_ && peak <= limit_ && hops <= most) {
      const std::uint32_t next = forest_.next(tree, here);
      if (next == kNoWay) break;
      peak = std::max(peak, flows_.loads[next] + flow);
      here = channels_.to[next];
      ++hops;
    }
    // It joins the old way behind the busy channel.
    if (peak > limit_ || marked_[here] != mark_ || hops_at_[here] <= gap) continue;
    hops += most - slack_ - hops_at_[here];
    if (hops <= most) grafts_.push_back({hops, peak, c});
  }
  std::sort(grafts_.begin(), grafts_.end());
}

bool Leveller::graft_away(std::uint32_t tree, std::uint32_t at) {
  if (flow_[at] == 0) return false;
  find_grafts(tree, at);
  for (const Graft& one : grafts_) {
    graft(tree, at, one.channel);
    if (settle()) return true;
  }
  return false;
}

// more_hops: than now, at most; if fewer, all channels together shall carry less.
bool Leveller::lead_away(std::uint32_t tree, std::uint32_t at, int more_hops, int more_hops_back) {
  const std::uint32_t target = forest_.target(tree);
  for (unsigned layer = 0; layer < orders_.count(); ++layer) {
    const auto has_way_back = [&] {
      return !mutual_ || (forest_.layers(at, target) >> layer & 1) != 0 ||
             lead(at, target, layer, more_hops_back);
    };
    const auto gains = [&] { return more_hops >= 0 || more_ < 0; };
    if (lead(tree, at, layer, more_hops) && has_way_back() && gains() && settle()) return true;
    take_back();
  }
  return false;
}

// Leads a branch by other ways, in this layer, over channels that are not busy.
bool Leveller::lead(std::uint32_t tree, std::uint32_t from, unsigned layer, int more_hops) {
  const std::uint64_t flow = measure_branch(tree, from);
  if (flow == 0) return false;
  mark_way(tree, from);
  const auto own = [&](std::uint32_t c) {
    return forest_.next(tree, channels_.from[c]) == c && marked_[channels_.from[c]] == mark_;
  };
  const int hops = static_cast<int>(hops_at_[forest_.target(tree)]);
  const bool found = ways_.find(
      tree, from, layer, kNewHops, static_cast<std::uint32_t>(hops + more_hops),
      [&](std::uint32_t c) { return c != busy_ && (flows_.loads[c] + flow <= limit_ || own(c)); });
  work_left_ -= std::min(work_left_, ways_.looked_at());
  if (!found) return false;
  for (const std::uint32_t channel : ways_.way()) {
    const std::uint32_t at = channels_.from[channel];
    if (channel == forest_.next(tree, at)) continue;
    if (forest_.leads_through(tree, channels_.to[channel], at)) return false;
    measure_branch(tree, at);
    graft(tree, at, channel);
  }
  return true;
}

void Leveller::graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel) {
  const std::uint64_t flow = flow_[at];
  add(tree, at, flow, true);
  forest_.graft(tree, at, channel);
  add(tree, at, flow, false);
}

void Leveller::add(std::uint32_t tree, std::uint32_t at, std::uint64_t flow, bool take_off) {
  for (; at != forest_.target(tree); at = channels_.to[forest_.next(tree, at)]) {
    const std::uint32_t channel = forest_.next(tree, at);
    std::uint64_t& load = flows_.loads[channel];
    loaded_.push_back({channel, load});
    load = take_off ? load - flow : load + flow;
    more_ += static_cast<std::int64_t>(load - loaded_.back().before);
  }
}

// Keeps what was changed, if that overloads nothing and is allowed; otherwise takes it back.
bool Leveller::settle() {
  ChannelLoads& loads = flows_.loads;
  // The first entry of a channel says what it carried.
  const auto first = [&](const Loaded& one) {
    return std::find_if(loaded_.begin(), loaded_.end(),
                        [&](const Loaded& other) { return other.channel == one.channel; })
        ->before;
  };
  const bool overloads = std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& one) {
    return loads[one.channel] > limit_ && loads[one.channel] > first(one);
  });
  const bool good = !overloads && allows_(forest_.changes());
  if (good) {
    forest_.keep();
    loaded_.clear();
    more_ = 0;
  } else {
    take_back();
  }
  return good;
}

void Leveller::take_back() {
  more_ = 0;
  forest_.take_back();
  for (; !loaded_.empty(); loaded_.pop_back()) {
    flows_.loads[loaded_.back().channel] = loaded_.back().before;
  }
}

}  // namespace heddle::routing
