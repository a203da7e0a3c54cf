// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_shape.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "routing/tree_pieces.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint32_t kUnplaced = 0xFFFF'FFFF;

}  // namespace

// Makes `position`. A switch is covered when some way leads down to it from one that is placed: it
// can then be placed later, by its level, with neighbours above it only. What is not covered hangs
// below a covered neighbour, which is a valley that ways may pass.
class TreeShape::Orderer {
 public:
  Orderer(const TreeShape& shape, const std::vector<std::uint32_t>& level)
      : shape_(shape), level_(level), position_(level.size(), kUnplaced), covered_(level.size()) {}

  void place_island(const std::vector<fabric::SwitchIndex>& members) {
    const std::uint32_t top = choose_top(members);
    tops_.push_back(top);
    place(top);
    cover_from(top);
    while (!valleys_.empty()) {
      const std::uint32_t at = valleys_.top().second;
      valleys_.pop();
      if (has_uncovered_above(at)) hang_below(at);
    }
    for (const fabric::SwitchIndex at : members) gather(at.value);
    place_gathered();
  }

  const std::vector<std::uint32_t>& order() const { return order_; }
  std::vector<std::uint32_t> take_positions() { return std::move(position_); }
  std::vector<std::uint32_t> take_tops() { return std::move(tops_); }

 private:
  template <class Visit>
  void for_each_above(std::uint32_t at, Visit visit) const {
    for (const Group& group : shape_.neighbours(at)) {
      if (is_higher(group.to, at)) visit(group.to);
    }
  }
  bool is_higher(std::uint32_t a, std::uint32_t b) const {
    return level_[a] != level_[b] ? level_[a] > level_[b] : a < b;
  }

  // The highest with the most neighbours: it has lost least.
  std::uint32_t choose_top(const std::vector<fabric::SwitchIndex>& members) const {
    std::uint32_t top = members.front().value;
    const auto key = [this](std::uint32_t at) {
      return std::make_pair(level_[at], shape_.neighbours(at).size());
    };
    for (const fabric::SwitchIndex at : members) {
      if (key(at.value) > key(top)) top = at.value;
    }
    // One of the same level may be higher.
    for (bool climbed = true; climbed;) {
      climbed = false;
      const std::uint32_t from = top;
      for_each_above(from, [&](std::uint32_t above) {
        if (!climbed) top = above;
        climbed = true;
      });
    }
    return top;
  }

  void place(std::uint32_t at) {
    position_[at] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(at);
  }

  void cover_from(std::uint32_t from) {
    if (covered_[from] == 0) cover(from);
    stack_.assign(1, from);
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back();
      stack_.pop_back();
      for (const Group& group : shape_.neighbours(at)) {
        if (covered_[group.to] != 0 || !is_higher(at, group.to)) continue;
        cover(group.to);
        stack_.push_back(group.to);
      }
    }
  }
  // Valleys in the upper levels are used first: they take least from the leaves.
  void cover(std::uint32_t at) {
    covered_[at] = 1;
    valleys_.emplace(std::make_pair(level_[at], ~at), at);
  }

  bool has_uncovered_above(std::uint32_t at) const {
    bool found = false;
    for_each_above(at, [&](std::uint32_t above) { found |= covered_[above] == 0; });
    return found;
  }

  // Below `valley` comes all that is up from it and not covered, nearest first.
  void hang_below(std::uint32_t valley) {
    gather_with_covered_above(valley);
    place_gathered();
    std::vector<std::uint32_t> hung;
    const auto hang = [&](std::uint32_t above) {
      if (covered_[above] != 0 || position_[above] != kUnplaced) return;
      place(above);
      hung.push_back(above);
    };
    for_each_above(valley, hang);
    for (std::size_t i = 0; i < hung.size(); ++i) for_each_above(hung[i], hang);
    for (const std::uint32_t at : hung) cover_from(at);
  }

  void gather(std::uint32_t at) {
    if (position_[at] == kUnplaced) gathered_.push_back(at);
  }

  void gather_with_covered_above(std::uint32_t from) {
    if (position_[from] != kUnplaced) return;
    std::vector<std::uint32_t> seen{from};
    marked_.resize(level_.size());
    marked_[from] = 1;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for_each_above(seen[i], [&](std::uint32_t above) {
        if (marked_[above] != 0 || covered_[above] == 0) return;
        if (position_[above] != kUnplaced) return;
        marked_[above] = 1;
        seen.push_back(above);
      });
    }
    for (const std::uint32_t at : seen) {
      marked_[at] = 0;
      gather(at);
    }
  }

  void place_gathered() {
    std::sort(gathered_.begin(), gathered_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return is_higher(a, b); });
    for (const std::uint32_t at : gathered_) place(at);
    gathered_.clear();
  }

  const TreeShape& shape_;
  const std::vector<std::uint32_t>& level_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> tops_;  // by island
  std::vector<std::uint8_t> covered_, marked_;
  std::vector<std::uint32_t> stack_, gathered_;
  std::priority_queue<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> valleys_;
};

TreeShape::TreeShape(const fabric::Topology& topology, const std::vector<std::uint32_t>& level)
    : islands_(topology) {
  collect_groups(topology);
  Orderer orderer(*this, level);
  for (std::size_t i = 0; i < islands_.count(); ++i) orderer.place_island(islands_.members(i));
  const std::vector<std::uint32_t> order = orderer.order();
  top_ = orderer.take_tops();
  position_ = orderer.take_positions();
  find_directions(level);
  find_ways_to_top(order);
  const auto plane = find_planes(topology, level);
  split_groups(plane);
  find_ways_up(level, plane);
  find_bottom_up();
  find_dividers();
}

void TreeShape::collect_groups(const fabric::Topology& topology) {
  CompactChannels channels(topology);
  groups_.reserve(channels.count());
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    first_.push_back(static_cast<std::uint32_t>(groups_.size()));
    for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
      const std::uint32_t to = channels.to[c];
      if (groups_.size() == first_.back() || groups_.back().to != to) groups_.push_back({to, c, 0});
      ++groups_.back().port_count;
    }
  }
  ports_ = std::move(channels.out);
  first_.push_back(static_cast<std::uint32_t>(groups_.size()));
}

// Who has only one neighbour before it, which stands lower, keeps its place above that one.
void TreeShape::find_directions(const std::vector<std::uint32_t>& level) {
  hung_.assign(switch_count(), 0);
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    unsigned before = 0;
    bool lower = false;
    for (const Group& group : neighbours(s)) {
      if (position_[group.to] > position_[s]) continue;
      ++before;
      const bool same = level[group.to] == level[s];
      lower = same ? s < group.to : level[group.to] < level[s];
    }
    HEDDLE_CHECK(before > 0 || top_of_island(s) == s);
    hung_[s] = before == 1 && lower ? 1 : 0;
  }
}

bool TreeShape::is_above(std::uint32_t a, std::uint32_t b) const {
  const bool before = position_[a] < position_[b];
  return before != (hung_[before ? b : a] != 0);
}

void TreeShape::find_ways_to_top(const std::vector<std::uint32_t>& order) {
  toward_top_.resize(switch_count());
  std::vector<std::uint32_t> distance(switch_count());
  for (const std::uint32_t at : order) {
    toward_top_[at] = at;
    for (const Group& group : neighbours(at)) {
      if (position_[group.to] > position_[at]) continue;
      if (toward_top_[at] != at && distance[group.to] + 1 >= distance[at]) continue;
      toward_top_[at] = group.to;
      distance[at] = distance[group.to] + 1;
    }
  }
}

void TreeShape::split_groups(const std::vector<std::uint32_t>& plane) {
  first_down_.resize(switch_count());
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    const auto begin = groups_.begin() + first_[s];
    const auto end = groups_.begin() + first_[s + 1];
    const auto down =
        std::stable_partition(begin, end, [&](const Group& g) { return is_above(g.to, s); });
    std::stable_sort(begin, down, [&](const Group& a, const Group& b) {
      return plane[a.to] < plane[b.to];  // stable: they come by the switches they lead to
    });
    first_down_[s] = static_cast<std::uint32_t>(down - groups_.begin());
  }
}

namespace {

// A way up, as all switches of one level and plane know it: the plane that it leads to, and which
// of those that lead there.
struct Way {
  std::uint32_t to = 0;  // plane
  std::uint32_t number = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};

// What switches of one level and plane have together.
struct Nominal {
  std::vector<Way> ways;  // in order
  std::uint32_t most_cables = 0;

  void add(const std::vector<Way>& own) {
    if (std::includes(ways.begin(), ways.end(), own.begin(), own.end())) return;
    std::vector<Way> all;
    std::set_union(ways.begin(), ways.end(), own.begin(), own.end(), std::back_inserter(all));
    ways = std::move(all);
  }
};

constexpr std::size_t kFewWays = 4;  // missing at most one of so many

}  // namespace

void TreeShape::find_ways_up(const std::vector<std::uint32_t>& level,
                             const std::vector<std::uint32_t>& plane) {
  const auto kind = [&](std::uint32_t at) { return std::uint64_t{level[at]} << 32 | plane[at]; };
  std::vector<Way> own;  // in order
  const auto find_own = [&](std::uint32_t at) {
    own.clear();
    for (const Group& group : up(at)) {
      const bool another = !own.empty() && own.back().to == plane[group.to];
      own.push_back({plane[group.to], another ? own.back().number + 1 : 0});
    }
  };
  std::map<std::uint64_t, Nominal> nominal;  // by kind
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    find_own(s);
    Nominal& all = nominal[kind(s)];
    all.add(own);
    for (const Group& group : up(s)) all.most_cables = std::max(all.most_cables, group.port_count);
  }
  cables_.assign(switch_count(), 1);
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    first_way_.push_back(static_cast<std::uint32_t>(ways_.size()));
    find_own(s);
    if (own.empty()) continue;
    const auto& [all, most_cables] = nominal[kind(s)];
    cables_[s] = most_cables;
    const bool as_it_is = (all.size() - own.size()) * kFewWays > all.size();
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size() && !as_it_is; ++i) {
      const bool present = next < own.size() && own[next] == all[i];
      ways_.push_back(present ? static_cast<std::uint8_t>(next++) : kMissing);
    }
    for (; next < own.size(); ++next) ways_.push_back(static_cast<std::uint8_t>(next));
  }
  first_way_.push_back(static_cast<std::uint32_t>(ways_.size()));
}

void TreeShape::find_bottom_up() {
  std::vector<std::size_t> below(switch_count());
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    below[s] = down(s).size();
    if (below[s] == 0) bottom_up_.push_back(s);
  }
  for (std::size_t i = 0; i < bottom_up_.size(); ++i) {
    for (const Group& group : up(bottom_up_[i])) {
      if (--below[group.to] == 0) bottom_up_.push_back(group.to);
    }
  }
  HEDDLE_CHECK(bottom_up_.size() == switch_count());
}

void TreeShape::find_dividers() {
  divider_.assign(switch_count(), 1);
  for (const std::uint32_t at : bottom_up_) {
    const std::size_t ways = ways_up(at).size();
    for (const Group& group : up(at)) {
      const std::size_t wanted = std::min<std::size_t>(divider_[at] * ways, kMostDivider);
      divider_[group.to] = std::max(divider_[group.to], static_cast<std::uint32_t>(wanted));
    }
  }
}

const TreeShape::Group& TreeShape::toward(std::uint32_t at, std::uint32_t neighbour) const {
  const auto all = neighbours(at);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Group& g) { return g.to == neighbour; });
  HEDDLE_CHECK(found != all.end());
  return *found;
}

}  // namespace heddle::routing
