// SPDX-License-Identifier: BSD-3-Clause
// From GUIDs to ports, in one look at memory: with random GUIDs of a large fabric that look is most
// of what finding one costs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

class GuidIndex {
 public:
  // `most`: how many GUIDs there will be at most.
  explicit GuidIndex(std::size_t most = 0)
      : slots_(std::bit_ceil(std::max<std::size_t>(2 * most, 2))),
        shift_(64 - static_cast<unsigned>(std::countr_zero(slots_.size()))) {}

  // The first port with a GUID keeps it. GUID 0 is nobody's.
  void add(mad::Guid guid, fabric::PortIndex port) {
    Slot& slot = slots_[place_of(guid)];
    if (guid != mad::Guid{} && slot.guid == mad::Guid{}) slot = {guid, port};
  }

  // kNoPort when no port has it.
  fabric::PortIndex find(mad::Guid guid) const { return slots_[place_of(guid)].port; }

 private:
  struct Slot {
    mad::Guid guid{};  // 0: free
    fabric::PortIndex port = fabric::kNoPort;
  };

  // Where it is, or the free slot where it would be; at least half of them are free.
  std::size_t place_of(mad::Guid guid) const {
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;  // 2^64 / the golden ratio
    std::size_t place = guid.value * kGolden >> shift_;
    while (slots_[place].guid != guid && slots_[place].guid != mad::Guid{}) {
      place = (place + 1) & (slots_.size() - 1);
    }
    return place;
  }

  std::vector<Slot> slots_;  // a power of two
  unsigned shift_;
};

}  // namespace heddle::sa
