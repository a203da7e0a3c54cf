// SPDX-License-Identifier: BSD-3-Clause
#include "mad/multicast_forwarding_table_record.hpp"

#include "sa/handlers.hpp"
#include "sa/switches.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using Record = mad::MulticastForwardingTableRecord;

}  // namespace

// Blocks without a bit are not told: of thousands a few are in use.
mad::Status find_multicast_forwarding_table_records(Registrations& registrations, const View& view,
                                                    const Query& query, Records& records) {
  const auto* tables = registrations.multicast_tables.get();
  if (tables == nullptr) return mad::kStatusOk;
  auto wanted = query.record<Record>();
  const SwitchRange range =
      switches_of(view, query.asks(component<&Record::lid>()) ? &wanted.lid : nullptr);
  for (std::uint32_t s = range.begin; s < range.end && s < tables->switch_count(); ++s) {
    const fabric::SwitchIndex at{s};
    if (!view.may_see(query, view.topology().port_of(at, mad::PortNumber{0}))) continue;
    tables->for_each_block(at, [&](std::uint16_t block, std::uint8_t position,
                                   const mad::MulticastForwardingTable& table) {
      if (records.full()) return;
      records.offer(query, wanted, Record{lid_of(view, at), position, block, table});
    });
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
