// SPDX-License-Identifier: BSD-3-Clause
// Fabrics in which a switch is a point with coordinates: ring, torus, mesh, hypercube, HyperX.
#include <functional>

#include <fmt/format.h>

#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

using Coordinates = std::vector<std::uint64_t>;

// Calls connect(position, other) for each neighbour of a position in a dimension of this size, each
// pair once.
using Neighbours = std::function<void(std::uint64_t size, std::uint64_t position,
                                      const std::function<void(std::uint64_t)>& connect)>;

void open_row(std::uint64_t size, std::uint64_t position,
              const std::function<void(std::uint64_t)>& connect) {
  if (position + 1 < size) connect(position + 1);
}

// Two switches in a circle share one cable, not two.
void closed_row(std::uint64_t size, std::uint64_t position,
                const std::function<void(std::uint64_t)>& connect) {
  if (size > 2 || position + 1 < size) connect((position + 1) % size);
}

void meshed_row(std::uint64_t size, std::uint64_t position,
                const std::function<void(std::uint64_t)>& connect) {
  for (std::uint64_t other = position + 1; other < size; ++other) connect(other);
}

struct Grid {
  Coordinates sizes;
  std::uint64_t hosts = 0;
  std::uint8_t host_ports = 1;
  std::uint64_t switches = 1;
  std::uint64_t links_per_switch = 0;  // not less than there are, for the limits
};

base::Result<Grid> read_grid(const Expression& expression, Coordinates sizes, bool meshed) {
  constexpr std::size_t kMaxDimensions = 16;
  Grid grid;
  grid.sizes = std::move(sizes);
  grid.hosts = option(expression, "hosts", 1);
  if (grid.sizes.empty() || grid.sizes.size() > kMaxDimensions) {
    return wrong(expression, fmt::format("needs 1 to {} dimensions", kMaxDimensions));
  }
  std::uint64_t switch_links = 0;
  for (const std::uint64_t size : grid.sizes) {
    if (size < 1 || size > kMaxNodes) {
      return wrong(expression, fmt::format("{} is not a size (1 to {})", size, kMaxNodes));
    }
    grid.switches *= size;
    if (grid.switches > kMaxNodes) return check_size(expression, grid.switches, 0).error();
    switch_links += meshed ? size - 1 : std::min<std::uint64_t>(2, size - 1);
  }
  if (grid.hosts > kMaxSwitchPorts) {
    return check_switch_ports(expression, "a switch", grid.hosts).error();
  }
  const auto host_ports = read_host_ports(expression);
  if (!host_ports) return host_ports.error();
  grid.host_ports = *host_ports;
  grid.links_per_switch = switch_links + grid.hosts * grid.host_ports;
  const auto ports = check_switch_ports(expression, "a switch", grid.links_per_switch);
  if (!ports) return ports.error();
  const auto size = check_size(expression, grid.switches * (1 + grid.hosts),
                               grid.switches * grid.links_per_switch);
  if (!size) return size.error();
  return grid;
}

std::string grid_name(const Grid& grid, std::uint64_t index) {
  if (grid.sizes.size() == 1) return numbered("switch", index + 1, grid.switches);
  std::string name = "switch";
  for (const std::uint64_t size : grid.sizes) {
    name += numbered("", index % size, size - 1);
    index /= size;
  }
  return name;
}

Blueprint build_grid(const Expression& expression, const Grid& grid, const Neighbours& neighbours) {
  Planner planner(expression.text, expression.cables);
  planner.set_host_ports(grid.host_ports);
  planner.arrange({Arrangement::Kind::Grid, grid.sizes});
  std::vector<std::uint32_t> switches;
  for (std::uint64_t i = 0; i < grid.switches; ++i) {
    switches.push_back(planner.add_switch(grid_name(grid, i)));
    planner.add_hosts(switches.back(), grid.hosts);
  }
  for (std::uint64_t index = 0; index < grid.switches; ++index) {
    std::uint64_t stride = 1;
    for (const std::uint64_t size : grid.sizes) {
      const std::uint64_t position = index / stride % size;
      neighbours(size, position, [&](std::uint64_t other) {
        planner.cable(switches[index], switches[index - position * stride + other * stride]);
      });
      stride *= size;
    }
  }
  return std::move(planner).finish();
}

Generated generate_grid(const Expression& expression, const Neighbours& neighbours, bool meshed) {
  if (expression.shape.size() != 1) return wrong(expression, "a semicolon has no meaning here");
  const auto grid = read_grid(expression, expression.shape[0], meshed);
  if (!grid) return grid.error();
  return build_grid(expression, *grid, neighbours);
}

}  // namespace

Generated generate_ring(const Expression& expression) {
  if (expression.shape.size() != 1 || expression.shape[0].size() != 1 ||
      expression.shape[0][0] < 3) {
    return wrong(expression, "ring takes one number, three switches or more: ring:5,hosts=2");
  }
  return generate_grid(expression, closed_row, false);
}

Generated generate_torus(const Expression& expression) {
  return generate_grid(expression, closed_row, false);
}

Generated generate_mesh(const Expression& expression) {
  return generate_grid(expression, open_row, false);
}

Generated generate_hypercube(const Expression& expression) {
  constexpr std::uint64_t kMaxDimensions = 15;
  if (expression.shape.size() != 1 || expression.shape[0].size() != 1 ||
      expression.shape[0][0] < 1 || expression.shape[0][0] > kMaxDimensions) {
    return wrong(expression, fmt::format("hypercube takes one number, 1 to {} dimensions: "
                                         "hypercube:10,hosts=4",
                                         kMaxDimensions));
  }
  const auto grid = read_grid(expression, Coordinates(expression.shape[0][0], 2), false);
  if (!grid) return grid.error();
  return build_grid(expression, *grid, open_row);
}

Generated generate_hyperx(const Expression& expression) {
  return generate_grid(expression, meshed_row, true);
}

}  // namespace heddle::sim
