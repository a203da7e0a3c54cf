// SPDX-License-Identifier: BSD-3-Clause
// A blueprint as text for other tools and for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/blueprint.hpp"

namespace heddle::sim {

enum class ExportFormat : std::uint8_t {
  Ibnetdiscover,  // nodes called by their GUIDs
  Ibsim,          // the same, nodes called by their names
  LinkList,       // .lst
  Topology,       // ibdm's .topo
  Cabling,        // CSV: one cable in a line
  Dot,            // graphviz; large fabrics in bundles
  Svg,            // a drawing; large fabrics in bundles
  Json,
};

inline constexpr std::string_view kExportFormatNames =
    "ibnetdiscover ibsim lst topo cabling dot svg json";
std::optional<ExportFormat> parse_export_format(std::string_view name);

// The first two and the list (and the .topo with its .ibnl files, but for GUIDs, LIDs and routers)
// read back as the same nodes, ports, LIDs and cables (parse_fabric_file) but for what the format
// cannot say: names (but Ibsim keeps them), nodes without a cable in a list.
std::string export_fabric(const Blueprint& blueprint, ExportFormat format);

// --- one per format
// -------------------------------------------------------------------------------

std::string net_file_text(const Blueprint& blueprint, bool by_name);
std::string link_list_text(const Blueprint& blueprint);
std::string topology_text(const Blueprint& blueprint);
// The .ibnl files that the .topo needs; their names are file names.
std::vector<NamedText> system_definitions(const Blueprint& blueprint);
std::string cabling_text(const Blueprint& blueprint);
std::string dot_text(const Blueprint& blueprint);
std::string svg_text(const Blueprint& blueprint);
std::string json_text(const Blueprint& blueprint);

// Which cable hangs on each port.
class PortMap {
 public:
  explicit PortMap(const Blueprint& blueprint);

  struct Plug {
    PlannedEnd peer;
    const PlannedCable* cable = nullptr;  // null: nothing is plugged in
  };
  const Plug& at(std::uint32_t node, unsigned port) const { return plugs_[first_[node] + port]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<Plug> plugs_;
};

// What a port shows as its GUID, LID and LMC: of port 0 for any port of a switch.
PlannedPort shown_port(const PlannedNode& node, unsigned port);

}  // namespace heddle::sim
