// SPDX-License-Identifier: BSD-3-Clause
// What climbing and descending mean in a fat tree with holes, such that whatever ftree makes of it
// is free of credit loops and reaches everything.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/islands.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

// A link leads up if it leads to a higher level; of two switches of one level the one with the
// lower index is higher. Ways that climb and then descend (direct ways) are free of credit loops,
// but between some switches there are none: from one top switch to another, or where links are
// missing. For those there is an order of all switches (`position`) in which only one switch of
// each island, its top, has no neighbour before it. It is made so that whoever goes against the
// levels in it (the other roots, of the tree and of its planes) has a single neighbour before
// itself. Then every direct way, too, is one that first goes forward in that order and then back,
// and direct ways may be mixed with ways along the order: what is at most one turn in one fixed
// order closes no cycle. Where no such order exists (planes that overlap in part), a few links
// change their direction instead.
class TreeShape {
 public:
  // Parallel cables to one switch. Ports ascend.
  struct Group {
    std::uint32_t to = 0;
    std::uint32_t first_port = 0;
    std::uint32_t port_count = 0;
  };

  // level: by switch.
  TreeShape(const fabric::Topology& topology, const std::vector<std::uint32_t>& level);

  std::size_t switch_count() const { return position_.size(); }
  // Those that lead up: plane by plane, in the same order of planes at all switches of one level.
  std::span<const Group> up(std::uint32_t at) const {
    return std::span(groups_).subspan(first_[at], first_down_[at] - first_[at]);
  }
  std::span<const Group> down(std::uint32_t at) const {
    return std::span(groups_).subspan(first_down_[at], first_[at + 1] - first_down_[at]);
  }
  std::span<const Group> neighbours(std::uint32_t at) const {
    return std::span(groups_).subspan(first_[at], first_[at + 1] - first_[at]);
  }
  const Group& toward(std::uint32_t at, std::uint32_t neighbour) const;
  std::span<const std::uint8_t> ports(const Group& group) const {
    return std::span(ports_).subspan(group.first_port, group.port_count);
  }

  // The ways up as they would be if nothing were missing: group numbers of up(), kMissing where
  // switches of the same plane have a way that this one has not. So what takes the other ways goes
  // on taking them when one is lost. A switch with far fewer ways than others is taken as it is.
  std::span<const std::uint8_t> ways_up(std::uint32_t at) const {
    return std::span(ways_).subspan(first_way_[at], first_way_[at + 1] - first_way_[at]);
  }
  static constexpr std::uint8_t kMissing = 0xFF;
  // Cables that each way would have, at least 1.
  std::uint32_t cables_up(std::uint32_t at) const { return cables_[at]; }

  // By switch, its place in the order that has one top in each island.
  const std::vector<std::uint32_t>& positions() const { return position_; }
  // Every switch once, after all that lie below it.
  const std::vector<std::uint32_t>& bottom_up() const { return bottom_up_; }
  // The neighbour before this switch on the shortest way to its island's top; itself at the top.
  std::uint32_t toward_top(std::uint32_t at) const { return toward_top_[at]; }
  std::uint32_t top_of_island(std::uint32_t at) const { return top_[islands_.of({at})]; }
  std::uint32_t island(std::uint32_t at) const { return islands_.of({at}); }

  // How many destinations in a row should take one way up: the product of the numbers of ways
  // that those below had, at most kMostDivider.
  std::uint32_t divider(std::uint32_t at) const { return divider_[at]; }
  static constexpr std::uint32_t kMostDivider = 1u << 20;

 private:
  class Orderer;
  void collect_groups(const fabric::Topology& topology);
  void find_directions(const std::vector<std::uint32_t>& level);
  void split_groups(const std::vector<std::uint32_t>& plane);
  void find_ways_up(const std::vector<std::uint32_t>& level,
                    const std::vector<std::uint32_t>& plane);
  void find_bottom_up();
  void find_ways_to_top(const std::vector<std::uint32_t>& order);
  void find_dividers();
  bool is_above(std::uint32_t a, std::uint32_t b) const;

  fabric::Islands islands_;
  std::vector<std::uint32_t> position_;  // by switch
  std::vector<std::uint8_t> hung_;       // by switch: above the only one that stands before it
  std::vector<std::uint32_t> top_;       // by island
  std::vector<std::uint32_t> first_;     // into groups_, by switch, one more at the end
  std::vector<std::uint32_t> first_down_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> ports_;
  std::vector<std::uint32_t> first_way_;  // into ways_, by switch, one more at the end
  std::vector<std::uint8_t> ways_;
  std::vector<std::uint32_t> cables_;
  std::vector<std::uint32_t> bottom_up_;
  std::vector<std::uint32_t> toward_top_;
  std::vector<std::uint32_t> divider_;
};

}  // namespace heddle::routing
