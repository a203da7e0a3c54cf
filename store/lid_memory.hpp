// SPDX-License-Identifier: BSD-3-Clause
// The durable GUID-to-LID memory: a small text file in the format that OpenSM's guid2lid has, so
// that LIDs survive a change of subnet manager in both directions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::store {

struct LidEntry {
  std::uint64_t port_guid{};
  std::uint16_t first{};  // unicast LID
  std::uint16_t last{};   // >= first
  friend bool operator==(const LidEntry&, const LidEntry&) = default;
};

struct LoadedLids {
  std::vector<LidEntry> entries;
  std::vector<std::string> warnings;  // lines that were skipped
};

// Errors in a line are warnings, which begin with "title:line:column: skipped: " and say what would
// be right there; of lines that contradict each other the first one holds.
LoadedLids parse_lids(std::string_view text, std::string_view title);

// A missing file is an empty memory; one that cannot be read is an error.
base::Result<LoadedLids> load_lids(const std::filesystem::path& file);

// Writes beside the file, syncs, renames: after a crash or on a full disk the old content stands
// whole. The error says what failed and names the file.
base::Result<void> save_lids(const std::filesystem::path& file,
                             const std::vector<LidEntry>& entries);

}  // namespace heddle::store
