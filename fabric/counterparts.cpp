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

}  // namespace heddle::fabric
