// SPDX-License-Identifier: BSD-3-Clause
// Of tens of thousands of ports few are another from look to look: who keeps what came out for the
// others need not pass over them.
#pragma once

#include <memory>
#include <vector>

#include "sm/picture.hpp"

namespace heddle::sm {

class PortNews {
 public:
  struct News {
    bool is_all = false;                   // the nodes are others: nothing of before holds
    std::vector<fabric::PortIndex> ports;  // in ascending order
  };
  // Ports of which what was read, what is wanted or who is at the other end of the cable may be
  // another than when this was asked last.
  News since_last(Picture& picture);

 private:
  // As it was then.
  std::shared_ptr<const fabric::Topology> topology_;
  std::shared_ptr<const fabric::Registers> registers_;
  using Wishes = base::EditedArray<fabric::PortIntent>;
  Wishes::Edition edition_ = 0;  // of what was wanted
};

}  // namespace heddle::sm
