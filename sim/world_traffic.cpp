// SPDX-License-Identifier: BSD-3-Clause
#include "sim/patterns.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {

Driven World::drive(const std::vector<Flow>& flows, std::uint64_t packets, std::uint32_t words) {
  return sim::drive(impl_->devices, flows, packets, words, impl_->now);
}

}  // namespace heddle::sim
