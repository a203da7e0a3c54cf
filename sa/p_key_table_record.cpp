// SPDX-License-Identifier: BSD-3-Clause
// P_KeyTableRecord: only for whom we trust, because it tells who may talk to whom.
#include "mad/p_key_table_record.hpp"

#include "sa/handlers.hpp"
#include "sa/virtual_records.hpp"

namespace heddle::sa {

mad::Status find_p_key_table_records(const View& view, const Query& query, Records& records) {
  using Record = mad::PKeyTableRecord;
  if (!query.trusted) return mad::kSAReqDenied;
  const fabric::Topology& topology = view.topology();
  static const PKeyTables kNothing;
  const auto& known = view.subnet().p_key_tables;
  const PKeyTables& tables = known != nullptr ? *known : kNothing;
  auto wanted = query.record<Record>();
  std::uint32_t begin = 0;
  auto end = static_cast<std::uint32_t>(topology.port_count());
  const bool by_lid = query.asks(mad::component<&Record::lid>());
  for_each_virtual_record(view, query, by_lid, wanted.lid, [&](const VirtualPort& guest) {
    Record record;
    record.lid = guest.lid;
    for (const mad::PKeyTable& table : guest.p_key_table) {
      record.table = table;
      if (!records.full()) records.offer(query, wanted, record);
      ++record.block_num;
    }
    return !records.full();
  });
  if (by_lid) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort || stands_for_guest(view, wanted.lid)) return mad::kStatusOk;
    wanted.lid = view.lid(port);
    const fabric::NodeIndex node = topology.node_of(port);
    begin = port.value;
    end = begin + (topology.is_switch(node) ? topology.node(node).port_count : 0u) + 1;
  }
  for (std::uint32_t p = begin; p < end; ++p) {
    const fabric::PortIndex port{p};
    Record record;
    record.lid = view.lid(port);
    if (record.lid == mad::kNoLid) continue;
    // The number tells the ports of a switch apart; an adapter's port has a LID for that.
    if (topology.is_switch(topology.node_of(port))) record.port_num = topology.number_of(port);
    for (const mad::PKeyTable& table : tables.of(port)) {
      record.table = table;
      if (!records.full()) records.offer(query, wanted, record);
      ++record.block_num;
    }
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
