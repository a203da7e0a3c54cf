// SPDX-License-Identifier: BSD-3-Clause
// Which virtual lane a packet travels on (IBA 7.6): the service level that its path has, and the SL
// to VL tables of the ports on its way. Routing engines make lanes together with tables, because a
// routing may be free of credit loops only when packets keep to theirs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

inline constexpr unsigned kServiceLevels = 16;
inline constexpr unsigned kMaxDataVls = 15;  // VL 15 is for management

// The service level of a path, by the switch it begins at and the LID it leads to, whether a host's
// or a switch's own. Hosts on one switch share their ways, so they share the level. Kept as a
// matrix in which switches may share a row and LIDs a column.
class ServiceLevels {
 public:
  ServiceLevels() = default;  // level 0 for all
  // levels: by row * columns + column, each below 16. An empty row_of: all switches have row 0; an
  // empty column_of: the column of a LID is the LID.
  ServiceLevels(std::vector<std::uint32_t> row_of, std::vector<std::uint32_t> column_of,
                std::size_t columns, std::vector<std::uint8_t> levels);

  // The level depends on the LID alone.
  static ServiceLevels by_destination(std::vector<std::uint8_t> level_of_lid);

  // What holds among the switches and LIDs of one island.
  struct Part {
    const ServiceLevels* levels = nullptr;
    std::span<const SwitchIndex> switches;  // in the whole, by the part's own index
    std::vector<mad::Lid> lids;             // the same in both
  };
  // The levels of a fabric in islands, between which there are no ways and so no levels to tell.
  static ServiceLevels side_by_side(const std::vector<Part>& parts);

  // The same where switches have other indices. here: by those, the ones they have in this.
  ServiceLevels of_switches(const std::vector<SwitchIndex>& here) const;

  struct Change {
    SwitchIndex from{};
    mad::Lid to{};
    std::uint8_t level = 0;
  };
  // Some of them changed; of several changes of one path the last one counts. switches: how
  // many there are.
  ServiceLevels with(const std::vector<Change>& changes, std::size_t switches) const;

  // LIDs and switches that were not known have level 0.
  std::uint8_t level(SwitchIndex from, mad::Lid to) const;
  bool uniform() const { return levels_.empty(); }
  friend bool operator==(const ServiceLevels&, const ServiceLevels&) = default;

 private:
  std::vector<std::uint32_t> row_of_;     // by switch
  std::vector<std::uint32_t> column_of_;  // by LID
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> levels_;
};

// A port's SL to VL table: the data VL by service level.
using VlMap = std::array<std::uint8_t, kServiceLevels>;

// SL i on VL i modulo vls.
VlMap even_map(unsigned vls);

// The SL to VL tables of all ports. One for all if possible: tables that differ by input and output
// port cost more SMPs than the forwarding tables.
class VlMaps {
 public:
  VlMaps() = default;  // even_map(1) everywhere
  explicit VlMaps(const VlMap& everywhere) : maps_{everywhere} {}

  // What a channel adapter does, and every switch that has no choice of its own.
  const VlMap& everywhere() const { return maps_.front(); }
  // For packets that come in by `in` and leave a switch by `out`. `in` 0 stands for every port that
  // leads to no other switch: what comes from hosts is treated alike.
  const VlMap& at(SwitchIndex where, mad::PortNumber in, mad::PortNumber out) const;
  // ports: the switch's port count.
  void set(SwitchIndex where, unsigned ports, mad::PortNumber in, mad::PortNumber out,
           const VlMap& map);

  bool uniform() const { return maps_.size() == 1; }
  friend bool operator==(const VlMaps&, const VlMaps&) = default;

 private:
  struct OfSwitch {
    unsigned ports = 0;
    std::vector<std::uint8_t> choice;  // by in * (ports + 1) + out, into maps_
    friend bool operator==(const OfSwitch&, const OfSwitch&) = default;
  };
  std::vector<VlMap> maps_{VlMap{}};  // at most 256
  std::vector<OfSwitch> of_switch_;   // by switch; may be shorter
};

struct Lanes {
  // Data VLs that are used, 1..15. With 1 the SL to VL tables do not matter and are left alone.
  std::uint8_t vls = 1;
  ServiceLevels levels;
  VlMaps maps;
  friend bool operator==(const Lanes&, const Lanes&) = default;
};

}  // namespace heddle::fabric
