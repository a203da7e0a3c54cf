// SPDX-License-Identifier: BSD-3-Clause
// The plan of a simulated fabric: nodes, ports and cables, before anything is powered on.
// Generators and importers make it, a World is built from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"

namespace heddle::sim {

// What a cable carries: one LinkWidth bit, and the speed as it would be negotiated.
enum class Speed : std::uint8_t { SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR };
enum class Width : std::uint8_t { X1, X2, X4, X8, X12 };

struct PlannedPort {
  mad::Guid guid{};  // CA and router ports; 0: node GUID + port number
  mad::Lid lid{};    // what the port holds at power-on, kNoLid for none
  std::uint8_t lmc = 0;
  // What the port supports at most; without them what its cable carries (4x HDR without a cable).
  std::optional<Width> width{};
  std::optional<Speed> speed{};
};

struct PlannedNode {
  std::string name;         // unique: the key by which --at, files and faults name the node
  std::string description;  // NodeDescription, at most 64 bytes
  mad::NodeType type = mad::NodeType::ChannelAdapter;
  mad::Guid guid{};
  mad::Guid system_image_guid{};
  std::uint8_t port_count = 1;
  bool enhanced_port0 = false;
  std::uint32_t vendor_id = 0;
  std::uint16_t device_id = 0;
  std::uint16_t linear_fdb_cap = 49152;
  std::uint16_t multicast_fdb_cap = 4096;
  // SwitchInfo.OptimizedSLtoVLMappingProgramming.
  bool optimized_sl_to_vl = false;
  // What each port can do. VLCap is a code: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 data lanes. 0: as is
  // usual for the kind of node.
  mad::Mtu mtu_cap = mad::Mtu::Bytes4096;
  std::uint8_t vl_cap = 4;
  std::uint16_t p_key_cap = 0;  // NodeInfo.PartitionCap; of switches also PartitionEnforcementCap
  std::uint8_t guid_cap = 0;
  // Virtual ports behind each port of a channel adapter: how many there can be (0: it has none),
  // how many there are, and whether they want LIDs of their own.
  std::uint16_t virtual_port_cap = 0;
  std::uint16_t virtual_ports = 0;
  bool virtual_port_lids = false;
  std::vector<PlannedPort> ports;  // 0..port_count; empty: all defaults
  unsigned line = 0;               // of the fabric's own file; 0: not described there
};

struct PlannedEnd {
  std::uint32_t node = 0;  // index into Blueprint::nodes
  std::uint8_t port = 0;   // 1..port_count
  friend bool operator==(const PlannedEnd&, const PlannedEnd&) = default;
};

struct PlannedCable {
  PlannedEnd a;
  PlannedEnd b;  // may be another port of the same node
  Width width = Width::X4;
  Speed speed = Speed::HDR;
  unsigned line = 0;  // of the fabric's own file; 0: not from one
};

// How a person would arrange the switches on paper; for drawings only.
struct Arrangement {
  enum class Kind : std::uint8_t {
    Levels,  // by their distance from the hosts
    Grid,    // switch i stands at i in mixed radix, `sizes` from the fastest digit on
    Groups,  // sizes[0] switches in each group, one group after another
  };
  Kind kind = Kind::Levels;
  std::vector<std::uint64_t> sizes;
};

struct Blueprint {
  std::string title;  // the generator's text or the file's name
  std::vector<PlannedNode> nodes;
  std::vector<PlannedCable> cables;
  std::vector<std::string> warnings;  // what an importer had to guess or drop, with line numbers
  Arrangement arrangement;
};

struct LoadOptions {
  // Where system definitions (.ibnl) of a .topo file are looked for, after the file's own folder
  // and before the places where ibutils installs them.
  std::vector<std::string> ibnl_directories;
};

// FABRIC as users write it: a generator ("fat-tree:18,36") or the path of a file. A word with a
// colon whose head is a generator's name is a generator; everything else is a path.
base::Result<Blueprint> load_fabric(std::string_view fabric, const LoadOptions& options = {});

struct NamedText {
  std::string name;  // for messages, and to find what the text itself includes
  std::string text;
};

// What a fabric file may lead to. A function that is missing refuses.
struct OtherFiles {
  // The file that an 'include' line of the file `from` names.
  std::function<base::Result<NamedText>(std::string_view name, std::string_view from)> included;
  // Every .ibnl file within reach.
  std::function<base::Result<std::vector<NamedText>>()> system_definitions;
};

// The text of a fabric file; its format is told by its content: ibnetdiscover, ibsim net file,
// .lst (ibdiagnet, opensm-subnet.lst) or ibdm .topo. `title` is used in messages: errors and
// warnings name file, line and reason.
base::Result<Blueprint> parse_fabric_file(std::string_view text, std::string_view title,
                                          const OtherFiles& others = {});

// A generator's expression; see generator_help().
base::Result<Blueprint> generate_fabric(std::string_view expression);

// The grammar of generators with an example each, for --help and the manual.
std::string generator_help();

}  // namespace heddle::sim
