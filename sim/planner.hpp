// SPDX-License-Identifier: BSD-3-Clause
// The pencil of the generators: adds nodes and cables to a blueprint, gives out ports from 1
// upwards and GUIDs that are the same on every run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/blueprint.hpp"

namespace heddle::sim {

// What every generator understands beside its own words.
struct CableKind {
  Width width = Width::X4;
  Speed speed = Speed::HDR;
};

class Planner {
 public:
  Planner(std::string title, CableKind kind);

  // Port counts grow with the cables. Names must be unique.
  std::uint32_t add_switch(std::string name, bool enhanced_port0 = true);
  std::uint32_t add_host(std::string name, std::uint8_t ports = 1);

  // A host's further adapter, by its whole name; `first` is the adapter whose host it shares.
  std::uint32_t add_adapter(std::string name, std::optional<std::uint32_t> first);

  // Takes the next free port at both ends.
  void cable(std::uint32_t a, std::uint32_t b);
  // Hangs `count` hosts, numbered on across the whole fabric (host-0001...), on a switch, by each
  // of their ports; see set_host_ports.
  void add_hosts(std::uint32_t at, std::uint64_t count);

  void set_host_ports(std::uint8_t ports) { host_ports_ = ports; }

  void arrange(Arrangement arrangement) { blueprint_.arrangement = std::move(arrangement); }

  Blueprint finish() &&;

 private:
  std::uint8_t next_port(std::uint32_t node);

  Blueprint blueprint_;
  CableKind kind_;
  std::vector<std::uint32_t> used_;
  std::uint8_t host_ports_ = 1;
  std::uint64_t hosts_ = 0;
  std::uint64_t switches_ = 0;
};

// "leaf-007": the number with as many digits as the largest of its kind needs.
std::string numbered(std::string_view stem, std::uint64_t number, std::uint64_t largest);

}  // namespace heddle::sim
