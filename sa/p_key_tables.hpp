// SPDX-License-Identifier: BSD-3-Clause
// The P_Key tables of a fabric's ports, one behind the other: there are tens of thousands, nearly
// all of one block, and they are put together after each sweep (IBA vol. 1, 14.2.5.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/p_key_table.hpp"

namespace heddle::sa {

class PKeyTables {
 public:
  void make_room(std::size_t ports, std::size_t blocks) {
    end_.reserve(ports);
    blocks_.reserve(blocks);
  }
  // Ports are added in their order: a block goes to the newest.
  void add_port() { end_.push_back(end_.empty() ? 0 : end_.back()); }
  void add_block(const mad::PKeyTable& block) {
    blocks_.push_back(block);
    ++end_.back();
  }

  // As far as it is known; nothing of ports beyond the last.
  std::span<const mad::PKeyTable> of(fabric::PortIndex port) const {
    if (port.value >= end_.size()) return {};
    const std::uint32_t first = port.value == 0 ? 0 : end_[port.value - 1];
    return std::span(blocks_).subspan(first, end_[port.value] - first);
  }

 private:
  std::vector<std::uint32_t> end_;  // by PortIndex: behind its last block
  std::vector<mad::PKeyTable> blocks_;
};

}  // namespace heddle::sa
