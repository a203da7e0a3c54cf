// SPDX-License-Identifier: BSD-3-Clause
// A fabric as Slurm's topology plugins read it: topology.conf for the tree and the block plugin,
// topology.yaml with both.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/check.hpp"
#include "plan/inventory.hpp"

namespace heddle::plan {

// Slurm wants a tree in which each switch hangs on one other. A fat tree is one if all switches of
// a level that reach the same leaves are taken for one: so leaves have their own names, and above
// them stand "pod-1"... and at last "fabric". A fabric that is no tree has all its leaves under
// "fabric".
struct SlurmTopology {
  struct Switch {
    std::string name;                   // letters, digits and -_. only
    std::vector<std::string> nodes;     // hosts, in the order of their names; of a leaf
    std::vector<std::string> children;  // names of switches; of the others
  };
  std::vector<Switch> switches;       // leaves first, the root last
  std::vector<std::string> warnings;  // hosts on several switches, names that had to change
};

// Hosts are called by the first word of their descriptions, as they call themselves; one with
// adapters on several switches stands on that of its first (by name).
SlurmTopology slurm_topology(const Inventory& fabric, const Levels& levels);

std::string slurm_tree(const SlurmTopology& topology);   // topology.conf, topology/tree
std::string slurm_block(const SlurmTopology& topology);  // topology.conf, topology/block
std::string slurm_yaml(const SlurmTopology& topology);   // topology.yaml, "tree" and "block"

}  // namespace heddle::plan
