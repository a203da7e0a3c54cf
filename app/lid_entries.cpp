// SPDX-License-Identifier: BSD-3-Clause
#include "app/lid_entries.hpp"

#include <bit>
#include <cstdint>

#include "mad/types.hpp"

namespace heddle::app {
namespace {

// A range that LMC cannot express is remembered by its first LID alone.
std::uint8_t lmc_of(const store::LidEntry& entry) {
  const unsigned count = entry.last - entry.first + 1u;
  const auto lmc = static_cast<std::uint8_t>(std::countr_zero(count));
  return std::has_single_bit(count) && lmc <= mad::kMaxLmc ? lmc : std::uint8_t{0};
}

}  // namespace

std::vector<sm::RememberedLids> lids_of(const std::vector<store::LidEntry>& entries) {
  std::vector<sm::RememberedLids> out;
  out.reserve(entries.size());
  for (const store::LidEntry& entry : entries) {
    out.push_back({mad::Guid{entry.port_guid}, mad::Lid{entry.first}, lmc_of(entry)});
  }
  return out;
}

std::vector<store::LidEntry> entries_of(const std::vector<sm::RememberedLids>& lids) {
  std::vector<store::LidEntry> entries;
  entries.reserve(lids.size());
  for (const sm::RememberedLids& each : lids) {
    const unsigned last = each.base.value + (1u << each.lmc) - 1;
    entries.push_back({each.port_guid.value, each.base.value, static_cast<std::uint16_t>(last)});
  }
  return entries;
}

}  // namespace heddle::app
