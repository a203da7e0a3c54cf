// SPDX-License-Identifier: BSD-3-Clause
#include "mad/linear_forwarding_table_record.hpp"

#include <algorithm>

#include "sa/handlers.hpp"
#include "sa/switches.hpp"

namespace heddle::sa {
namespace {

mad::LinearForwardingTableRecord block_record(const View& view, fabric::SwitchIndex from,
                                              std::uint16_t block) {
  mad::LinearForwardingTableRecord record;
  record.lid = lid_of(view, from);
  record.block_num = block;
  const auto entries = view.subnet().tables->block(from, block);
  std::transform(entries.begin(), entries.end(), record.table.ports.begin(),
                 [](std::uint8_t port) { return mad::PortNumber{port}; });
  return record;
}

}  // namespace

mad::Status find_linear_forwarding_table_records(const View& view, const Query& query,
                                                 Records& records) {
  using Record = mad::LinearForwardingTableRecord;
  if (!view.subnet().tables) return mad::kStatusOk;
  auto wanted = query.record<Record>();
  const bool one = query.asks(mad::component<&Record::lid>());
  const bool one_block = query.asks(mad::component<&Record::block_num>());
  const SwitchRange range = switches_of(view, one ? &wanted.lid : nullptr);
  for (std::uint32_t s = range.begin; s < range.end; ++s) {
    const fabric::SwitchIndex index{s};
    const auto port0 = view.topology().port_of(index, mad::PortNumber{0});
    if (lid_of(view, index) == mad::kNoLid || !view.may_see(query, port0)) continue;
    const mad::Lid top{view.subnet().registers->switches[s].linear_fdb_top};
    const std::size_t known = view.subnet().tables->block_count();
    const std::size_t count = std::min<std::size_t>(mad::lft_block_count(top), known);
    const std::size_t begin = one_block ? wanted.block_num : 0;
    const std::size_t end = one_block ? std::min(begin + 1, count) : count;
    for (std::size_t block = begin; block < end; ++block) {
      records.offer(query, wanted, block_record(view, index, static_cast<std::uint16_t>(block)));
      if (records.full()) return mad::kStatusOk;
    }
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
