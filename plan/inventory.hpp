// SPDX-License-Identifier: BSD-3-Clause
// A fabric as somebody wrote it down, mistakes included: what a fabric::Topology would refuse (two
// nodes with one GUID) is kept, because finding that is what checks are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "plan/rate.hpp"

namespace heddle::plan {

struct Inventory {
  struct Port {
    mad::Guid guid{};    // 0: not known, or none (ports of switches have the node's)
    mad::Lid lid{};      // held already; kNoLid: none
    std::uint8_t lmc{};  // 0..7
    Rate best{};         // what the port can do, as far as it is known
  };
  struct Node {
    std::string name;         // unique in this inventory, unless names themselves are wrong
    std::string key;          // what its file calls it, if that is something else
    std::string description;  // as people know it; may be that of many
    mad::NodeType type{};
    mad::Guid guid{};
    mad::Guid system_image_guid{};
    std::uint8_t port_count = 0;
    std::uint16_t linear_fdb_cap = 0;     // 0: not known
    std::uint16_t multicast_fdb_cap = 0;  // 0: not known
    unsigned data_vls = 0;                // 1..15; 0: not known
    std::uint16_t p_key_cap = 0;          // entries of each port's table; 0: not known
    std::vector<Port> ports;              // 0..port_count, or empty
    unsigned line = 0;                    // where it is described; 0: nowhere
  };
  struct End {
    std::uint32_t node = 0;  // index into nodes
    std::uint8_t port = 0;   // 1..port_count
    friend bool operator==(const End&, const End&) = default;
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Cable {
    End a;
    End b;
    Rate rate{};
    unsigned line = 0;
  };

  std::string title;
  std::vector<Node> nodes;
  std::vector<Cable> cables;
};

inline bool is_switch(const Inventory::Node& node) {
  return node.type == mad::NodeType::Switch;
}

// Port 0 of a switch; without what is not known.
Inventory::Port port_of(const Inventory::Node& node, std::uint8_t number);

// "leaf-1:7": how a port is named in findings and on command lines.
std::string name_of(const Inventory& inventory, Inventory::End end);

// The other end of each cable's end.
class Plugs {
 public:
  explicit Plugs(const Inventory& inventory);
  // Null: nothing is plugged in.
  const Inventory::Cable* cable(Inventory::End end) const;
  // Only where there is a cable.
  Inventory::End peer(Inventory::End end) const;

 private:
  const Inventory& inventory_;
  std::vector<std::size_t> first_;     // per node
  std::vector<std::size_t> cable_at_;  // cable + 1; 0: none
};

}  // namespace heddle::plan
