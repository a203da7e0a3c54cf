// SPDX-License-Identifier: BSD-3-Clause
#include "routing/file_tables.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "routing/lid_matrix.hpp"
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

// Takes what is still missing from tables that came otherwise, and says how much.
void complete(Routes& routes, const fabric::ForwardingTables& from, std::string_view origin) {
  if (const std::size_t filled = fill_holes(routes.tables, from); filled > 0) {
    routes.notes.push_back(
        fmt::format("{} entries that the file does not have are {}", filled, origin));
  }
}

std::optional<base::Error> add_tables(const Request& request, Routes& routes) {
  const auto& file = request.options.tables;
  if (file == nullptr) return std::nullopt;
  auto dumped = parse_table_dump(file->text, file->name, request.topology, request.lids);
  if (!dumped) return dumped.error();
  routes.tables = std::move(dumped->tables);
  routes.notes = std::move(dumped->notes);
  return std::nullopt;
}

std::optional<base::Error> add_matrix(const Request& request, Routes& routes) {
  const auto& file = request.options.lid_matrix;
  if (file == nullptr) return std::nullopt;
  const CompactChannels channels(request.topology);
  auto matrix = parse_lid_matrix(file->text, file->name, request.topology, channels);
  if (!matrix) return matrix.error();
  for (std::string& note : matrix->notes) routes.notes.push_back(std::move(note));
  auto tables = matrix_tables(request, *matrix, channels);
  if (request.options.tables == nullptr) {
    routes.tables = std::move(tables);
  } else {
    complete(routes, tables, "by the hop counts of the matrix");
  }
  return std::nullopt;
}

}  // namespace

base::Result<Routes> FileTables::route(const Request& request) const {
  if (request.options.tables == nullptr && request.options.lid_matrix == nullptr) {
    return base::error("no file is named (routing.lft_file, routing.lid_matrix_file)");
  }
  Routes routes{std::string(name()), {}, {}};
  if (auto wrong = add_tables(request, routes)) return *std::move(wrong);
  if (auto wrong = add_matrix(request, routes)) return *std::move(wrong);
  const auto shortest = MinHop{}.route(request);
  if (!shortest) return shortest.error();
  complete(routes, shortest->tables, "those of minhop");
  return routes;
}

}  // namespace heddle::routing
