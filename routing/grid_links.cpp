// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_links.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "routing/disjoint_sets.hpp"
#include "routing/grid.hpp"

namespace heddle::routing {
namespace {

// Looking at all squares takes the cube of the neighbours, for each switch.
constexpr std::uint64_t kMaxWork = 1'000'000'000;

// A square without diagonals whose first corner is at `at`, with the arcs to two neighbours; far:
// the fourth corner, or kNone if there is not exactly one.
struct Corner {
  std::uint32_t to_a, to_b;  // arcs
  std::uint32_t far;         // switch
};

template <class Visit>
void for_each_corner(const Arcs& arcs, const Visit& visit) {
  const std::size_t switches = arcs.first.size() - 1;
  std::vector<std::uint32_t> beside_u(switches, Arcs::kNone), beside_a(switches, Arcs::kNone);
  for (std::uint32_t u = 0; u < switches; ++u) {
    for (std::uint32_t i = arcs.first[u]; i < arcs.first[u + 1]; ++i) beside_u[arcs.to[i]] = u;
    for (std::uint32_t i = arcs.first[u]; i < arcs.first[u + 1]; ++i) {
      const std::uint32_t a = arcs.to[i];
      for (std::uint32_t n = arcs.first[a]; n < arcs.first[a + 1]; ++n) beside_a[arcs.to[n]] = i;
      for (std::uint32_t j = i + 1; j < arcs.first[u + 1]; ++j) {
        const std::uint32_t b = arcs.to[j];
        if (beside_a[b] == i) {  // a triangle: all of one row
          visit(Corner{i, j, Arcs::kNone});
          continue;
        }
        std::uint32_t far = Arcs::kNone;
        unsigned found = 0;
        for (std::uint32_t n = arcs.first[b]; n < arcs.first[b + 1]; ++n) {
          const std::uint32_t x = arcs.to[n];
          if (x == u || beside_a[x] != i || beside_u[x] == u) continue;
          far = x;
          ++found;
        }
        visit(Corner{i, j, found == 1 ? far : Arcs::kNone});
      }
    }
  }
}

class BitRows {
 public:
  explicit BitRows(std::size_t side) : words_((side + 63) / 64), bits_(side * words_) {}
  void set(std::size_t row, std::size_t bit) {
    bits_[row * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void merge(std::size_t into, std::size_t from) {
    for (std::size_t w = 0; w < words_; ++w) bits_[into * words_ + w] |= bits_[from * words_ + w];
  }
  unsigned common(std::size_t row, const BitRows& other, std::size_t other_row) const {
    unsigned count = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      count += static_cast<unsigned>(
          std::popcount(bits_[row * words_ + w] & other.bits_[other_row * words_ + w]));
    }
    return count;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::vector<std::uint32_t> kinds_of(const Arcs& arcs, std::size_t& count) {
  DisjointSets sets(arcs.to.size());
  for_each_corner(arcs, [&](const Corner& corner) {
    if (corner.far == Arcs::kNone) return;
    const std::uint32_t a_on = arcs.between(arcs.to[corner.to_a], corner.far);
    const std::uint32_t b_on = arcs.between(arcs.to[corner.to_b], corner.far);
    sets.unite(corner.to_a, b_on);
    sets.unite(corner.to_b, a_on);
    sets.unite(arcs.reverse[corner.to_a], arcs.reverse[b_on]);
    sets.unite(arcs.reverse[corner.to_b], arcs.reverse[a_on]);
  });
  std::vector<std::uint32_t> kind(arcs.to.size(), Arcs::kNone);
  count = 0;
  for (std::uint32_t i = 0; i < kind.size(); ++i) {
    const std::uint32_t first = sets.find(i);  // not after i
    kind[i] = first == i ? static_cast<std::uint32_t>(count++) : kind[first];
  }
  return kind;
}

// Two kinds that meet in a square lie on different axes. Two that meet without one lie on the same
// axis, unless just this square is damaged; so those go together first that differ from the most
// common third ones, and never two groups of which two are known to differ.
void group_into_axes(const Arcs& arcs, ParallelArcs& parallel) {
  const std::size_t kinds = parallel.reverse.size();
  const auto link_kind = [&](std::uint32_t arc) {
    const std::uint32_t kind = parallel.kind_of[arc];
    return std::min(kind, parallel.reverse[kind]);
  };
  BitRows differ(kinds), members(kinds);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> meetings;
  for_each_corner(arcs, [&](const Corner& corner) {
    const std::uint32_t one = link_kind(corner.to_a), other = link_kind(corner.to_b);
    if (one == other) return;
    const std::uint32_t a = std::min(one, other), b = std::max(one, other);
    if (corner.far == Arcs::kNone) {
      ++meetings[{a, b}];
    } else {
      differ.set(a, b);
      differ.set(b, a);
    }
  });
  struct Meeting {
    std::uint32_t alike, count, a, b;
  };
  std::vector<Meeting> order;
  for (const auto& [pair, count] : meetings) {
    order.push_back(
        {differ.common(pair.first, differ, pair.second), count, pair.first, pair.second});
  }
  std::stable_sort(order.begin(), order.end(), [](const Meeting& x, const Meeting& y) {
    return x.alike != y.alike ? x.alike > y.alike : x.count > y.count;
  });
  for (std::size_t k = 0; k < kinds; ++k) members.set(k, k);
  DisjointSets groups(kinds);
  for (const Meeting& meeting : order) {
    const std::uint32_t a = groups.find(meeting.a), b = groups.find(meeting.b);
    if (a == b || differ.common(a, members, b) > 0) continue;
    groups.unite(a, b);
    members.merge(std::min(a, b), std::max(a, b));
    differ.merge(std::min(a, b), std::max(a, b));
  }
  parallel.axis_of.assign(kinds, Arcs::kNone);
  for (std::uint32_t k = 0; k < kinds; ++k) {
    const std::uint32_t group = groups.find(std::min(k, parallel.reverse[k]));
    if (parallel.axis_of[group] == Arcs::kNone) {
      parallel.axis_of[group] = static_cast<std::uint32_t>(parallel.axes++);
    }
    parallel.axis_of[k] = parallel.axis_of[group];
  }
}

}  // namespace

Arcs::Arcs(const CompactChannels& channels) {
  for (std::size_t s = 0; s + 1 < channels.first.size(); ++s) {
    first.push_back(static_cast<std::uint32_t>(to.size()));
    for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
      if (to.size() > first.back() && to.back() == channels.to[c]) continue;
      from.push_back(channels.from[c]);
      to.push_back(channels.to[c]);
      port.push_back(channels.out[c]);
    }
  }
  first.push_back(static_cast<std::uint32_t>(to.size()));
  find_reverses();
}

Arcs::Arcs(const Arcs& all, const std::vector<std::uint8_t>& marked) {
  for (std::size_t s = 0; s + 1 < all.first.size(); ++s) {
    first.push_back(static_cast<std::uint32_t>(to.size()));
    for (std::uint32_t i = all.first[s]; i < all.first[s + 1]; ++i) {
      if (marked[i] == 0) continue;
      from.push_back(all.from[i]);
      to.push_back(all.to[i]);
      port.push_back(all.port[i]);
    }
  }
  first.push_back(static_cast<std::uint32_t>(to.size()));
  find_reverses();
}

void Arcs::find_reverses() {
  for (std::uint32_t i = 0; i < to.size(); ++i) reverse.push_back(between(to[i], from[i]));
}

std::uint32_t Arcs::between(std::uint32_t from_switch, std::uint32_t to_switch) const {
  const auto begin = to.begin() + first[from_switch], end = to.begin() + first[from_switch + 1];
  const auto found = std::lower_bound(begin, end, to_switch);
  return found == end || *found != to_switch ? kNone
                                             : static_cast<std::uint32_t>(found - to.begin());
}

Arcs sides_of_squares(const Arcs& arcs) {
  std::vector<std::uint8_t> marked(arcs.to.size());
  for_each_corner(arcs, [&](const Corner& corner) {
    if (corner.far == Arcs::kNone) return;
    for (const std::uint32_t arc : {corner.to_a, corner.to_b}) {
      marked[arc] = marked[arcs.reverse[arc]] = 1;
    }
  });
  return {arcs, marked};
}

base::Result<ParallelArcs> find_parallel_arcs(const Arcs& arcs) {
  std::uint64_t work = 0;
  for (std::uint32_t s = 0; s + 1 < arcs.first.size(); ++s) {
    const std::uint64_t degree = arcs.degree(s);
    work += degree * degree * degree / 2;
  }
  if (work > kMaxWork) return base::error("its switches have too many neighbours for a grid");
  ParallelArcs parallel;
  std::size_t kinds = 0;
  parallel.kind_of = kinds_of(arcs, kinds);
  if (kinds > 2 * kMaxGridLinkKinds) {
    return base::error(fmt::format("its links point {} different ways", kinds));
  }
  parallel.reverse.resize(kinds);
  for (std::uint32_t i = 0; i < arcs.to.size(); ++i) {
    const std::uint32_t back = parallel.kind_of[arcs.reverse[i]];
    if (back == parallel.kind_of[i]) return base::error("its rows are twisted");
    parallel.reverse[parallel.kind_of[i]] = back;
  }
  group_into_axes(arcs, parallel);
  return parallel;
}

}  // namespace heddle::routing
