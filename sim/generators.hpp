// SPDX-License-Identifier: BSD-3-Clause
// Inside the generators: what an expression says, and one function per kind of fabric. Users of
// the room call generate_fabric (blueprint.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sim/blueprint.hpp"
#include "sim/planner.hpp"

namespace heddle::sim {

// No expression may ask for more: a slip of the finger must not eat the machine. Both are above
// what one subnet can hold (49,151 LIDs).
inline constexpr std::uint64_t kMaxNodes = 65'000;
inline constexpr std::uint64_t kMaxCables = 400'000;
inline constexpr std::uint64_t kMaxSwitchPorts = 254;

// "torus:6x6x6,hosts=4,speed=EDR" taken apart: the numbers of the shape, then the options.
struct Expression {
  std::string text;                               // as the user wrote it
  std::string kind;                               // "torus"
  std::vector<std::vector<std::uint64_t>> shape;  // groups split by ';', numbers by ',' or 'x'
  std::map<std::string, std::uint64_t> options;   // hosts, seed... numbers only
  CableKind cables;
};

// The option's value or what stands for it when it was not given.
std::uint64_t option(const Expression& expression, const std::string& name, std::uint64_t value);

using Generated = base::Result<Blueprint>;
Generated generate_pair(const Expression&);
Generated generate_star(const Expression&);
Generated generate_fat_tree(const Expression&);
Generated generate_xgft(const Expression&);
Generated generate_ring(const Expression&);
Generated generate_torus(const Expression&);
Generated generate_mesh(const Expression&);
Generated generate_hypercube(const Expression&);
Generated generate_hyperx(const Expression&);
Generated generate_dragonfly(const Expression&);
Generated generate_random(const Expression&);
Generated generate_whole_tree(const Expression&);
Generated generate_rail(const Expression&);
Generated generate_dragonfly_plus(const Expression&);
Generated generate_slim_fly(const Expression&);

// Cables between each two groups, as many as divide evenly when each switch listed has `global`
// ports for them. At most groups.front().size() * global + 1 groups.
void mesh_groups(Planner& planner, const std::vector<std::vector<std::uint32_t>>& groups,
                 std::uint64_t global);

// An error unless a fabric of this size is within the limits.
base::Result<> check_size(const Expression& expression, std::uint64_t nodes, std::uint64_t cables);
base::Result<> check_switch_ports(const Expression& expression, std::string_view what,
                                  std::uint64_t ports);

// The option ports=N of fabrics whose hosts may have several.
base::Result<std::uint8_t> read_host_ports(const Expression& expression);

// Options of every generator: what its devices can do (docs/fabrics.md). Absent ones change
// nothing.
inline constexpr std::array<std::string_view, 8> kCapabilityOptions{
    "vports", "vport-lids", "mtu", "vls", "lft", "mft", "pkeys", "optimized-sl2vl"};
base::Result<> apply_capabilities(const Expression& expression, Blueprint& blueprint);

// Whether a FABRIC argument begins with a generator's name and not with a path.
bool is_generator_expression(std::string_view fabric);

// A sentence that names the whole expression and what is wrong with a piece of it.
base::Error wrong(const Expression& expression, std::string_view what);

}  // namespace heddle::sim
