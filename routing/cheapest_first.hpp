// SPDX-License-Identifier: BSD-3-Clause
// Deals the LIDs of one switch to the ports of another, each to the one that is cheapest by then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::routing {

// The cost of a port for the next LID: its load in the upper bits (hosts times LIDs, times the
// slowness of its link), its LIDs in the next 16, its position in the lowest 8, so that one
// comparison decides. A port that was skipped for one target, because a link is lost somewhere,
// should not get two of the next one's LIDs instead: all other switches skipped it too, and
// together they would overload a single link down there. So what went to the same target weighs
// most, then what went to its subtree, and an old debt least.
using Cost = std::uint64_t;
inline constexpr unsigned kPositionBits = 8;
inline constexpr unsigned kLoadShift = 24;
inline constexpr Cost kPosition = (Cost{1} << kPositionBits) - 1;
inline constexpr Cost kOneLid = Cost{1} << kPositionBits;
inline constexpr Cost kLoad = ~Cost{0} << kLoadShift;
inline constexpr Cost kWeightInAll = 1;
inline constexpr Cost kWeightInSubtree = 9;  // or more than an old debt
inline constexpr Cost kWeightInTarget = 36;  // or more than that; four times, for cheap division

// What a host's LID adds. One for which nobody's packets come through here adds nothing: others
// would stand in another order at each switch because of it, and in a tree hosts with the same
// place at their switches would not meet at the same port everywhere. No shift would be without
// contention then.
inline Cost cost_of_one_more(std::uint32_t traffic) {
  return traffic == 0 ? 0 : kWeightInTarget * traffic << kLoadShift | kOneLid;
}

// Never the cheapest: no switch has a port of that position.
inline constexpr Cost kNoCost = ~Cost{0};

// Puts one where it belongs among those in order before `end`.
inline void insert_cost(Cost* begin, Cost* end, Cost cost) {
  for (; end != begin && end[-1] > cost; --end) *end = end[-1];
  *end = cost;
}

// Puts those in order that are in none. Each is compared with all: a processor does that faster
// than it guesses wrongly how each of fewer comparisons ends.
inline void sort_costs(const Cost* costs, std::size_t count, Cost* ordered) {
  constexpr std::size_t kTooMany = 24;
  const bool sorted = std::is_sorted(costs, costs + count);  // as they are at first
  if (sorted || count > kTooMany) {
    std::copy_n(costs, count, ordered);
    if (!sorted) std::sort(ordered, ordered + count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t place = 0;
    for (std::size_t j = 0; j < count; ++j) place += costs[j] < costs[i] ? 1 : 0;
    ordered[place] = costs[i];
  }
}

// What has been dealt to waits in a line, with its new cost. What is dealt to next costs no less
// than what was dealt to before, so the line is nearly always in order without any sorting. The
// cheapest of all is the first of the ports that have not been dealt to, or of the line.
class CheapestFirst {
 public:
  static constexpr std::size_t kMostColumns = 256;

  // costs: `count` of them in ascending order, and room for one more behind. traffic: what comes
  // here for each of the LIDs. send(column, position) is told where each goes, and
  // load(column, position, traffic) what that brings there, if anything. Then the costs are those
  // for the next target, in ascending order again.
  template <class Send, class Load>
  void deal(Cost* costs, std::size_t count, const std::uint16_t* traffic, std::size_t columns,
            Send send, Load load);

  // The same for the first `columns` of several LIDs, that all bring the same traffic, and one
  // more, if there is one, that brings none. Nobody may get a second one before all have had one:
  // takes_turns().
  static bool takes_turns(const Cost* costs, std::size_t count, std::uint32_t traffic) {
    return costs[count - 1] < costs[0] + cost_of_one_more(traffic);
  }
  template <class Send, class Load>
  void deal_alike(Cost* costs, std::size_t count, std::uint16_t traffic, std::size_t columns,
                  bool one_more, Send send, Load load);

 private:
  using Line = std::array<Cost, kMostColumns + 1>;  // ends in kNoCost

  // Costs in ascending order with a gap, where others come in.
  struct Queue {
    Cost* begin;
    Cost* gap;
    const Cost* rest;
    const Cost* end;

    void insert(Cost cost) {
      for (; rest != end && *rest < cost; ++rest) *gap++ = *rest;
      insert_cost(begin, gap++, cost);
    }
  };

  Cost for_next_target(Cost cost);

  Line line_{};
  std::array<std::uint32_t, kPosition + 1> traffic_{};  // by position: of this target so far
};

template <class Send, class Load>
void CheapestFirst::deal(Cost* costs, std::size_t count, const std::uint16_t* traffic,
                         std::size_t columns, Send send, Load load) {
  const Cost* next = costs;
  costs[count] = kNoCost;
  Cost* line = line_.data();
  Cost* line_end = line;
  *line = kNoCost;
  for (std::size_t column = 0; column < columns; ++column) {
    const bool is_first_time = *next < *line;
    const Cost least = is_first_time ? *next : *line;
    const std::size_t position = least & kPosition;
    send(column, position);
    if (traffic[column] == 0) continue;  // nothing has changed
    if (is_first_time) {
      ++next;
    } else {
      ++line;
    }
    load(column, position, traffic[column]);
    traffic_[position] += traffic[column];
    insert_cost(line, line_end, least + cost_of_one_more(traffic[column]));
    *++line_end = kNoCost;
  }
  Queue queue{costs, costs, next, costs + count};
  for (; line != line_end; ++line) queue.insert(for_next_target(*line));
}

template <class Send, class Load>
void CheapestFirst::deal_alike(Cost* costs, std::size_t count, std::uint16_t traffic,
                               std::size_t columns, bool one_more, Send send, Load load) {
  const Cost rise = (kWeightInSubtree * traffic << kLoadShift) + kOneLid;
  std::size_t column = 0;
  Cost rounds = 0;
  for (; columns - column >= count; ++rounds) {
    for (std::size_t i = 0; i < count; ++i, ++column) {
      send(column, costs[i] & kPosition);
      load(column, costs[i] & kPosition, traffic);
    }
  }
  const std::size_t rest = columns - column;
  for (std::size_t i = 0; i < count; ++i) costs[i] += rounds * rise;
  for (std::size_t i = 0; i < rest; ++i, ++column) {
    send(column, costs[i] & kPosition);
    load(column, costs[i] & kPosition, traffic);
  }
  if (one_more) send(column, costs[rest] & kPosition);
  for (std::size_t i = 0; i < rest; ++i) costs[i] += rise;
  // The last of those that have risen first, so that each passes only who has not.
  for (std::size_t i = rest; i-- > 0;) {
    const Cost risen = costs[i];
    std::size_t to = i;
    for (; to + 1 < count && costs[to + 1] < risen; ++to) costs[to] = costs[to + 1];
    costs[to] = risen;
  }
}

inline Cost CheapestFirst::for_next_target(Cost cost) {
  std::uint32_t& traffic = traffic_[cost & kPosition];
  cost -= (kWeightInTarget - kWeightInSubtree) * traffic << kLoadShift;
  traffic = 0;
  return cost;
}

}  // namespace heddle::routing
