// SPDX-License-Identifier: BSD-3-Clause
// Everything that is known of a planned fabric and of the routing engines tried on it, as one page
// that needs nothing else: no network, no server, no other file.
//
// The page is three things from plan/web (HTML, style, script) around one JSON object; numbers by
// the thousand are typed arrays in base64 (plan/base64). Names are whatever the fabric's nodes call
// themselves: they are data to the page, never markup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "plan/compact_tables.hpp"
#include "plan/layout.hpp"
#include "plan/verdict.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"

namespace heddle::plan {

struct ReportedEngine : Verdict {
  std::optional<routing::MeasuredLoads> loads;
  std::optional<routing::PatternQuality> patterns;
};

struct Report {
  std::string title;    // of the fabric
  std::string made_by;  // "heddle 0.1.0"
  const fabric::Topology& topology;
  const fabric::LidMap& lids;
  const Layout& layout;
  std::vector<std::string> warnings = {};  // of who read the fabric
  // What cables carry ("4x HDR"), by port, as a place in link_kinds; both empty: nobody knows.
  std::vector<std::string> link_kinds = {};
  std::vector<std::uint8_t> kind_of_port = {};
  // By kind, against the usual cable of a host (plan/link_rates.hpp), and by port, empty when all
  // links are alike. The unit in words, "4x HDR"; empty when nobody knows.
  std::vector<double> kind_capacities = {};
  std::vector<double> capacities = {};
  std::string unit = {};
  std::vector<ReportedEngine> engines = {};
  // The tables of one engine, for paths between hosts; without them the reason.
  std::size_t tables_engine = 0;
  std::optional<CompactTables> tables = {};
  std::string why_no_tables = {};
  std::uint64_t seed = 1;  // of the shifts and bisections
};

// The object that the page is made of. "<" never occurs in it.
std::string report_json(const Report& report);

// The page. Equal reports give equal bytes.
std::string report_html(const Report& report);

}  // namespace heddle::plan
