// SPDX-License-Identifier: BSD-3-Clause
// Plans of cables as files: CSV and JSON.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "plan/cabling.hpp"

namespace heddle::plan {
namespace {

constexpr std::array<std::string_view, 10> kSpeedNames{"",    "SDR", "DDR", "QDR", "FDR10",
                                                       "FDR", "EDR", "HDR", "NDR", "XDR"};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets begin with it
constexpr std::size_t kMaxCables = 400'000;

// Devices by their names, as they come.
class Collector {
 public:
  explicit Collector(std::string_view title) { plan_.title = std::string(title); }

  std::uint32_t device(const std::string& name) {
    const auto [known, is_new] =
        by_name_.emplace(name, static_cast<std::uint32_t>(plan_.devices.size()));
    if (is_new) plan_.devices.push_back({name, {}, {}, {}});
    return known->second;
  }
  base::Result<> add(CablingPlan::Cable cable) {
    if (plan_.cables.size() >= kMaxCables) {
      return base::error(fmt::format("{}: more than {} cables", plan_.title, kMaxCables));
    }
    plan_.cables.push_back(cable);
    return {};
  }
  CablingPlan& plan() { return plan_; }

 private:
  CablingPlan plan_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
};

std::optional<std::uint8_t> read_port(std::string_view text) {
  const auto number = base::parse_number(base::trim(text), fabric::kMaxPortCount);
  if (!number || *number == 0) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

// Nothing if a quote is not closed.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

struct Columns {
  static constexpr std::size_t kNone = 99;
  std::size_t start_device = kNone, start_port = kNone, end_device = kNone, end_port = kNone;
  std::size_t width = kNone, speed = kNone;
  bool enough() const {
    return std::max({start_device, start_port, end_device, end_port}) != kNone;
  }
};

Columns columns_of(const std::vector<std::string>& heading) {
  Columns columns;
  const std::array<std::pair<std::string_view, std::size_t*>, 6> known{
      {{"start device", &columns.start_device},
       {"start port", &columns.start_port},
       {"end device", &columns.end_device},
       {"end port", &columns.end_port},
       {"width", &columns.width},
       {"speed", &columns.speed}}};
  for (std::size_t i = 0; i < std::min(heading.size(), Columns::kNone); ++i) {
    std::string name(base::trim(heading[i]));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return c == '_' ? ' ' : static_cast<char>(std::tolower(c));
    });
    for (const auto& [title, column] : known) {
      if (name == title) *column = i;
    }
  }
  return columns;
}

base::Result<> read_row(const std::vector<std::string>& fields, const Columns& columns,
                        unsigned line, Collector& collector) {
  const auto wrong = [&](std::string_view what) {
    return base::error(fmt::format("{}:{}: {}", collector.plan().title, line, what));
  };
  const auto field = [&](std::size_t column) -> std::string_view {
    return column < fields.size() ? base::trim(fields[column]) : std::string_view();
  };
  CablingPlan::Cable cable;
  cable.line = line;
  for (const bool first : {true, false}) {
    const std::string name(
        base::csv_plain(field(first ? columns.start_device : columns.end_device)));
    const auto port = read_port(field(first ? columns.start_port : columns.end_port));
    if (name.empty()) return wrong("a device has no name");
    if (!port) return wrong("a port is a number from 1 to 254");
    (first ? cable.a : cable.b) = {collector.device(name), *port};
  }
  cable.rate = parse_rate(field(columns.width), field(columns.speed));
  if (cable.rate.lanes == 0 && !field(columns.width).empty()) {
    return wrong("a width is 1x, 2x, 4x, 8x or 12x");
  }
  if (cable.rate.speed == LaneSpeed::Unknown && !field(columns.speed).empty()) {
    return wrong("a speed is SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
  }
  return collector.add(cable);
}

using Json = nlohmann::json;

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<CablingPlan::End> end_in(const Json& cable, const char* key, Collector& collector) {
  const auto end = cable.find(key);
  if (end == cable.end() || !end->is_object()) return std::nullopt;
  const std::string name = text_in(*end, "node");
  const auto port = end->find("port");
  if (name.empty() || port == end->end() || !port->is_number_unsigned()) return std::nullopt;
  const auto number = port->get<std::uint64_t>();
  if (number < 1 || number > fabric::kMaxPortCount) return std::nullopt;
  return CablingPlan::End{collector.device(name), static_cast<std::uint8_t>(number)};
}

base::Result<> read_nodes(const Json& nodes, Collector& collector) {
  for (const Json& node : nodes) {
    const std::string name = node.is_object() ? text_in(node, "name") : std::string();
    if (name.empty()) {
      return base::error(fmt::format("{}: a node has no name", collector.plan().title));
    }
    const std::uint32_t device = collector.device(name);
    collector.plan().devices[device].description = text_in(node, "description");
    const auto guid = base::parse_hex(text_in(node, "guid"));
    if (guid) collector.plan().devices[device].guid = mad::Guid{*guid};
  }
  return {};
}

}  // namespace

Rate parse_rate(std::string_view width, std::string_view speed) {
  if (width.ends_with('x') || width.ends_with('X')) width.remove_suffix(1);
  Rate rate;
  for (const unsigned lanes : {1u, 2u, 4u, 8u, 12u}) {
    if (base::parse_number(width) == lanes) rate.lanes = static_cast<std::uint8_t>(lanes);
  }
  const auto known = std::find(kSpeedNames.begin() + 1, kSpeedNames.end(), speed);
  if (known != kSpeedNames.end()) {
    rate.speed = static_cast<LaneSpeed>(known - kSpeedNames.begin());
  }
  return rate;
}

base::Result<CablingPlan> parse_cabling_csv(std::string_view text, std::string_view title) {
  Collector collector(title);
  std::optional<Columns> columns;
  unsigned number = 0;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto fields = fields_of(line);
    if (!fields) return base::error(fmt::format("{}:{}: a quote is not closed", title, number));
    if (!columns) {
      columns = columns_of(*fields);
      if (columns->enough()) continue;
      return base::error(fmt::format(
          "{}:{}: a heading with the columns start device, start port, end device and end port "
          "is wanted",
          title, number));
    }
    const auto read = read_row(*fields, *columns, number, collector);
    if (!read) return read.error();
  }
  if (!columns) return base::error(fmt::format("{}: there is nothing in it", title));
  return std::move(collector.plan());
}

base::Result<CablingPlan> parse_cabling_json(std::string_view text, std::string_view title) {
  const Json whole = Json::parse(text, nullptr, false);
  if (whole.is_discarded()) return base::error(fmt::format("{}: this is no JSON", title));
  const auto cables = whole.is_object() ? whole.find("cables") : whole.end();
  if (!whole.is_object() || cables == whole.end() || !cables->is_array()) {
    return base::error(fmt::format("{}: a list \"cables\" is wanted", title));
  }
  Collector collector(title);
  const auto nodes = whole.find("nodes");
  if (nodes != whole.end()) {
    const auto read = read_nodes(*nodes, collector);
    if (!read) return read.error();
  }
  std::size_t number = 0;
  for (const Json& cable : *cables) {
    ++number;
    const auto is_object = cable.is_object();
    const auto a = is_object ? end_in(cable, "a", collector) : std::nullopt;
    const auto b = is_object ? end_in(cable, "b", collector) : std::nullopt;
    if (!a || !b) {
      return base::error(fmt::format(
          "{}: cable {} needs \"a\" and \"b\", each with \"node\" and \"port\"", title, number));
    }
    const auto added =
        collector.add({*a, *b, parse_rate(text_in(cable, "width"), text_in(cable, "speed")), 0});
    if (!added) return added.error();
  }
  return std::move(collector.plan());
}

}  // namespace heddle::plan
