// SPDX-License-Identifier: BSD-3-Clause
// The multicast forwarding tables of all switches (IBA vol. 1, 14.2.5.12 and 18.2.4.3.3), as wanted
// or as observed. Only blocks with a bit in them take memory. A copy shares all blocks with its
// original until one of the two is changed: taking one costs a pointer per switch, and copies may
// be read, and dropped, by other threads while the original is being changed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/multicast_forwarding_table.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

inline constexpr std::size_t kMftPositions = 16;
inline constexpr std::size_t kMftBlocks = 512;

// The ports that get a copy of a packet: one entry over all positions.
class PortSet {
 public:
  bool contains(mad::PortNumber port) const {
    return (words_[port.value / 64] >> port.value % 64 & 1) != 0;
  }
  void insert(mad::PortNumber port) { words_[port.value / 64] |= bit(port); }
  void erase(mad::PortNumber port) { words_[port.value / 64] &= ~bit(port); }
  bool empty() const { return *this == PortSet{}; }
  std::size_t size() const {
    std::size_t count = 0;
    for (const auto word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  std::uint16_t at_position(std::size_t position) const {
    return static_cast<std::uint16_t>(words_[position / 4] >> position % 4 * 16);
  }
  void set_at_position(std::size_t position, std::uint16_t mask) {
    auto& word = words_[position / 4];
    const auto shift = position % 4 * 16;
    word = (word & ~(std::uint64_t{0xFFFF} << shift)) | std::uint64_t{mask} << shift;
  }
  // In rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (unsigned w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        const unsigned number = w * 64 + static_cast<unsigned>(std::countr_zero(left));
        visit(mad::PortNumber{static_cast<std::uint8_t>(number)});
      }
    }
  }
  friend bool operator==(const PortSet&, const PortSet&) = default;

 private:
  static std::uint64_t bit(mad::PortNumber port) { return std::uint64_t{1} << port.value % 64; }
  std::array<std::uint64_t, 4> words_{};
};

// One Set of the attribute MulticastForwardingTable.
struct BlockWrite {
  fabric::SwitchIndex at{};
  std::uint16_t block{};    // of 32 LIDs from 0xC000 on
  std::uint8_t position{};  // of 16 ports
  mad::MulticastForwardingTable table{};
  friend bool operator==(const BlockWrite&, const BlockWrite&) = default;
};

class Tables {
 public:
  Tables() = default;
  explicit Tables(std::size_t switch_count) : rows_(switch_count) {}

  std::size_t switch_count() const { return rows_.size(); }

  // LIDs must be multicast ones (0xC000..0xFFFE) and switches below switch_count(); blocks and
  // positions that were never written read as zero.
  PortSet entry(fabric::SwitchIndex at, mad::Lid mlid) const;
  bool contains(fabric::SwitchIndex at, mad::Lid mlid, mad::PortNumber port) const;
  void set(fabric::SwitchIndex at, mad::Lid mlid, mad::PortNumber port, bool on);
  void set_entry(fabric::SwitchIndex at, mad::Lid mlid, const PortSet& ports);
  const mad::MulticastForwardingTable& block(fabric::SwitchIndex at, std::size_t block,
                                             std::size_t position) const;
  // Block and position below kMftBlocks and kMftPositions.
  void set_block(const BlockWrite& write);

  // As if the switch had never been written to.
  void clear(fabric::SwitchIndex at) { rows_[at.value].reset(); }

  // Blocks of a switch that hold a bit, by block and then position.
  void for_each_block(fabric::SwitchIndex at,
                      const std::function<void(std::uint16_t block, std::uint8_t position,
                                               const mad::MulticastForwardingTable&)>& visit) const;
  // One more than the last block of a switch that may hold a bit at any position.
  std::size_t block_count(fabric::SwitchIndex at) const;
  std::size_t blocks_in_use() const;  // over all switches; O(switches * blocks)

  // The same tables for another picture of the fabric: each switch of `after` gets the row that it
  // has in `before`, found by node GUID, and none if it is new. Rows are shared.
  Tables reindexed(const fabric::Topology& before, const fabric::Topology& after) const;

  // True at once for copies that nobody has changed since.
  bool same_row(const Tables& other, fabric::SwitchIndex at) const;
  friend bool operator==(const Tables& a, const Tables& b);

 private:
  using Block = std::shared_ptr<mad::MulticastForwardingTable>;  // null: all zero
  struct Row {
    std::array<std::vector<Block>, kMftPositions> positions;
  };
  mad::MulticastForwardingTable& writable(fabric::SwitchIndex at, std::size_t block,
                                          std::size_t position);
  void drop_if_zero(fabric::SwitchIndex at, std::size_t block, std::size_t position);

  std::vector<std::shared_ptr<Row>> rows_;  // null: never written
};

// What must be written to make `observed` into `wanted`, by switch, block and position. Both must
// be of the same switches.
std::vector<BlockWrite> changed_blocks(const Tables& wanted, const Tables& observed);

}  // namespace heddle::multicast
