// SPDX-License-Identifier: BSD-3-Clause
// Pictures as graphviz and SVG text.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/escape.hpp"
#include "sim/export.hpp"
#include "sim/picture.hpp"

namespace heddle::sim {
namespace {

std::string escaped_dot(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return safe;
}

std::string about(const Picture::Box& box) {
  std::string text;
  if (box.nodes > 1) text += fmt::format("{} switches", box.nodes);
  if (box.hosts > 0) {
    text +=
        fmt::format("{}{} host{}", text.empty() ? "" : ", ", box.hosts, box.hosts == 1 ? "" : "s");
  }
  return text;
}

// Units of the picture to the drawing's points.
constexpr double kUnit = 90;
constexpr double kMargin = 60;
constexpr double kBoxWidth = 74;
constexpr double kBoxHeight = 30;

double place(double units) {
  return kMargin + units * kUnit;
}

std::string svg_box(const Picture::Box& box) {
  const double x = place(box.x);
  const double y = place(box.y);
  const std::string label = base::markup(box.label);
  constexpr std::size_t kRoomForLabel = 13;
  // The end of a name tells more than its beginning.
  const std::string shown =
      box.label.size() <= kRoomForLabel
          ? label
          : base::markup(".." + box.label.substr(box.label.size() - kRoomForLabel + 2));
  std::string text = fmt::format(
      "<g><title>{}{}{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"4\" "
      "fill=\"{}\" stroke=\"#234\"/>",
      label, about(box).empty() ? "" : ": ", about(box), x - kBoxWidth / 2, y - kBoxHeight / 2,
      kBoxWidth, kBoxHeight, box.nodes > 1 ? "#cfe0f5" : "#eef4fb");
  text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x, y + 1, shown);
  if (!about(box).empty()) {
    text +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"n\">{}</text>", x, y + 11, about(box));
  }
  return text + "</g>\n";
}

}  // namespace

std::string svg_text(const Blueprint& blueprint) {
  const Picture picture = draw(blueprint);
  const double width = 2 * kMargin + picture.width * kUnit;
  const double height = 2 * kMargin + picture.height * kUnit;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\">\n<title>{}</title>\n"
      "<style>text{{font:10px sans-serif;text-anchor:middle;fill:#123}}.n{{font-size:8px}}"
      "line{{stroke:#567;stroke-opacity:.45}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, width, height, base::markup(blueprint.title));
  for (const Picture::Strand& strand : picture.strands) {
    const Picture::Box& a = picture.boxes[strand.from];
    const Picture::Box& b = picture.boxes[strand.to];
    text += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"{:.1f}\">"
        "<title>{} cable{}</title></line>\n",
        place(a.x), place(a.y), place(b.x), place(b.y),
        std::min(6.0, 0.6 + 0.4 * std::log2(static_cast<double>(strand.cables))), strand.cables,
        strand.cables == 1 ? "" : "s");
  }
  for (const Picture::Box& box : picture.boxes) text += svg_box(box);
  return text + "</svg>\n";
}

std::string dot_text(const Blueprint& blueprint) {
  const Picture picture = draw(blueprint);
  std::string text = fmt::format(
      "graph \"{}\" {{\n  graph [layout={}, rankdir=BT, overlap=true, splines=line];\n"
      "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n",
      escaped_dot(blueprint.title), picture.by_levels ? "dot" : "neato");
  std::map<unsigned, std::string> ranks;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const Picture::Box& box = picture.boxes[i];
    const std::string detail = about(box).empty() ? "" : "\\n" + about(box);
    text += fmt::format("  b{} [label=\"{}{}\"", i, escaped_dot(box.label), detail);
    if (!picture.by_levels) {
      text += fmt::format(", pos=\"{:.2f},{:.2f}!\"", box.x * 1.3, (picture.height - box.y) * 1.3);
    }
    text += "];\n";
    ranks[box.level] += fmt::format(" b{};", i);
  }
  for (const auto& [level, members] : ranks) {
    if (picture.by_levels) text += fmt::format("  {{ rank=same;{} }}\n", members);
  }
  for (const Picture::Strand& strand : picture.strands) {
    // The lower level first, so that it is drawn below.
    const bool swap = picture.boxes[strand.from].level > picture.boxes[strand.to].level;
    text +=
        fmt::format("  b{} -- b{}", swap ? strand.to : strand.from, swap ? strand.from : strand.to);
    if (strand.cables > 1) text += fmt::format(" [label=\"{}\", penwidth=2]", strand.cables);
    text += ";\n";
  }
  return text + "}\n";
}

}  // namespace heddle::sim
