// SPDX-License-Identifier: BSD-3-Clause
// Directed routes from the SM's own port to everything that a picture shows, worked out from the
// picture alone: after a link has gone, the routes of the discovery that found it are not worth
// much.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "mad/directed_route.hpp"
#include "sm/picture.hpp"

namespace heddle::sm {

// Of a cable: the node and the number of its port.
using CutEnd = std::pair<mad::Guid, std::uint8_t>;
using CutEnds = std::set<CutEnd>;

class Ways {
 public:
  // By all cables that are seen but those that end in `cut`. The picture's own port must be known.
  // Both stay as they are while this is used.
  explicit Ways(const Picture& picture, const CutEnds* cut = nullptr);

  // Whether the sightings lead there from the own port.
  bool reaches(fabric::ObservedIndex node) const;
  // Shortest first, then others of nearly that length whose last hop is another one; empty if it
  // cannot be reached. A switch is asked for at its port 0.
  std::vector<mad::DirectedRoute> to(fabric::ObservedEnd end) const;

 private:
  // The last hop of the shortest way to a switch.
  struct Hop {
    fabric::ObservedIndex from{};
    mad::PortNumber out{};
    std::uint32_t length = 0;
    bool reached = false;
  };
  void spread();
  void reach(fabric::ObservedEnd from, std::uint32_t length);
  mad::DirectedRoute shortest(fabric::ObservedIndex at) const;
  std::optional<mad::DirectedRoute> through(fabric::ObservedEnd last) const;

  const Picture& picture_;
  const CutEnds* cut_;
  std::vector<Hop> hops_;                     // by ObservedIndex; of switches and the own node
  std::vector<fabric::ObservedIndex> found_;  // in the order of their distance
};

// Gives every device whose routes have died new ones.
void mend_routes(const Picture& picture, const Ways& ways, Transactions& transactions);

}  // namespace heddle::sm
