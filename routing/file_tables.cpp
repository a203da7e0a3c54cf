// SPDX-License-Identifier: BSD-3-Clause
#include "routing/file_tables.hpp"

#include <utility>

#include <fmt/format.h>

#include "routing/minhop.hpp"
#include "routing/table_dump.hpp"

namespace heddle::routing {
namespace {

// Returns how many entries were empty.
std::size_t fill_holes(fabric::ForwardingTables& tables, const fabric::ForwardingTables& from) {
  std::size_t filled = 0;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const auto row = tables.row(fabric::SwitchIndex{s});
    const auto other = from.row(fabric::SwitchIndex{s});
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      if (row[lid] == other[lid] || row[lid] != mad::kNoPortNumber.value) continue;
      row[lid] = other[lid];
      ++filled;
    }
  }
  return filled;
}

}  // namespace

base::Result<Routes> FileTables::route(const Request& request) const {
  const auto& file = request.options.tables;
  if (file == nullptr) return base::error("no file of tables is named (routing.lft_file)");
  auto dumped = parse_table_dump(file->text, file->name, request.topology, request.lids);
  if (!dumped) return dumped.error();
  const auto shortest = MinHop{}.route(request);
  if (!shortest) return shortest.error();
  Routes routes{std::string(name()), std::move(dumped->tables), std::move(dumped->notes)};
  if (const std::size_t filled = fill_holes(routes.tables, shortest->tables); filled > 0) {
    routes.notes.push_back(
        fmt::format("{} entries that the file does not have are those of minhop", filled));
  }
  return routes;
}

}  // namespace heddle::routing
