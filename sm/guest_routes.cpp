// SPDX-License-Identifier: BSD-3-Clause
#include "sm/guest_routes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::sm {
namespace {

using fabric::ForwardingTables;
using fabric::SwitchIndex;

// Room for LIDs up to `top`, and what stands in `plain` already.
ForwardingTables grown(const ForwardingTables& plain, mad::Lid top) {
  ForwardingTables tables(plain.switch_count(), top);
  for (std::uint32_t s = 0; s < plain.switch_count(); ++s) {
    const auto row = tables.row(SwitchIndex{s});
    for (std::size_t block = 0; block < plain.block_count(); ++block) {
      const auto bytes = plain.block(SwitchIndex{s}, block);
      std::copy(bytes.begin(), bytes.end(),
                row.begin() + static_cast<std::ptrdiff_t>(block * fabric::kLftBlockLids));
    }
  }
  return tables;
}

ForwardingTables same(const std::shared_ptr<const routing::Selected>& plain) {
  std::vector<SwitchIndex> rows;
  for (std::uint32_t s = 0; s < plain->routes.tables.switch_count(); ++s) {
    rows.push_back(SwitchIndex{s});
  }
  return {std::shared_ptr<const ForwardingTables>(plain, &plain->routes.tables), rows};
}

}  // namespace

std::shared_ptr<const routing::Selected> routes_with_guests(
    std::shared_ptr<const routing::Selected> plain, const fabric::LidMap& lids) {
  const bool fits = lids.top().value < plain->routes.tables.row_size();
  auto with = std::make_shared<routing::Selected>();
  with->routes = {plain->routes.engine,
                  fits ? same(plain) : grown(plain->routes.tables, lids.top()), plain->routes.notes,
                  plain->routes.lanes};
  with->proof = plain->proof;
  with->rejected = plain->rejected;
  with->fresh = plain->fresh;
  ForwardingTables& tables = with->routes.tables;
  for (std::uint32_t number = 1; number <= lids.top().value; ++number) {
    const mad::Lid lid{static_cast<std::uint16_t>(number)};
    if (!lids.is_guest(lid)) continue;
    const mad::Lid like = lids.host_lid(lid);
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
      tables.set(SwitchIndex{s}, lid, plain->routes.tables.out_port(SwitchIndex{s}, like));
    }
  }
  return with;
}

}  // namespace heddle::sm
