// SPDX-License-Identifier: BSD-3-Clause
// Lines over one axis, as SVG: no script, no font of its own, readable on light and dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::plan {

struct PlotLine {
  std::string name;
  std::vector<double> values;  // one for each x
};

struct Plot {
  std::string title;
  std::string x_name;
  std::vector<double> x;  // ascending
  // Each in a field of its own, below one another: their units differ.
  std::vector<PlotLine> lines;
};

std::string plot_svg(const Plot& plot);

}  // namespace heddle::plan
