// SPDX-License-Identifier: BSD-3-Clause
// Which endport owns which LIDs: its own range, and single ones of guests, the virtual ports behind
// it. Routing engines see ranges alone; packets to a guest go where those to its host do.
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

  // One more LID that leads to the port, which must have its range already. False, and nothing
  // changed, when it is not unicast or has an owner.
  bool assign_guest(PortIndex port, mad::Lid lid);

  Range range(PortIndex port) const { return range_of_[port.value]; }
  mad::Lid base(PortIndex port) const { return range_of_[port.value].base; }

  // kNoPort for a LID nobody owns.
  PortIndex owner(mad::Lid lid) const {
    return lid.value < owner_of_.size() ? owner_of_[lid.value] : kNoPort;
  }

  bool has_guests() const { return guests_ != 0; }
  bool is_guest(mad::Lid lid) const;
  // The LID that leads where this one does: of a guest one of its host, of any other itself.
  mad::Lid host_lid(mad::Lid lid) const;
  // The same ports with their ranges alone.
  LidMap without_guests() const;

  friend bool operator==(const LidMap&, const LidMap&) = default;

  // The highest LID in use; kNoLid when there is none.
  mad::Lid top() const {
    return mad::Lid{static_cast<std::uint16_t>(owner_of_.empty() ? 0 : owner_of_.size() - 1)};
  }

 private:
  std::vector<Range> range_of_;      // by port
  std::vector<PortIndex> owner_of_;  // by LID, up to the highest in use
  std::size_t guests_ = 0;
};

}  // namespace heddle::fabric
