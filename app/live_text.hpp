// SPDX-License-Identifier: BSD-3-Clause
// A running subnet manager's picture of its fabric as one text, for `heddle plan ... live`: what
// the fabric is, how it is routed now, and by which options. It is of one sweep, which several
// answers of the API need not be.
//
//   heddle-live 1
//   sweep NUMBER
//   options COUNT      then so many lines of a configuration file
//   fabric COUNT       then so many lines of an ibnetdiscover dump
//   caps GUID LINEAR-FDB MULTICAST-FDB DATA-VLS     of each switch; 0: not known
//   table GUID BYTES   of each switch once it is routed: out ports by LID from 0, hexadecimal
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "sim/blueprint.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

// Piece by piece, nothing at the end: tables are long.
std::function<std::optional<std::string>()> live_text(std::shared_ptr<const sm::Snapshot> picture,
                                                      std::string options);

struct LivePicture {
  struct Table {
    mad::Guid at{};
    std::vector<std::uint8_t> out_ports;  // by LID
  };
  std::uint64_t sweep = 0;
  std::string options;        // text of a configuration file
  std::vector<Table> tables;  // empty: nothing is routed yet
};

struct ReadLive {
  LivePicture picture;
  sim::Blueprint blueprint;  // without lines: nobody has that file
};
// The error names the line.
base::Result<ReadLive> parse_live(std::string_view text, std::string_view title);

// The tables as they stand; nothing when there are none for some switch of the topology.
std::optional<fabric::ForwardingTables> standing_tables(const LivePicture& picture,
                                                        const fabric::Topology& topology);

}  // namespace heddle::app
