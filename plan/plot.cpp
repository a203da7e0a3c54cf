// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plot.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/escape.hpp"

namespace heddle::plan {
namespace {

constexpr double kWidth = 720, kLeft = 90, kRight = 20, kField = 170, kGap = 46, kTop = 50;

double place(double value, double low, double high, double from, double to) {
  return high > low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2;
}

std::string field(const Plot& plot, const PlotLine& line, double top) {
  const double most = *std::max_element(line.values.begin(), line.values.end());
  const double high = most > 0 ? most : 1;
  std::string svg = fmt::format(
      "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n"
      "<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n",
      kLeft, top - 8, base::markup(line.name), kLeft, top, top + kField, kWidth - kRight);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double y = place(share, 0, 1, top + kField, top);
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{} {}H{}\"/>"
        "<text class=\"end\" x=\"{}\" y=\"{}\">{:.4g}</text>\n",
        kLeft, y, kWidth - kRight, kLeft - 6, y + 4, high * share);
  }
  std::string points;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    const double x = place(plot.x[i], plot.x.front(), plot.x.back(), kLeft, kWidth - kRight);
    const double y = place(line.values[i], 0, high, top + kField, top);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"><title>{:g}: {:g}</title></circle>\n", x, y,
        plot.x[i], line.values[i]);
  }
  return svg + fmt::format("<polyline points=\"{}\"/>\n", points);
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  const double height = kTop + static_cast<double>(plot.lines.size()) * (kField + kGap) + 10;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n"
      "<style>svg{{background:#fff;color:#222;font:12px sans-serif}}text{{fill:currentColor}}"
      ".title{{font-size:15px}}.end{{text-anchor:end}}.axis,.grid{{fill:none;stroke:currentColor}}"
      ".grid{{opacity:.15}}polyline{{fill:none;stroke:#2b6cb0;stroke-width:1.5}}"
      "circle{{fill:#2b6cb0}}@media (prefers-color-scheme:dark){{svg{{background:#181818;"
      "color:#ddd}}polyline{{stroke:#63b3ed}}circle{{fill:#63b3ed}}}}</style>\n"
      "<text class=\"title\" x=\"{2}\" y=\"20\">{3}</text>\n",
      kWidth, height, kLeft, base::markup(plot.title));
  double top = kTop;
  for (const PlotLine& line : plot.lines) {
    if (line.values.empty() || line.values.size() != plot.x.size()) continue;
    svg += field(plot, line, top);
    top += kField + kGap;
  }
  if (!plot.x.empty()) {
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\">{:g}</text><text class=\"end\" x=\"{}\" y=\"{}\">{:g} {}</text>\n",
        kLeft, top - kGap + 16, plot.x.front(), kWidth - kRight, top - kGap + 16, plot.x.back(),
        base::markup(plot.x_name));
  }
  return svg + "</svg>\n";
}

}  // namespace heddle::plan
