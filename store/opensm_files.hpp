// SPDX-License-Identifier: BSD-3-Clause
// The files that OpenSM keeps in its cache folder beside guid2lid (lid_memory.hpp): which M_Key
// each port has (guid2mkey), and what is cabled to what (neighbors).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::store {

enum class OpensmFile : std::uint8_t { Unknown, Lids, Keys, Neighbors };
// By the first line that says anything.
OpensmFile kind_of_opensm_file(std::string_view text);

struct KeyEntry {
  std::uint64_t port_guid{};
  std::uint64_t key{};
  friend bool operator==(const KeyEntry&, const KeyEntry&) = default;
};
// Errors begin with "title:line:column: ", and say what would be right there. A port that stands
// twice has the key that comes last, as OpenSM has it.
base::Result<std::vector<KeyEntry>> parse_keys(std::string_view text, std::string_view title);
std::string to_text(const std::vector<KeyEntry>& entries);

struct NeighborEntry {
  std::uint64_t guid{}, neighbor_guid{};
  std::uint8_t port{}, neighbor_port{};
  friend bool operator==(const NeighborEntry&, const NeighborEntry&) = default;
};
base::Result<std::vector<NeighborEntry>> parse_neighbors(std::string_view text,
                                                         std::string_view title);

}  // namespace heddle::store
