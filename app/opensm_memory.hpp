// SPDX-License-Identifier: BSD-3-Clause
// `heddle snapshot import|export`: what OpenSM remembers, taken over, and given back.
#pragma once

#include <filesystem>
#include <vector>

#include "app/exit_codes.hpp"

namespace heddle::app {

struct OpensmMemoryArguments {
  std::vector<std::filesystem::path> files;  // to read; what each is, its content says
  std::filesystem::path folder;              // to write to
  std::filesystem::path memory;              // the database; empty: where the configuration has it
  std::filesystem::path config;              // empty: defaults
};
// OpenSM's guid2lid, guid2mkey, neighbors and opensm-sa.dump become records of the database.
Exit run_snapshot_import(const OpensmMemoryArguments& arguments);
// The database as guid2lid, opensm-sa.dump and, where there are M_Keys, guid2mkey.
Exit run_snapshot_export(const OpensmMemoryArguments& arguments);

}  // namespace heddle::app
