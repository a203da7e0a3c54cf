// SPDX-License-Identifier: BSD-3-Clause
// One line of an ibnetdiscover dump or an ibsim net file, understood by itself. What lines mean
// together is fabric_assembly.hpp's affair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "mad/types.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

// "vendid=0x2c9", "switchguid=0x2c9...(2c9...)": what is said of the node whose header follows.
// "switchguid+2" counts from the last one that was written with '='.
struct KeyLine {
  std::string_view key;
  std::uint64_t value = 0;
  std::optional<std::uint64_t> in_brackets;
  bool relative = false;
};

// What ibsim's net files say of a link, as the register bits LinkWidthEnabled (w=, width=),
// LinkSpeedEnabled (s=, speed=) and LinkSpeedExtEnabled (e=, extspeed=).
struct EnabledBits {
  std::optional<std::uint8_t> width;
  std::optional<std::uint8_t> speed;
  std::optional<std::uint8_t> extended;
};

// "width=2": holds for the ports of the lines that follow.
struct SettingLine {
  EnabledBits bits;
};

// 'module = "M"': the nodes that follow are called "M#...", and so are those that they name.
struct ModuleLine {
  std::string_view name;
};

// 'include "other.net"'
struct IncludeLine {
  std::string_view name;
};

// "do link ...": for the console of ibsim.
struct CommandLine {
  std::string_view command;
};

// 'Switch 41 "S-0c42..." # "leaf 1" enhanced port 0 lid 3 lmc 0'
struct NodeLine {
  mad::NodeType type{};
  std::uint8_t port_count = 0;
  std::string_view id;
  std::optional<std::string_view> description;
  bool enhanced_port0 = false;
  std::optional<std::uint64_t> lid;  // of port 0; unchecked
  std::optional<std::uint64_t> lmc;
};

// '[1](2c9...) "S-0c42..."[7] # lid 3 lmc 0 "leaf 1" lid 9 4xHDR', with w= s= e= in ibsim's files.
// '@[1] "uplink"' gives the port a name instead of a cable.
struct PortLine {
  std::uint8_t port = 0;
  std::optional<std::uint64_t> guid;
  std::string_view peer;
  std::uint8_t peer_port = 1;
  std::optional<std::uint64_t> peer_guid;
  std::optional<std::uint64_t> lid;  // this port's own
  std::optional<std::uint64_t> lmc;
  std::optional<std::uint64_t> peer_lid;
  std::optional<std::string_view> peer_description;
  std::optional<Width> width;
  std::optional<Speed> speed;
  bool has_unknown_rate = false;  // something like "4xFoo"
  EnabledBits bits;
  bool is_alias = false;  // `peer` is the port's own second name
};

// 'Gateway 2 "G-0c42..."': what looks like a node's header and is of no kind that is known.
struct UnknownNodeLine {
  std::string_view word;
  std::string_view id;
};

struct EmptyLine {};  // blank, a comment, a chassis heading
struct NoiseLine {};  // not of this format: a tool's complaint, a terminal's banner

using FabricLine = std::variant<EmptyLine, NoiseLine, KeyLine, SettingLine, ModuleLine, IncludeLine,
                                CommandLine, NodeLine, UnknownNodeLine, PortLine>;

// The error names what is wrong with the line; the caller knows where it stands. Views point into
// `line`.
base::Result<FabricLine> read_fabric_line(std::string_view line);

}  // namespace heddle::sim
