// SPDX-License-Identifier: BSD-3-Clause
// The channel dependencies of packets that keep to lanes: each path is followed on the service
// level that it has. Internal to the verification.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/lanes.hpp"
#include "fabric/survey.hpp"

namespace heddle::fabric {

class LaneWalk {
 public:
  // Both outlive the walk.
  LaneWalk(const Survey& survey, const Lanes& lanes);

  // From every switch to every LID of a host, and from those with hosts to the LIDs of switches.
  void forward(const base::ParallelFor& parallel);
  // The same ways on the levels that the way back has, for any two LIDs at both ends.
  void replies(const base::ParallelFor& parallel);
  const Dependencies& dependencies() const { return dependencies_; }
  Dependencies take() { return std::move(dependencies_); }

 private:
  class Walker;
  void walk_all(bool replies, const base::ParallelFor& parallel);

  const Survey& survey_;
  const Lanes& lanes_;
  std::vector<std::uint8_t> local_of_port_;  // by (switch, out port): as Dependencies counts
  Dependencies dependencies_;
};

}  // namespace heddle::fabric
