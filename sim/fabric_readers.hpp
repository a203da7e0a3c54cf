// SPDX-License-Identifier: BSD-3-Clause
// One reader for each format of fabric files. parse_fabric_file (blueprint.hpp) chooses; errors
// begin with the file's name and the line.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/result.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

// What ibnetdiscover prints, and the net files of ibsim with what they include.
base::Result<Blueprint> read_net_file(std::string_view text, std::string_view title,
                                      const OtherFiles& others);

// A list of link ends: ibdiagnet's .lst, opensm-subnet.lst.
base::Result<Blueprint> read_link_list(std::string_view text, std::string_view title);

// An ibdm .topo file, by the system definitions (.ibnl) in reach.
base::Result<Blueprint> read_topology_file(std::string_view text, std::string_view title,
                                           const OtherFiles& others);

// Calls act(line, number) for each line, numbered from 1, until one gives an error.
template <class Act>
base::Result<> for_each_line(std::string_view text, Act act) {
  unsigned number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const base::Result<> done = act(text.substr(start, end - start), ++number);
    if (!done) return done;
    start = end + 1;
  }
  return {};
}

}  // namespace heddle::sim
