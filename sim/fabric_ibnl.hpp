// SPDX-License-Identifier: BSD-3-Clause
// System definitions of ibdm (.ibnl): what nodes and boards a system is made of, and which of their
// ports its front panel shows. A .topo file cables such systems (fabric_topology.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

// What "-4x-5G->" says.
struct ArrowRate {
  std::optional<Width> width;
  std::optional<Speed> speed;
};
// Nothing when the word is no arrow; an error when it is a wrong one.
base::Result<std::optional<ArrowRate>> read_arrow(std::string_view word);

// One system with its boards dissolved: nodes, the links among them, and the front panel.
struct DissolvedSystem {
  struct Node {
    std::string name;  // within the system: "leaf1/U1"
    mad::NodeType type{};
    std::uint8_t ports = 0;
    std::string device;
  };
  struct Port {
    std::uint32_t node = 0;
    std::uint8_t port = 0;
    ArrowRate rate;
  };
  struct Link {
    Port a;
    Port b;
  };
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::map<std::string, Port, std::less<>> panel;
};

// "leaf3" -> "R" (board missing) or a variant's suffix such as "12x".
using BoardModifiers = std::map<std::string, std::string, std::less<>>;

struct DefinitionFile;  // one .ibnl file as it was read

class SystemLibrary {
 public:
  SystemLibrary();
  ~SystemLibrary();
  SystemLibrary(SystemLibrary&&) noexcept;

  // The systems of one .ibnl file. A name that is known keeps its first meaning. Errors name file,
  // line and reason.
  base::Result<> add(const NamedText& file);

  // Where the system is defined, for messages; nothing when it is unknown.
  std::optional<std::string> find(std::string_view system) const;
  std::vector<std::string_view> names() const;
  base::Result<DissolvedSystem> dissolve(std::string_view system,
                                         const BoardModifiers& modifiers) const;

 private:
  std::vector<DefinitionFile> files_;
  std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> top_;
};

}  // namespace heddle::sim
