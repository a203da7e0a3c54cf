// SPDX-License-Identifier: BSD-3-Clause
// What the entries of one switch after another say: which channels packets wait for that come from
// there, and whether the hops are right that were counted for one LID of many. Internal to the
// verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/lid_walks.hpp"
#include "fabric/nearer_ports.hpp"
#include "fabric/survey.hpp"

namespace heddle::fabric {

struct Departed {
  mad::Lid lid{};
  std::vector<bool> passed;  // by switch; empty: all
};

class RowLooks {
 public:
  // All of them outlive the looks. The LIDs have been walked for.
  RowLooks(const Survey& survey, LidWalks& walks, const std::vector<Departed>& departed);

  // At all switches. `dependencies`: on one VL; null if nobody asks for them.
  void look(Dependencies* dependencies, const base::ParallelFor& parallel);

 private:
  // LIDs of hosts, side by side; of one column, or of none.
  struct Hosts {
    std::size_t first = 0, end = 0;
    std::uint32_t column = LidWalks::kNoColumn;
  };
  class Looker;

  void add_host(std::size_t lid, std::uint32_t column);
  void find_apart();
  void look_again(const std::vector<std::uint8_t>& is_straight, Dependencies& dependencies,
                  const base::ParallelFor& parallel);

  const Survey& survey_;
  LidWalks& walks_;
  const std::vector<Departed>& departed_;
  std::vector<Hosts> hosts_;
  std::vector<std::uint8_t> stands_apart_;  // by column: whether it is not next to the one before
  std::vector<std::uint32_t> switch_lids_;  // by row: the survey counts them by LID too
  std::vector<std::uint8_t> no_row_;        // the entries of a switch that does not exist
  NearerPorts nearer_;
};

}  // namespace heddle::fabric
