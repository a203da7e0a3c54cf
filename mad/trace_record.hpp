// SPDX-License-Identifier: BSD-3-Clause
// TraceRecord (IBA vol. 1, 15.2.5.19): one node on a path, as one step of a trace.
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct TraceRecord {
  GidPrefix gid_prefix{};
  std::uint16_t id_generation{};
  NodeType node_type{};
  std::uint64_t node_id{};
  std::uint64_t chassis_id{};
  std::uint64_t entry_port_id{};
  std::uint64_t exit_port_id{};
  PortNumber entry_port{};
  PortNumber exit_port{};
  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};

template <>
struct Layout<TraceRecord> {
  static constexpr std::string_view name = "TraceRecord";
  static constexpr unsigned bits = 368;
  static constexpr auto rows = base::Pack{
      row<&TraceRecord::gid_prefix, 0, 64>("GidPrefix"),
      row<&TraceRecord::id_generation, 64, 16>("IDGeneration"),
      reserved<80, 8>,
      row<&TraceRecord::node_type, 88, 8>("NodeType"),
      row<&TraceRecord::node_id, 96, 64>("NodeID", Show::Hex),
      row<&TraceRecord::chassis_id, 160, 64>("ChassisID", Show::Hex),
      row<&TraceRecord::entry_port_id, 224, 64>("EntryPortID", Show::Hex),
      row<&TraceRecord::exit_port_id, 288, 64>("ExitPortID", Show::Hex),
      row<&TraceRecord::entry_port, 352, 8>("EntryPort"),
      row<&TraceRecord::exit_port, 360, 8>("ExitPort"),
  };
};

}  // namespace heddle::mad
