// SPDX-License-Identifier: BSD-3-Clause
#include "sim/export.hpp"

#include <array>

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

constexpr std::array<std::pair<std::string_view, ExportFormat>, 8> kFormats{
    {{"ibnetdiscover", ExportFormat::Ibnetdiscover},
     {"ibsim", ExportFormat::Ibsim},
     {"lst", ExportFormat::LinkList},
     {"topo", ExportFormat::Topology},
     {"cabling", ExportFormat::Cabling},
     {"dot", ExportFormat::Dot},
     {"svg", ExportFormat::Svg},
     {"json", ExportFormat::Json}}};

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string_view type_word(mad::NodeType type) {
  if (type == mad::NodeType::Switch) return "switch";
  return type == mad::NodeType::Router ? "router" : "ca";
}

std::string_view lane_gigabits(Speed speed) {
  switch (speed) {
    case Speed::SDR:
      return "2.5";
    case Speed::DDR:
      return "5";
    case Speed::QDR:
      return "10";
    case Speed::FDR10:
      return "FDR10";
    case Speed::FDR:
      return "14";
    case Speed::EDR:
      return "25";
    case Speed::HDR:
      return "50";
    case Speed::NDR:
      return "100";
    case Speed::XDR:
      return "200";
  }
  return "2.5";
}

std::string listed_end(const PlannedNode& node, std::uint8_t port) {
  const PlannedPort shown = shown_port(node, port);
  const char* type = node.type == mad::NodeType::Switch   ? "SW"
                     : node.type == mad::NodeType::Router ? "Rt"
                                                          : "CA";
  return fmt::format(
      "{{ {} Ports:{:02x} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:{:08X} "
      "DevID:{:04X} Rev:00000000 {{{}}} LID:{:04X} PN:{:02X} }}",
      type, node.port_count, node.system_image_guid.value, node.guid.value, shown.guid.value,
      node.vendor_id, node.device_id, base::printable(node.description), shown.lid.value, port);
}

}  // namespace

PortMap::PortMap(const Blueprint& blueprint) {
  std::size_t count = 0;
  for (const PlannedNode& node : blueprint.nodes) {
    first_.push_back(count);
    count += node.port_count + std::size_t{1};
  }
  plugs_.resize(count);
  for (const PlannedCable& cable : blueprint.cables) {
    plugs_[first_[cable.a.node] + cable.a.port] = {cable.b, &cable};
    plugs_[first_[cable.b.node] + cable.b.port] = {cable.a, &cable};
  }
}

PlannedPort shown_port(const PlannedNode& node, unsigned port) {
  if (node.type == mad::NodeType::Switch) port = 0;
  PlannedPort shown = port < node.ports.size() ? node.ports[port] : PlannedPort{};
  if (shown.guid == mad::Guid{}) shown.guid = mad::Guid{node.guid.value + port};
  return shown;
}

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  return std::nullopt;
}

std::string export_fabric(const Blueprint& blueprint, ExportFormat format) {
  switch (format) {
    case ExportFormat::Ibnetdiscover:
      return net_file_text(blueprint, false);
    case ExportFormat::Ibsim:
      return net_file_text(blueprint, true);
    case ExportFormat::LinkList:
      return link_list_text(blueprint);
    case ExportFormat::Topology:
      return topology_text(blueprint);
    case ExportFormat::Cabling:
      return cabling_text(blueprint);
    case ExportFormat::Dot:
      return dot_text(blueprint);
    case ExportFormat::Svg:
      return svg_text(blueprint);
    case ExportFormat::Json:
      return json_text(blueprint);
  }
  return {};
}

std::string link_list_text(const Blueprint& blueprint) {
  std::string text;
  for (const PlannedCable& cable : blueprint.cables) {
    const std::string a = listed_end(blueprint.nodes[cable.a.node], cable.a.port);
    const std::string b = listed_end(blueprint.nodes[cable.b.node], cable.b.port);
    const std::string rate =
        fmt::format("PHY={} LOG=INI SPD={}", name_of(cable.width), lane_gigabits(cable.speed));
    text += fmt::format("{} {} {}\n{} {} {}\n", a, b, rate, b, a, rate);
  }
  return text;
}

std::string cabling_text(const Blueprint& blueprint) {
  std::string text = "start device,start port,end device,end port,width,speed,label\n";
  for (const PlannedCable& cable : blueprint.cables) {
    const std::string& a = blueprint.nodes[cable.a.node].name;
    const std::string& b = blueprint.nodes[cable.b.node].name;
    const std::string label = fmt::format("{}/P{} - {}/P{}", a, cable.a.port, b, cable.b.port);
    text += fmt::format("{},{},{},{},{},{},{}\n", base::csv_field(a), cable.a.port,
                        base::csv_field(b), cable.b.port, name_of(cable.width),
                        name_of(cable.speed), base::csv_field(label));
  }
  return text;
}

std::string json_text(const Blueprint& blueprint) {
  std::string text = fmt::format("{{\"title\":{},\n\"nodes\":[", json_string(blueprint.title));
  const char* separator = "\n";
  for (const PlannedNode& node : blueprint.nodes) {
    text += fmt::format(
        "{}{{\"name\":{},\"description\":{},\"type\":\"{}\",\"guid\":\"{}\","
        "\"system_image_guid\":\"{}\",\"vendor\":{},\"device\":{},\"ports\":[",
        separator, json_string(node.name), json_string(node.description), type_word(node.type),
        base::hex(node.guid.value), base::hex(node.system_image_guid.value), node.vendor_id,
        node.device_id);
    const bool is_switch = node.type == mad::NodeType::Switch;
    for (unsigned port = is_switch ? 0 : 1; port <= node.port_count; ++port) {
      const PlannedPort shown = shown_port(node, port);
      if (port != (is_switch ? 0u : 1u)) text += ',';
      if (is_switch && port > 0) {
        text += fmt::format("{{\"port\":{}}}", port);
      } else {
        text += fmt::format("{{\"port\":{},\"guid\":\"{}\",\"lid\":{},\"lmc\":{}}}", port,
                            base::hex(shown.guid.value), shown.lid.value, shown.lmc);
      }
    }
    text += "]}";
    separator = ",\n";
  }
  text += "],\n\"cables\":[";
  separator = "\n";
  for (const PlannedCable& cable : blueprint.cables) {
    text += fmt::format(
        "{}{{\"a\":{{\"node\":{},\"port\":{}}},\"b\":{{\"node\":{},\"port\":{}}},"
        "\"width\":\"{}\",\"speed\":\"{}\"}}",
        separator, json_string(blueprint.nodes[cable.a.node].name), cable.a.port,
        json_string(blueprint.nodes[cable.b.node].name), cable.b.port, name_of(cable.width),
        name_of(cable.speed));
    separator = ",\n";
  }
  return text + "]}\n";
}

}  // namespace heddle::sim
