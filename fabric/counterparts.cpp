// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/counterparts.hpp"

namespace heddle::fabric {

Counterparts::Counterparts(const Topology& of, const Topology& in) : of_(of), in_(in) {
  nodes_.reserve(of.node_count());
  NodeIndex next{0};
  for (std::uint32_t n = 0; n < of.node_count(); ++n) {
    const mad::Guid guid = of.guid(NodeIndex{n});
    const bool is_next = next.value < in.node_count() && in.guid(next) == guid;
    nodes_.push_back(is_next ? next : in.find_node(guid).value_or(kNobody));
    if (nodes_.back() != kNobody) next.value = nodes_.back().value + 1;
  }
}

bool are_same(const Topology& one, const Topology& other) {
  if (one.has_links_of(other)) return true;
  if (one.node_count() != other.node_count() || one.port_count() != other.port_count())
    return false;
  for (std::uint32_t n = 0; n < one.node_count(); ++n) {
    if (!(one.node(NodeIndex{n}) == other.node(NodeIndex{n}))) return false;
  }
  for (std::uint32_t p = 0; p < one.port_count(); ++p) {
    if (!(one.port(PortIndex{p}) == other.port(PortIndex{p}))) return false;
  }
  return true;
}

}  // namespace heddle::fabric
