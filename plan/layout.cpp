// SPDX-License-Identifier: BSD-3-Clause
#include "plan/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "fabric/islands.hpp"
#include "plan/sketch.hpp"

namespace heddle::plan {
namespace {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabric::Topology;

constexpr double kMargin = 0.7;        // around an island
constexpr double kPageAspect = 1.6;    // width to height of the whole picture, when islands decide
constexpr double kHostsWidth = 0.84;   // of the strip below a switch
constexpr double kLooseHostsRow = 24;  // hosts without a switch in one row
// How far parallel cables bend from each other, and all of them together.
constexpr double kBetweenParallels = 0.14;
constexpr double kMostOfParallels = 0.7;

// The switches of one island and the links between them, as a fabric of its own.
Topology cut_out(const Topology& whole, const std::vector<SwitchIndex>& members) {
  fabric::TopologyBuilder builder;
  for (const SwitchIndex at : members) builder.add_node(whole.node(at));
  const auto end = [&](SwitchIndex at, mad::PortNumber port) {
    return fabric::TopologyBuilder::End{whole.node(at).guid, port};
  };
  for (const SwitchIndex at : members) {
    for (const auto& channel : whole.channels_from(at)) {
      if (channel.reverse > whole.channel_by_port(at, channel.out)) {
        builder.add_link(end(at, channel.out), end(channel.to, channel.in));
      }
    }
  }
  // Hosts tell leaves from other switches.
  for (const fabric::PortIndex port : whole.endports()) {
    const auto attachment = whole.attachment(port);
    if (!attachment || attachment->out.value == 0) continue;
    if (!std::binary_search(members.begin(), members.end(), attachment->at)) continue;
    fabric::Node host = whole.node(whole.node_of(port));
    builder.add_node(host);
    builder.add_link({host.guid, whole.number_of(port)}, end(attachment->at, attachment->out));
  }
  auto built = std::move(builder).build();
  return built ? *std::move(built) : Topology{};
}

Sketch sketch(const Topology& island) {
  if (auto tree = sketch_tree(island)) return *std::move(tree);
  if (auto grid = sketch_grid(island)) return *std::move(grid);
  if (auto groups = sketch_groups(island)) return *std::move(groups);
  return sketch_general(island);
}

// Moves everything so that the upper left corner is the margin; the size with both margins.
Point moved_to_corner(Sketch& of) {
  Point least{1e30, 1e30}, most{-1e30, -1e30};
  const auto take_in = [&](double x, double y) {
    least = {std::min(least.x, x), std::min(least.y, y)};
    most = {std::max(most.x, x), std::max(most.y, y)};
  };
  for (const Point& at : of.at) {
    take_in(at.x - 0.5, at.y - 0.5);
    take_in(at.x + 0.5, at.y + 0.5);
  }
  for (const Frame& frame : of.frames) {
    take_in(frame.corner.x, frame.corner.y);
    take_in(frame.corner.x + frame.width, frame.corner.y + frame.height);
  }
  const auto move = [&](Point& at) {
    at.x += kMargin - least.x;
    at.y += kMargin - least.y;
  };
  for (Point& at : of.at) move(at);
  for (Frame& frame : of.frames) move(frame.corner);
  return {most.x - least.x + 2 * kMargin, most.y - least.y + 2 * kMargin};
}

// Shelves: from left to right until the row is full.
std::vector<Point> packed(const std::vector<Point>& sizes, Layout& layout) {
  double area = 0, widest = 0;
  for (const Point& size : sizes) {
    area += size.x * size.y;
    widest = std::max(widest, size.x);
  }
  const double full = std::max(widest, std::sqrt(area * kPageAspect) * 1.1);
  std::vector<Point> corners;
  Point next;
  double shelf = 0;
  for (const Point& size : sizes) {
    if (next.x > 0 && next.x + size.x > full) {
      next = {0, next.y + shelf};
      shelf = 0;
    }
    corners.push_back(next);
    next.x += size.x;
    shelf = std::max(shelf, size.y);
    layout.width = std::max(layout.width, next.x);
    layout.height = std::max(layout.height, next.y + shelf);
  }
  return corners;
}

class Composer {
 public:
  explicit Composer(const Topology& topology) : topology_(topology) {
    layout_.at.resize(topology.node_count());
    layout_.rank.resize(topology.switch_count());
    layout_.host_size.resize(topology.switch_count());
    bend_.resize(topology.channels().size());
  }

  Layout compose() && {
    place_islands();
    place_hosts();
    add_links();
    return std::move(layout_);
  }

 private:
  void place_islands() {
    const fabric::Islands islands(topology_);
    std::vector<Sketch> sketches;
    std::vector<Point> sizes;
    for (std::size_t i = 0; i < islands.count(); ++i) {
      sketches.push_back(islands.count() == 1 ? sketch(topology_)
                                              : sketch_part(islands.members(i)));
      sizes.push_back(moved_to_corner(sketches.back()));
    }
    const auto corners = packed(sizes, layout_);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < sketches.size(); ++i) {
      if (islands.members(i).size() > islands.members(largest).size()) largest = i;
      adopt(sketches[i], corners[i], islands.members(i), sizes[i], islands.count() > 1);
    }
    layout_.kind = sketches.empty() ? Layout::Kind::Hosts : sketches[largest].kind;
    layout_.title = sketches.empty() ? "hosts without a switch" : sketches[largest].title;
    if (sketches.size() > 1) {
      layout_.title += ", largest of " + std::to_string(sketches.size()) + " islands";
    }
    std::stable_sort(
        layout_.frames.begin(), layout_.frames.end(),
        [](const Frame& a, const Frame& b) { return a.width * a.height > b.width * b.height; });
  }

  Sketch sketch_part(const std::vector<SwitchIndex>& members) {
    const Topology part = cut_out(topology_, members);
    Sketch of = sketch(part);
    std::vector<double> bend(topology_.channels().size());
    for (std::size_t c = 0; c < of.bend.size(); ++c) {
      const auto& channel = part.channels()[c];
      bend[topology_.channel_by_port(members[channel.from.value], channel.out).value] = of.bend[c];
    }
    of.bend = std::move(bend);
    return of;
  }

  void adopt(const Sketch& of, Point corner, const std::vector<SwitchIndex>& members, Point size,
             bool outlined) {
    for (std::size_t s = 0; s < members.size(); ++s) {
      layout_.at[members[s].value] = {of.at[s].x + corner.x, of.at[s].y + corner.y};
      layout_.rank[members[s].value] = of.rank[s];
    }
    for (Frame frame : of.frames) {
      frame.corner = {frame.corner.x + corner.x, frame.corner.y + corner.y};
      layout_.frames.push_back(std::move(frame));
    }
    for (std::size_t c = 0; c < of.bend.size(); ++c) bend_[c] += of.bend[c];
    if (!outlined) return;
    layout_.frames.push_back({Frame::Kind::Island,
                              {corner.x + 0.1, corner.y + 0.1},
                              size.x - 0.2,
                              size.y - 0.2,
                              of.title});
  }

  // In rows in the strip below their switch, by port; those without a switch below everything.
  void place_hosts() {
    std::vector<std::vector<NodeIndex>> hosts(topology_.switch_count());
    std::vector<bool> placed(topology_.node_count());
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      const auto& node = topology_.node(SwitchIndex{s});
      for (unsigned p = 1; p <= node.port_count; ++p) {
        const auto peer = topology_.peer(
            topology_.port_of(SwitchIndex{s}, mad::PortNumber{static_cast<std::uint8_t>(p)}));
        if (peer == fabric::kNoPort) continue;
        const NodeIndex owner = topology_.node_of(peer);
        if (topology_.is_switch(owner) || placed[owner.value]) continue;
        placed[owner.value] = true;
        hosts[s].push_back(owner);
      }
      place_hosts_of(SwitchIndex{s}, hosts[s]);
    }
    std::vector<NodeIndex> loose;
    for (std::size_t n = topology_.switch_count(); n < topology_.node_count(); ++n) {
      if (!placed[n]) loose.push_back(NodeIndex{static_cast<std::uint32_t>(n)});
    }
    place_loose_hosts(loose);
  }

  void place_hosts_of(SwitchIndex at, const std::vector<NodeIndex>& hosts) {
    if (hosts.empty()) return;
    constexpr double kHeight = kHostsBottom - kHostsTop;
    const auto count = static_cast<double>(hosts.size());
    const double columns = std::min(count, std::ceil(std::sqrt(count * kHostsWidth / kHeight)));
    const double rows = std::ceil(count / columns);
    const double pitch = std::min({kHostsWidth / columns, kHeight / rows, 0.16});
    layout_.host_size[at.value] = static_cast<float>(pitch * 0.72);
    const Point middle = layout_.at[at.value];
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto column = std::fmod(static_cast<double>(i), columns);
      const auto row = std::floor(static_cast<double>(i) / columns);
      layout_.at[hosts[i].value] = {middle.x + pitch * (column - (columns - 1) / 2),
                                    middle.y + kHostsTop + pitch * (row + 0.5)};
    }
  }

  void place_loose_hosts(const std::vector<NodeIndex>& hosts) {
    if (hosts.empty()) return;
    const double top = topology_.switch_count() == 0 ? 0.5 : layout_.height;
    const double columns = std::min(kLooseHostsRow, static_cast<double>(hosts.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto n = static_cast<double>(i);
      layout_.at[hosts[i].value] = {0.5 + kMargin + std::fmod(n, columns),
                                    top + 0.5 + std::floor(n / columns)};
    }
    layout_.width = std::max(layout_.width, columns + 2 * kMargin);
    layout_.height = layout_.at[hosts.back().value].y + 0.5 + kMargin;
  }

  void add_links() {
    for (std::uint32_t p = 0; p < topology_.port_count(); ++p) {
      const fabric::PortIndex from{p}, to = topology_.peer(from);
      if (to == fabric::kNoPort || to <= from) continue;
      const NodeIndex a = topology_.node_of(from), b = topology_.node_of(to);
      if (a == b || topology_.is_switch(a) != topology_.is_switch(b)) continue;
      DrawnLink link{from, to, fabric::kNoChannel, 0};
      if (topology_.is_switch(a)) {
        link.forward = topology_.channel_by_port(SwitchIndex{a.value}, topology_.number_of(from));
        link.bend = bend_[link.forward.value];
      }
      layout_.links.push_back(link);
    }
    spread_parallel_cables();
  }

  // Cables between the same two nodes stand beside each other.
  void spread_parallel_cables() {
    std::map<std::pair<NodeIndex, NodeIndex>, std::vector<DrawnLink*>> pairs;
    for (DrawnLink& link : layout_.links) {
      pairs[{topology_.node_of(link.from), topology_.node_of(link.to)}].push_back(&link);
    }
    for (auto& [ends, links] : pairs) {
      const auto count = static_cast<double>(links.size());
      const double step = std::min(kBetweenParallels, kMostOfParallels / count);
      for (std::size_t i = 0; i < links.size(); ++i) {
        links[i]->bend += step * (static_cast<double>(i) - (count - 1) / 2);
      }
    }
  }

  const Topology& topology_;
  std::vector<double> bend_;  // by channel
  Layout layout_;
};

}  // namespace

Layout lay_out(const Topology& topology) {
  return Composer(topology).compose();
}

std::string name_of(const Topology& topology, NodeIndex node) {
  const fabric::Node& of = topology.node(node);
  return of.description.empty() ? base::hex(of.guid.value) : of.description;
}

}  // namespace heddle::plan
