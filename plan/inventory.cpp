// SPDX-License-Identifier: BSD-3-Clause
#include "plan/inventory.hpp"

#include <fmt/format.h>

namespace heddle::plan {

Inventory::Port port_of(const Inventory::Node& node, std::uint8_t number) {
  return number < node.ports.size() ? node.ports[number] : Inventory::Port{};
}

std::string name_of(const Inventory& inventory, Inventory::End end) {
  return fmt::format("{}:{}", inventory.nodes[end.node].name, end.port);
}

Plugs::Plugs(const Inventory& inventory) : inventory_(inventory) {
  std::size_t ports = 0;
  for (const Inventory::Node& node : inventory.nodes) {
    first_.push_back(ports);
    ports += node.port_count + std::size_t{1};
  }
  cable_at_.resize(ports);
  for (std::size_t i = 0; i < inventory.cables.size(); ++i) {
    for (const Inventory::End end : {inventory.cables[i].a, inventory.cables[i].b}) {
      cable_at_[first_[end.node] + end.port] = i + 1;
    }
  }
}

const Inventory::Cable* Plugs::cable(Inventory::End end) const {
  const std::size_t found = cable_at_[first_[end.node] + end.port];
  return found == 0 ? nullptr : &inventory_.cables[found - 1];
}

Inventory::End Plugs::peer(Inventory::End end) const {
  const Inventory::Cable* found = cable(end);
  return found->a == end ? found->b : found->a;
}

}  // namespace heddle::plan
