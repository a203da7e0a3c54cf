// SPDX-License-Identifier: BSD-3-Clause
// Which endport owns which LIDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

// A value, made once per routing. Lookups are array reads both ways.
class LidMap {
 public:
  LidMap() = default;
  explicit LidMap(std::size_t port_count) : range_of_(port_count) {}

  struct Range {
    mad::Lid base{};       // kNoLid: the port owns none
    std::uint8_t lmc = 0;  // 0..7
    std::uint16_t count() const { return static_cast<std::uint16_t>(1u << lmc); }
    friend bool operator==(const Range&, const Range&) = default;
  };

  // False, and nothing changed, when the range is not unicast, not aligned to its LMC, or any of
  // its LIDs has an owner already, or the port has LIDs already.
  bool assign(PortIndex port, Range range);

  Range range(PortIndex port) const { return range_of_[port.value]; }
  mad::Lid base(PortIndex port) const { return range_of_[port.value].base; }

  // kNoPort for a LID nobody owns.
  PortIndex owner(mad::Lid lid) const {
    return lid.value < owner_of_.size() ? owner_of_[lid.value] : kNoPort;
  }

  // The highest LID in use; kNoLid when there is none.
  mad::Lid top() const {
    return mad::Lid{static_cast<std::uint16_t>(owner_of_.empty() ? 0 : owner_of_.size() - 1)};
  }

 private:
  std::vector<Range> range_of_;      // by port
  std::vector<PortIndex> owner_of_;  // by LID, up to the highest in use
};

}  // namespace heddle::fabric
