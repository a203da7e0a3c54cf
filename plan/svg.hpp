// SPDX-License-Identifier: BSD-3-Clause
// The picture of the report as a drawing for documents: the same places, lines and colours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"
#include "plan/layout.hpp"

namespace heddle::plan {

struct DrawnLoads {
  std::vector<std::uint64_t> load;   // by channel; empty: cables have one colour
  double hottest = 1;                // that much weighted load and more has the hottest colour
  std::vector<double> weights = {};  // by channel (plan/loads.hpp); empty: all alike
};

// A whole SVG document. Names are escaped. Hosts are drawn one by one up to a few thousand, and as
// strips below their switches beyond.
std::string svg_of(const fabric::Topology& topology, const Layout& layout, std::string_view title,
                   const DrawnLoads& loads);

}  // namespace heddle::plan
