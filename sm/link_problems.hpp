// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with links when all has been written, for a person.
#pragma once

#include <memory>
#include <vector>

#include "sm/picture.hpp"

namespace heddle::sm {

class LinkProblems {
 public:
  // As problems of the picture, by PortIndex. Looked at are only the links of which something is
  // another than when this was called last, and those that had problems then.
  void tell(Picture& picture);

 private:
  std::vector<fabric::PortIndex> doubtful(const fabric::Topology& topology,
                                          const fabric::Registers& registers) const;

  std::vector<fabric::PortIndex> told_;                 // in ascending order
  std::shared_ptr<const fabric::Topology> topology_;    // as it was then
  std::shared_ptr<const fabric::Registers> registers_;  // and what these were
};

}  // namespace heddle::sm
