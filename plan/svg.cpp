// SPDX-License-Identifier: BSD-3-Clause
#include "plan/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/escape.hpp"

namespace heddle::plan {
namespace {

using fabric::NodeIndex;

constexpr double kScale = 60;  // points of a unit
constexpr std::size_t kMostHosts = 5000;
constexpr std::size_t kMostNames = 3000;

struct Colour {
  double red, green, blue;
};
// As in plan/web/colours.js, for light pages.
constexpr std::array<Colour, 7> kRamp{Colour{0xcc, 0xd6, 0xe2}, Colour{0xb0, 0xcd, 0xdc},
                                      Colour{0x87, 0xba, 0xd2}, Colour{0x5a, 0x9f, 0xc4},
                                      Colour{0xf0, 0xbc, 0x4e}, Colour{0xe5, 0x69, 0x2f},
                                      Colour{0xa9, 0x0f, 0x38}};

std::string shade(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (kRamp.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(place), kRamp.size() - 2);
  const auto mix = [&](double Colour::*channel) {
    const double a = kRamp[left].*channel, b = kRamp[left + 1].*channel;
    return static_cast<int>(std::lround(a + (b - a) * (place - static_cast<double>(left))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green),
                     mix(&Colour::blue));
}

class Draughtsman {
 public:
  Draughtsman(const fabric::Topology& topology, const Layout& layout, const DrawnLoads& loads)
      : topology_(topology), layout_(layout), loads_(loads) {}

  std::string draw(std::string_view title) && {
    const double width = layout_.width * kScale, height = layout_.height * kScale;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\""
        " height=\"{1:.0f}\" font-family=\"sans-serif\">\n<title>{2}</title>\n"
        "<style>.frame{{fill:#fff;stroke:#d5dde7}}.cable{{fill:none;stroke-linecap:round}}"
        ".box{{fill:#fff;stroke:#47617f}}.host{{fill:#6d87a6}}"
        "text{{text-anchor:middle;fill:#17202b}}.label{{text-anchor:start;fill:#5b6877}}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#f4f6f9\"/>\n",
        width, height, base::markup(title));
    draw_frames();
    draw_cables();
    draw_switches();
    draw_hosts();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  void draw_frames() {
    for (const Frame& frame : layout_.frames) {
      const bool round = frame.kind == Frame::Kind::Group;
      const double radius = round ? frame.width / 2 * kScale : 8;
      text_ += fmt::format(
          "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "rx=\"{:.1f}\"/>\n",
          frame.corner.x * kScale, frame.corner.y * kScale, frame.width * kScale,
          frame.height * kScale, radius);
    }
    const double size = std::max(14.0, layout_.width * kScale / 110);
    for (const Frame& frame : layout_.frames) {
      if (frame.label.empty()) continue;
      const bool round = frame.kind == Frame::Kind::Group;
      const double x = round ? frame.corner.x + frame.width / 2 : frame.corner.x;
      const double y = round ? frame.corner.y + frame.height / 2 : frame.corner.y;
      text_ += fmt::format("<text {}x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text>\n",
                           round ? "" : "class=\"label\" ", x * kScale, y * kScale - 5,
                           round ? 14 : size, base::markup(frame.label));
    }
  }

  double part_of(const DrawnLink& link) const {
    if (loads_.load.empty() || link.forward == fabric::kNoChannel) return -1;
    const auto back = topology_.channels()[link.forward.value].reverse;
    const auto most = std::max(loads_.load[link.forward.value], loads_.load[back.value]);
    const double weight = loads_.weights.empty() ? 1 : loads_.weights[link.forward.value];
    return std::min(1.0, static_cast<double>(most) * weight / loads_.hottest);
  }

  // What carries most lies on top.
  void draw_cables() {
    std::vector<std::size_t> order(layout_.links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> part;
    for (const DrawnLink& link : layout_.links) part.push_back(part_of(link));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return part[a] < part[b]; });
    const double faint =
        std::clamp(40 / std::sqrt(static_cast<double>(order.size() + 1)), 0.25, 1.0);
    for (const std::size_t l : order) {
      const double heat = std::max(0.0, part[l]);
      text_ += fmt::format(
          "<path class=\"cable\" d=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
          "opacity=\"{:.2f}\"/>\n",
          curve(layout_.links[l]), part[l] < 0 ? "#9fb0c4" : shade(part[l]), 1.2 + 1.4 * heat,
          faint + (1 - faint) * std::max(0.0, 2 * heat - 1));
    }
  }

  Point place(fabric::PortIndex port) const {
    const Point at = layout_.at[topology_.node_of(port).value];
    return {at.x * kScale, at.y * kScale};
  }

  // The same line as in plan/web/curves.js.
  std::string curve(const DrawnLink& link) const {
    const Point a = place(link.from), b = place(link.to);
    const double bend = link.bend * kScale, dx = b.x - a.x, dy = b.y - a.y;
    if (layout_.kind == Layout::Kind::Tree && std::abs(dy) > 0.5 * kScale) {
      const double middle = (a.y + b.y) / 2;
      return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y,
                         a.x + bend, middle, b.x + bend, middle, b.x, b.y);
    }
    if (bend == 0) return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
    const double height = bend * 4 / 3 / std::max(1e-9, std::hypot(dx, dy));
    return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y,
                       a.x + dx / 4 - dy * height, a.y + dy / 4 + dx * height,
                       b.x - dx / 4 - dy * height, b.y - dy / 4 + dx * height, b.x, b.y);
  }

  void draw_switches() {
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      const Point at = layout_.at[s];
      const std::string name = plan::name_of(topology_, NodeIndex{s});
      text_ += fmt::format(
          "<g><title>{}</title><rect class=\"box\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\" rx=\"4\"/>",
          base::markup(name), (at.x - kBoxHalfWidth) * kScale, (at.y - kBoxHalfHeight) * kScale,
          2 * kBoxHalfWidth * kScale, 2 * kBoxHalfHeight * kScale);
      if (topology_.switch_count() <= kMostNames) {
        // The end of a name tells more than its beginning.
        constexpr std::size_t kRoom = 9;
        const std::string shown =
            name.size() <= kRoom ? name : ".." + name.substr(name.size() - kRoom + 2);
        text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"8\">{}</text>",
                             at.x * kScale, at.y * kScale + 3, base::markup(shown));
      }
      text_ += "</g>\n";
    }
  }

  void draw_hosts() {
    const std::size_t hosts = topology_.node_count() - topology_.switch_count();
    const auto square = [this](Point middle, double width, double height, std::string_view name) {
      text_ += fmt::format(
          "<rect class=\"host\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">",
          (middle.x - width / 2) * kScale, (middle.y - height / 2) * kScale, width * kScale,
          height * kScale);
      text_ += fmt::format("<title>{}</title></rect>\n", base::markup(name));
    };
    if (hosts > kMostHosts) {
      for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
        if (layout_.host_size[s] == 0) continue;
        const Point at{layout_.at[s].x, layout_.at[s].y + (kHostsTop + kHostsBottom) / 2};
        square(at, 2 * kBoxHalfWidth, (kHostsBottom - kHostsTop) / 2, "hosts");
      }
      return;
    }
    std::vector<double> side(topology_.node_count(), 0.3);
    for (const fabric::PortIndex port : topology_.endports()) {
      const auto attachment = topology_.attachment(port);
      if (!attachment || attachment->out.value == 0) continue;
      side[topology_.node_of(port).value] =
          static_cast<double>(layout_.host_size[attachment->at.value]);
    }
    for (std::size_t n = topology_.switch_count(); n < topology_.node_count(); ++n) {
      const NodeIndex node{static_cast<std::uint32_t>(n)};
      square(layout_.at[n], side[n], side[n], plan::name_of(topology_, node));
    }
  }

  const fabric::Topology& topology_;
  const Layout& layout_;
  const DrawnLoads& loads_;
  std::string text_;
};

}  // namespace

std::string svg_of(const fabric::Topology& topology, const Layout& layout, std::string_view title,
                   const DrawnLoads& loads) {
  return Draughtsman(topology, layout, loads).draw(title);
}

}  // namespace heddle::plan
