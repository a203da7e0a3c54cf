// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fabric/islands.hpp"
#include "plan/base64.hpp"
#include "plan/loads.hpp"
#include "plan/report.hpp"

namespace heddle::plan {
namespace {

using Json = nlohmann::ordered_json;
using fabric::NodeIndex;
using fabric::SwitchIndex;

constexpr std::size_t kBins = 28;
constexpr std::size_t kWorstLinks = 50;
constexpr std::uint32_t kNobody = 0xFFFF'FFFF;

// Six digits that matter.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_same_v<Value, double>) {
    return rounded(*value);
  } else {
    return *value;
  }
}

const char* name_of(Layout::Kind kind) {
  switch (kind) {
    case Layout::Kind::Tree:
      return "tree";
    case Layout::Kind::Grid:
      return "grid";
    case Layout::Kind::Groups:
      return "groups";
    case Layout::Kind::Hosts:
      return "hosts";
    case Layout::Kind::General:
      break;
  }
  return "general";
}

const char* name_of(Frame::Kind kind) {
  switch (kind) {
    case Frame::Kind::Level:
      return "level";
    case Frame::Kind::Group:
      return "group";
    case Frame::Kind::Island:
      return "island";
    case Frame::Kind::Block:
      break;
  }
  return "block";
}

class Writer {
 public:
  explicit Writer(const Report& report)
      : report_(report),
        topology_(report.topology),
        weights_(channel_weights(report.topology, report.capacities)) {}

  Json whole() const {
    Json engines = Json::array();
    for (const ReportedEngine& engine : report_.engines) engines.push_back(of_engine(engine));
    return {{"format", "heddle-plan-report"},
            {"version", 1},
            {"made_by", report_.made_by},
            {"fabric", report_.title},
            {"seed", report_.seed},
            {"warnings", report_.warnings},
            {"counts",
             {{"switches", topology_.switch_count()},
              {"hosts", host_count()},
              {"links", topology_.link_count()},
              {"islands", fabric::Islands(topology_).count()}}},
            {"picture", picture()},
            {"nodes", nodes()},
            {"endports", endports()},
            {"links", links()},
            {"shades", shades()},
            {"levels", levels()},
            {"budget", budget()},
            {"engines", std::move(engines)},
            {"tables", tables()}};
  }

 private:
  std::size_t host_count() const { return topology_.node_count() - topology_.switch_count(); }

  Json picture() const {
    const Layout& layout = report_.layout;
    Json frames = Json::array();
    for (const Frame& frame : layout.frames) {
      frames.push_back({{"kind", name_of(frame.kind)},
                        {"label", frame.label},
                        {"x", rounded(frame.corner.x)},
                        {"y", rounded(frame.corner.y)},
                        {"width", rounded(frame.width)},
                        {"height", rounded(frame.height)}});
    }
    return {{"kind", name_of(layout.kind)},   {"title", layout.title},
            {"width", rounded(layout.width)}, {"height", rounded(layout.height)},
            {"frames", std::move(frames)},    {"box", {kBoxHalfWidth, kBoxHalfHeight}}};
  }

  Json nodes() const {
    std::vector<float> x, y;
    std::vector<std::uint64_t> guid;
    std::vector<std::uint16_t> switch_lid;
    Json names = Json::array();
    Json routers = Json::array();
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n) {
      const NodeIndex node{n};
      names.push_back(plan::name_of(topology_, node));
      guid.push_back(topology_.node(node).guid.value);
      x.push_back(static_cast<float>(report_.layout.at[n].x));
      y.push_back(static_cast<float>(report_.layout.at[n].y));
      if (topology_.node(node).type == mad::NodeType::Router) routers.push_back(n);
    }
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      const auto port = topology_.port_of(SwitchIndex{s}, mad::PortNumber{0});
      switch_lid.push_back(report_.lids.base(port).value);
    }
    return {{"names", std::move(names)},
            {"routers", std::move(routers)},
            {"guid", packed_numbers(guid)},
            {"x", packed_numbers(x)},
            {"y", packed_numbers(y)},
            {"rank", packed_numbers(report_.layout.rank)},
            {"host_size", packed_numbers(report_.layout.host_size)},
            {"switch_lid", packed_numbers(switch_lid)}};
  }

  std::uint8_t kind_of(fabric::PortIndex port) const {
    return port.value < report_.kind_of_port.size() ? report_.kind_of_port[port.value] : 0;
  }

  // Of channel adapters and routers.
  Json endports() const {
    std::vector<std::uint32_t> node, at;
    std::vector<std::uint8_t> number, out, kind, lmc;
    std::vector<std::uint16_t> lid;
    for (const fabric::PortIndex port : topology_.endports()) {
      const NodeIndex owner = topology_.node_of(port);
      if (topology_.is_switch(owner)) continue;
      const auto attachment = topology_.attachment(port);
      node.push_back(owner.value);
      number.push_back(topology_.number_of(port).value);
      at.push_back(attachment ? attachment->at.value : kNobody);
      out.push_back(attachment ? attachment->out.value : std::uint8_t{0});
      kind.push_back(kind_of(port));
      lid.push_back(report_.lids.base(port).value);
      lmc.push_back(report_.lids.range(port).lmc);
    }
    return {{"node", packed_numbers(node)}, {"port", packed_numbers(number)},
            {"switch", packed_numbers(at)}, {"switch_port", packed_numbers(out)},
            {"kind", packed_numbers(kind)}, {"lid", packed_numbers(lid)},
            {"lmc", packed_numbers(lmc)}};
  }

  Json links() const {
    std::vector<std::uint32_t> from, to;
    std::vector<std::uint8_t> from_port, to_port, kind;
    std::vector<float> bend;
    for (const DrawnLink& link : report_.layout.links) {
      from.push_back(topology_.node_of(link.from).value);
      to.push_back(topology_.node_of(link.to).value);
      from_port.push_back(topology_.number_of(link.from).value);
      to_port.push_back(topology_.number_of(link.to).value);
      kind.push_back(kind_of(link.from));
      bend.push_back(static_cast<float>(link.bend));
    }
    return {{"from", packed_numbers(from)},
            {"to", packed_numbers(to)},
            {"from_port", packed_numbers(from_port)},
            {"to_port", packed_numbers(to_port)},
            {"kind", packed_numbers(kind)},
            {"bend", packed_numbers(bend)},
            {"kinds", report_.link_kinds},
            {"capacities", report_.kind_capacities}};
  }

  Json shades() const {
    const double unit = host_load(topology_, report_.lids);
    std::vector<WeightedLoads> engines;
    for (const ReportedEngine& engine : report_.engines) {
      if (engine.loads) engines.push_back(weigh(engine.loads->load, weights_));
    }
    return {{"unit", unit},
            {"hottest", rounded(hottest_load(engines, unit))},
            {"cable", report_.unit},
            {"alike", report_.capacities.empty()}};
  }

  Json levels() const {
    Json levels = Json::array();
    if (report_.layout.kind != Layout::Kind::Tree) return levels;
    for (const LevelSupply& level : supply_of_levels(topology_, report_.layout.rank)) {
      levels.push_back({{"switches", level.switches},
                        {"hosts", level.hosts},
                        {"down", level.down},
                        {"up", level.up},
                        {"sideways", level.sideways}});
    }
    return levels;
  }

  // What there is a limit to: {"name", "used", "of"}; "of" may be null.
  Json budget() const {
    std::uint64_t lids = 0, ports = 0, linked = 0;
    std::size_t least_fdb = 0;
    for (const fabric::PortIndex port : topology_.endports()) {
      if (report_.lids.base(port) != mad::kNoLid) lids += report_.lids.range(port).count();
    }
    for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
      const fabric::Node& node = topology_.node(SwitchIndex{s});
      ports += node.port_count;
      for (unsigned p = 1; p <= node.port_count; ++p) {
        const auto port =
            topology_.port_of(SwitchIndex{s}, mad::PortNumber{static_cast<std::uint8_t>(p)});
        if (topology_.peer(port) != fabric::kNoPort) ++linked;
      }
      const std::size_t cap = node.linear_fdb_cap;
      if (cap > 0 && (least_fdb == 0 || cap < least_fdb)) least_fdb = cap;
    }
    const std::uint64_t top = report_.lids.top().value;
    const std::uint64_t blocks = top == 0 ? 0 : top / fabric::kLftBlockLids + 1;
    Json rows = Json::array();
    const auto add = [&](const char* name, std::uint64_t used, std::uint64_t of) {
      rows.push_back({{"name", name}, {"used", used}, {"of", of == 0 ? Json(nullptr) : Json(of)}});
    };
    add("Unicast LIDs", lids, mad::kLastUnicastLid.value);
    add("Highest LID, against what every switch forwards", top, least_fdb == 0 ? 0 : least_fdb - 1);
    add("Switch ports with a cable", linked, ports);
    add("Forwarding table blocks, all switches", blocks * topology_.switch_count(), 0);
    return rows;
  }

  Json of_engine(const ReportedEngine& engine) const {
    Json row{{"name", engine.engine},
             {"certified", engine.certified},
             {"reason", engine.certified ? Json(nullptr) : Json(engine.reason)},
             {"notes", engine.notes},
             {"seconds", or_null(engine.seconds)},
             {"verify_seconds", or_null(engine.verify_seconds)},
             {"vls", or_null(engine.vls)},
             {"quality", nullptr},
             {"patterns", nullptr}};
    if (engine.loads) add_loads(*engine.loads, row);
    if (engine.patterns) {
      const auto& patterns = *engine.patterns;
      row["patterns"] = {{"shifts", patterns.shifts},
                         {"shift_worst", patterns.shift_worst},
                         {"shift_mean", rounded(patterns.shift_mean)},
                         {"bisections", patterns.bisections},
                         {"ebb_by_count", rounded(patterns.effective_bandwidth)},
                         {"bisection_worst", rounded(patterns.bisection_worst_mean)},
                         {"weighted_shift_worst", rounded(patterns.weighted.shift_worst)},
                         {"weighted_shift_mean", rounded(patterns.weighted.shift_mean)},
                         {"ebb", rounded(patterns.weighted.effective_bandwidth)}};
    }
    return row;
  }

  void add_loads(const routing::MeasuredLoads& measured, Json& row) const {
    const routing::Quality& quality = measured.quality;
    row["quality"] = {{"routes", quality.routes},
                      {"lost", quality.lost},
                      {"least_load", quality.least_load},
                      {"mean_load", rounded(quality.mean_load)},
                      {"p99_load", quality.p99_load},
                      {"greatest_load", quality.greatest_load},
                      {"mean_hops", rounded(quality.mean_hops)},
                      {"max_hops", quality.max_hops},
                      {"hops", quality.hops},
                      {"fewest_hops", quality.fewest_hops}};
    const WeightedLoads weighted = weigh(measured.load, weights_);
    row["quality"]["weighted"] = {{"greatest", rounded(weighted.greatest)},
                                  {"p99", rounded(weighted.p99)},
                                  {"mean", rounded(weighted.mean)}};
    const LoadHistogram histogram = load_histogram(measured.load, kBins);
    row["load_histogram"] = {
        {"least", histogram.least}, {"step", histogram.step}, {"counts", histogram.counts}};
    // By channel: the link of the picture it belongs to, and whether it goes its way.
    std::vector<std::uint32_t> forward, backward, link_of(measured.load.size());
    for (std::uint32_t l = 0; l < report_.layout.links.size(); ++l) {
      const fabric::ChannelIndex there = report_.layout.links[l].forward;
      const bool measurable = there != fabric::kNoChannel;
      forward.push_back(measurable ? narrow(measured.load[there.value]) : 0);
      if (measurable) link_of[there.value] = l;
      const auto back = measurable ? topology_.channels()[there.value].reverse : there;
      backward.push_back(measurable ? narrow(measured.load[back.value]) : 0);
      if (measurable) link_of[back.value] = l;
    }
    Json worst = Json::array();
    for (const LoadedChannel& one : worst_channels(measured.load, kWorstLinks, weights_)) {
      const std::uint32_t link = link_of[one.channel.value];
      worst.push_back({{"link", link},
                       {"forward", report_.layout.links[link].forward == one.channel},
                       {"load", one.load},
                       {"weighted", rounded(one.weighted)}});
    }
    row["worst"] = std::move(worst);
    row["load_forward"] = packed_numbers(forward);
    row["load_backward"] = packed_numbers(backward);
  }

  static std::uint32_t narrow(std::uint64_t load) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(load, kMost));
  }

  Json tables() const {
    if (!report_.tables) return {{"left_out", report_.why_no_tables}};
    const CompactTables& tables = *report_.tables;
    return {{"engine", report_.tables_engine},
            {"row_size", tables.row_size},
            {"bytes", base64(tables.bytes)},
            {"first", packed_numbers(tables.first)},
            {"base", packed_numbers(tables.base)}};
  }

  const Report& report_;
  const fabric::Topology& topology_;
  const std::vector<double> weights_;  // by channel; empty: all alike
};

}  // namespace

std::string report_json(const Report& report) {
  const std::string text =
      Writer(report).whole().dump(-1, ' ', false, Json::error_handler_t::replace);
  // In JSON it can only stand in a string, where this means the same; in a page it could end the
  // script that holds the data.
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace heddle::plan
