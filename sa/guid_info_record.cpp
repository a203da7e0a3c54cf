// SPDX-License-Identifier: BSD-3-Clause
#include "mad/guid_info_record.hpp"

#include <algorithm>

#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

// Alias GUIDs are the subnet manager's to give, and it gives none: all but the first are zero.
void look_at(const View& view, const Query& query, const mad::GUIDInfoRecord& wanted,
             fabric::PortIndex port, Records& records) {
  if (!view.may_see(query, port)) return;
  const std::uint8_t cap = view.subnet().port_infos[port.value].guid_cap;
  const std::size_t blocks = std::max<std::size_t>(mad::guid_block_count(cap), 1);
  for (std::size_t block = 0; block < blocks && !records.full(); ++block) {
    mad::GUIDInfoRecord record;
    record.lid = view.lid(port);
    record.block_num = static_cast<std::uint8_t>(block);
    if (block == 0) record.guid_info.guids[0] = view.topology().port(port).guid;
    records.offer(query, wanted, record);
  }
}

}  // namespace

mad::Status find_guid_info_records(const View& view, const Query& query, Records& records) {
  auto wanted = query.record<mad::GUIDInfoRecord>();
  if (query.asks(mad::component<&mad::GUIDInfoRecord::lid>())) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort) return mad::kStatusOk;
    wanted.lid = view.lid(port);
    look_at(view, query, wanted, port, records);
    return mad::kStatusOk;
  }
  for (const fabric::PortIndex port : view.topology().endports()) {
    if (records.full()) break;
    if (view.lid(port) != mad::kNoLid) look_at(view, query, wanted, port, records);
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
