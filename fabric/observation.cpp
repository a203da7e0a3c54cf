// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/observation.hpp"

#include <algorithm>
#include <iterator>

#include "base/check.hpp"
#include "base/prefetch.hpp"

namespace heddle::fabric {

bool ObservedTable::holds(std::size_t block, std::span<const std::uint8_t> bytes) const {
  const std::size_t end = block + bytes.size() / kLftBlockLids;
  for (std::size_t b = block; b < end; ++b) {
    if (!known(b)) return false;
  }
  return std::equal(bytes.begin(), bytes.end(), entries_.data() + block * kLftBlockLids);
}

bool ObservedTable::is_as_compared(const std::uint8_t* chunk, std::size_t number) const {
  constexpr std::size_t kBlocks = ForwardingTables::kChunk / kLftBlockLids;
  const std::size_t end = std::min((number + 1) * kBlocks, known_.size());
  return end <= same_blocks_ && number < same_as_->chunk_count() &&
         same_as_->chunk(same_row_, number) == chunk;
}

bool ObservedTable::holds_row(const std::shared_ptr<const ForwardingTables>& tables,
                              SwitchIndex row, std::size_t blocks) {
  constexpr std::size_t kBlocks = ForwardingTables::kChunk / kLftBlockLids;
  for (std::size_t block = 0; block < blocks; block += kBlocks) {
    const std::size_t number = block / kBlocks;
    const std::uint8_t* const chunk = tables->chunk(row, number);
    const std::size_t count = std::min(kBlocks, blocks - block);
    const bool same = known(block + count - 1) && is_as_compared(chunk, number);
    if (same || holds(block, {chunk, count * kLftBlockLids})) continue;
    forget_comparison();
    return false;
  }
  same_blocks_ = blocks;
  same_as_ = tables;
  same_row_ = row;
  return true;
}

void ObservedTable::learn(std::size_t block, Block bytes) {
  if (holds(block, bytes)) return;
  forget_comparison();
  if (block >= known_.size()) {
    known_.resize(block + 1, false);
    entries_.resize((block + 1) * kLftBlockLids, mad::kNoPortNumber.value);
  }
  known_[block] = true;
  std::copy(bytes.begin(), bytes.end(), entries_.data() + block * kLftBlockLids);
}

void ObservedTable::make_room(std::size_t blocks) {
  known_.reserve(blocks);
  entries_.reserve(blocks * kLftBlockLids);
}

std::optional<ObservedIndex> Observation::find(mad::Guid node_guid) const {
  const auto found = by_guid_.find(node_guid);
  if (found == by_guid_.end()) return std::nullopt;
  return found->second;
}

ObservedIndex Observation::add(const mad::NodeInfo& info) {
  ObservedNode node;
  node.info = info;
  node.ports.resize(info.num_ports + 1u);
  return add(std::move(node));
}

ObservedIndex Observation::add(ObservedNode node) {
  const ObservedIndex index{static_cast<std::uint32_t>(nodes_.size())};
  HEDDLE_CHECK(by_guid_.emplace(node.info.node_guid, index).second);
  outlines_.push_back(
      {node.ports.data(), static_cast<std::uint16_t>(node.ports.size()), node.is_switch()});
  nodes_.push_back(std::move(node));
  changed_.push_back(++edition_);
  return index;
}

std::vector<ObservedIndex> Observation::changed_since(Edition edition) const {
  std::vector<ObservedIndex> found;
  for (std::uint32_t n = 0; n < changed_.size(); ++n) {
    if (changed_[n] > edition) found.push_back({n});
  }
  return found;
}

namespace {

void move_sightings(std::span<ObservedPort> ports,
                    const std::vector<std::optional<ObservedIndex>>& moved) {
  for (ObservedPort& port : ports) {
    if (!port.sighting) continue;
    const auto there = moved[port.sighting->node.value];
    if (there) {
      port.sighting->node = *there;
    } else {
      port.sighting.reset();
    }
  }
}

}  // namespace

std::vector<std::optional<ObservedIndex>> Observation::keep_only(const std::vector<bool>& keep) {
  HEDDLE_CHECK(keep.size() == nodes_.size());
  std::vector<std::optional<ObservedIndex>> moved(nodes_.size());
  std::uint32_t kept = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!keep[n]) continue;
    if (n != kept) nodes_[kept] = std::move(nodes_[n]);
    outlines_[kept] = outlines_[n];
    moved[n] = ObservedIndex{kept};
    ++kept;
  }
  nodes_.resize(kept);
  outlines_.resize(kept);
  changed_.assign(kept, ++edition_);
  // tidy: allow unordered because each entry is settled by itself
  for (auto known = by_guid_.begin(); known != by_guid_.end();) {
    const auto now = moved[known->second.value];
    if (now) known->second = *now;
    known = now ? std::next(known) : by_guid_.erase(known);
  }
  for (std::size_t n = 0; n < kept; ++n) {
    // The second one is all that most channel adapters have.
    if (n + base::kAhead < kept) base::prefetch(outlines_[n + base::kAhead].ports + 1);
    move_sightings({outlines_[n].ports, outlines_[n].port_count}, moved);
  }
  return moved;
}

}  // namespace heddle::fabric
