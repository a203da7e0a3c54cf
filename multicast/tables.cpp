// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/tables.hpp"

#include <algorithm>
#include <atomic>

#include "base/check.hpp"

namespace heddle::multicast {
namespace {

using fabric::SwitchIndex;

constexpr mad::MulticastForwardingTable kZeros{};

std::size_t block_of(mad::Lid mlid) {
  HEDDLE_CHECK(mlid >= mad::kFirstMulticastLid);
  return mad::mft_block_of(mlid);
}

// Whether nobody else can see what `pointer` points to. The fence makes what other threads did
// before they let go of their copies happen before what is written now.
template <class T>
bool is_mine(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

}  // namespace

const mad::MulticastForwardingTable& Tables::block(fabric::SwitchIndex at, std::size_t block,
                                                   std::size_t position) const {
  const auto& row = rows_[at.value];
  if (!row || position >= kMftPositions) return kZeros;
  const auto& blocks = row->positions[position];
  return block < blocks.size() && blocks[block] ? *blocks[block] : kZeros;
}

PortSet Tables::entry(fabric::SwitchIndex at, mad::Lid mlid) const {
  PortSet ports;
  const auto& row = rows_[at.value];
  if (!row) return ports;
  const std::size_t block = block_of(mlid);
  for (std::size_t position = 0; position < kMftPositions; ++position) {
    const auto& blocks = row->positions[position];
    if (block >= blocks.size() || !blocks[block]) continue;
    ports.set_at_position(position, blocks[block]->port_masks[mad::mft_entry_of(mlid)]);
  }
  return ports;
}

bool Tables::contains(fabric::SwitchIndex at, mad::Lid mlid, mad::PortNumber port) const {
  const auto& table = block(at, block_of(mlid), mad::mft_position_of(port));
  return (table.port_masks[mad::mft_entry_of(mlid)] & mad::mft_bit_of(port)) != 0;
}

mad::MulticastForwardingTable& Tables::writable(fabric::SwitchIndex at, std::size_t block,
                                                std::size_t position) {
  HEDDLE_CHECK(block < kMftBlocks && position < kMftPositions);
  auto& row = rows_[at.value];
  if (!row) {
    row = std::make_shared<Row>();
  } else if (!is_mine(row)) {
    row = std::make_shared<Row>(*row);
  }
  auto& blocks = row->positions[position];
  if (block >= blocks.size()) blocks.resize(block + 1);
  auto& pointer = blocks[block];
  if (!pointer) {
    pointer = std::make_shared<mad::MulticastForwardingTable>();
  } else if (!is_mine(pointer)) {
    pointer = std::make_shared<mad::MulticastForwardingTable>(*pointer);
  }
  return *pointer;
}

// All that is zero is absent, so that memory comes back.
void Tables::drop_if_zero(fabric::SwitchIndex at, std::size_t block, std::size_t position) {
  auto& blocks = rows_[at.value]->positions[position];
  if (*blocks[block] != kZeros) return;
  blocks[block].reset();
  while (!blocks.empty() && !blocks.back()) blocks.pop_back();
}

void Tables::set(fabric::SwitchIndex at, mad::Lid mlid, mad::PortNumber port, bool on) {
  if (contains(at, mlid, port) == on) return;
  const std::size_t block = block_of(mlid);
  const std::size_t position = mad::mft_position_of(port);
  writable(at, block, position).port_masks[mad::mft_entry_of(mlid)] ^= mad::mft_bit_of(port);
  if (!on) drop_if_zero(at, block, position);
}

void Tables::set_entry(fabric::SwitchIndex at, mad::Lid mlid, const PortSet& ports) {
  const std::size_t number = block_of(mlid);
  const std::size_t entry = mad::mft_entry_of(mlid);
  for (std::size_t position = 0; position < kMftPositions; ++position) {
    const std::uint16_t mask = ports.at_position(position);
    if (block(at, number, position).port_masks[entry] == mask) continue;
    writable(at, number, position).port_masks[entry] = mask;
    if (mask == 0) drop_if_zero(at, number, position);
  }
}

void Tables::set_block(const BlockWrite& write) {
  if (block(write.at, write.block, write.position) == write.table) return;
  writable(write.at, write.block, write.position) = write.table;
  drop_if_zero(write.at, write.block, write.position);
}

std::size_t Tables::block_count(fabric::SwitchIndex at) const {
  const auto& row = rows_[at.value];
  std::size_t count = 0;
  if (row) {
    for (const auto& blocks : row->positions) count = std::max(count, blocks.size());
  }
  return count;
}

void Tables::for_each_block(
    fabric::SwitchIndex at,
    const std::function<void(std::uint16_t, std::uint8_t, const mad::MulticastForwardingTable&)>&
        visit) const {
  const auto& row = rows_[at.value];
  if (!row) return;
  const std::size_t count = block_count(at);
  for (std::size_t block = 0; block < count; ++block) {
    for (std::size_t position = 0; position < kMftPositions; ++position) {
      const auto& blocks = row->positions[position];
      if (block >= blocks.size() || !blocks[block]) continue;
      visit(static_cast<std::uint16_t>(block), static_cast<std::uint8_t>(position), *blocks[block]);
    }
  }
}

std::size_t Tables::blocks_in_use() const {
  std::size_t count = 0;
  for (const auto& row : rows_) {
    if (!row) continue;
    for (const auto& blocks : row->positions) {
      for (const auto& block : blocks) count += block != nullptr;
    }
  }
  return count;
}

Tables Tables::reindexed(const fabric::Topology& before, const fabric::Topology& after) const {
  HEDDLE_CHECK(before.switch_count() == switch_count());
  Tables tables(after.switch_count());
  for (std::uint32_t s = 0; s < after.switch_count(); ++s) {
    const auto old = before.find_node(after.node(SwitchIndex{s}).guid);
    if (old && before.is_switch(*old)) tables.rows_[s] = rows_[old->value];
  }
  return tables;
}

bool Tables::same_row(const Tables& other, fabric::SwitchIndex at) const {
  const auto& mine = rows_[at.value];
  const auto& theirs = other.rows_[at.value];
  if (mine == theirs) return true;
  for (std::size_t position = 0; position < kMftPositions; ++position) {
    static const std::vector<Block> kNone;
    const auto& a = mine ? mine->positions[position] : kNone;
    const auto& b = theirs ? theirs->positions[position] : kNone;
    const bool same =
        std::equal(a.begin(), a.end(), b.begin(), b.end(),
                   [](const Block& x, const Block& y) { return x == y || (x && y && *x == *y); });
    if (!same) return false;
  }
  return true;
}

bool operator==(const Tables& a, const Tables& b) {
  if (a.rows_.size() != b.rows_.size()) return false;
  for (std::uint32_t at = 0; at < a.rows_.size(); ++at) {
    if (!a.same_row(b, fabric::SwitchIndex{at})) return false;
  }
  return true;
}

std::vector<BlockWrite> changed_blocks(const Tables& wanted, const Tables& observed) {
  HEDDLE_CHECK(wanted.switch_count() == observed.switch_count());
  std::vector<BlockWrite> writes;
  for (std::uint32_t s = 0; s < wanted.switch_count(); ++s) {
    const fabric::SwitchIndex at{s};
    if (wanted.same_row(observed, at)) continue;
    const std::size_t count = std::max(wanted.block_count(at), observed.block_count(at));
    for (std::size_t block = 0; block < count; ++block) {
      for (std::size_t position = 0; position < kMftPositions; ++position) {
        const auto& table = wanted.block(at, block, position);
        if (table == observed.block(at, block, position)) continue;
        writes.push_back(
            {at, static_cast<std::uint16_t>(block), static_cast<std::uint8_t>(position), table});
      }
    }
  }
  return writes;
}

}  // namespace heddle::multicast
