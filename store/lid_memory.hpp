// SPDX-License-Identifier: BSD-3-Clause
// The durable GUID-to-LID memory: a small text file in the format that OpenSM's guid2lid has, so
// that LIDs survive a change of subnet manager in both directions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
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
  std::vector<std::string> warnings;  // lines that were skipped, with file, line and reason
};

// A missing file is an empty memory; one that cannot be read is an error. Bad lines are skipped
// with a warning, the rest is kept.
base::Result<LoadedLids> load_lids(const std::filesystem::path& file);

// Writes beside the file, syncs, renames: after a crash or on a full disk the old content stands
// whole. The error says what failed and names the file.
base::Result<void> save_lids(const std::filesystem::path& file,
                             const std::vector<LidEntry>& entries);

}  // namespace heddle::store
