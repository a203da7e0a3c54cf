// SPDX-License-Identifier: BSD-3-Clause
// Links that the fabric once had in this run and has no longer. A subnet manager is content with
// the fabric that is there; whoever runs it wants to hear of what is not.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "api/journal.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::api {

struct LostLink {
  struct End {
    mad::Guid node{};
    mad::PortNumber port{};
    std::string name;  // of the node, when it was seen last
  };
  End a, b;
  bool between_switches = false;
  WallTime since{};
};

class Losses {
 public:
  // The fabric as it is now. A link that is back, or of which a port has another cable now, is not
  // lost.
  void renew(std::shared_ptr<const fabric::Topology> topology, WallTime now);
  // The fabric is as it should be.
  void accept();

  const std::vector<LostLink>& links() const { return lost_; }  // by their ends
  std::size_t between_switches() const;

 private:
  struct End {
    mad::Guid node{};
    mad::PortNumber port{};
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Link {
    End a, b;  // a < b
    friend auto operator<=>(const Link&, const Link&) = default;
  };
  static std::vector<Link> links_of(const fabric::Topology& topology);
  LostLink lose(const Link& link, WallTime now) const;

  std::shared_ptr<const fabric::Topology> before_;  // as it was last; null at first
  std::vector<Link> known_;                         // of before_, ascending
  std::vector<LostLink> lost_;
};

}  // namespace heddle::api
