// SPDX-License-Identifier: BSD-3-Clause
// The fabrics that every engine is tried on, whole, damaged and nonsensical, and their routes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "routing/engine.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {

struct NamedRecipe {
  std::string name;
  support::Recipe recipe;
};

inline std::vector<NamedRecipe> all_kinds_of_fabrics() {
  const auto tree = support::xgft({3, 3, 4}, {1, 3, 2});
  std::vector<NamedRecipe> all{
      {"one switch", support::star(5)},
      {"parallel cables", support::parallel_links(4, 3)},
      {"tree of two levels", support::xgft({4, 6}, {1, 4})},
      {"tree of three levels", tree},
      {"tree, scattered GUIDs", support::relabelled(tree, 3)},
      {"ring", support::ring(7, 2)},
      {"torus", support::torus({4, 3, 3}, 1)},
      {"random graph", support::random_regular(30, 6, 2, 1)},
      {"islands", support::two_islands(tree, support::ring(5, 1))},
      {"no switch", support::Recipe{}},
      {"switches only", support::xgft({1, 3, 4}, {1, 2, 2})},
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto number = std::to_string(seed);
    all.push_back({"damaged tree " + number, support::degraded(tree, 12, seed)});
    all.push_back(
        {"damaged torus " + number, support::degraded(support::torus({4, 4}, 2), 6, seed)});
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    all.push_back({"mess " + std::to_string(seed), support::random_mess(seed)});
  }
  return all;
}

// A topology, its LIDs and what engines need besides.
struct Subnet {
  explicit Subnet(const support::Recipe& recipe, std::uint8_t lmc = 0)
      : topology(support::build(recipe)), lids(support::number_lids(topology, lmc)) {}

  Subnet(fabric::Topology of, fabric::LidMap with)
      : topology(std::move(of)), lids(std::move(with)) {}

  Routes route(const char* engine, const base::ParallelFor& parallel = base::inline_for) const {
    return *find_engine(engine)->route({topology, lids, options, parallel});
  }

  // Calls visit(LID, switch it hangs on, port there) for every LID that hangs on a switch.
  template <class Visit>
  void for_each_lid(Visit visit) const {
    for (unsigned number = 1; number <= lids.top().value; ++number) {
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      const auto owner = lids.owner(lid);
      if (owner == fabric::kNoPort) continue;
      if (const auto attachment = topology.attachment(owner)) {
        visit(lid, attachment->at, attachment->out);
      }
    }
  }

  fabric::Topology topology;
  fabric::LidMap lids;
  Options options;
};

// Whether a test of the load leaves this fabric to the builds without sanitizers, under which an
// engine takes minutes for it. What code it runs, smaller fabrics run too.
inline bool is_slow_under_sanitizers(const Subnet& subnet) {
  constexpr std::size_t kMany = 150;
  return test::kSanitized && subnet.topology.switch_count() > kMany;
}

}  // namespace heddle::routing
