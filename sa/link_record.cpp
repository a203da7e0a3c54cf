// SPDX-License-Identifier: BSD-3-Clause
#include "mad/link_record.hpp"

#include "sa/handlers.hpp"

namespace heddle::sa {

mad::Status find_link_records(const View& view, const Query& query, Records& records) {
  const fabric::Topology& topology = view.topology();
  auto wanted = query.record<mad::LinkRecord>();
  fabric::PortIndex begin{0};
  auto end = static_cast<std::uint32_t>(topology.port_count());
  if (query.asks(mad::component<&mad::LinkRecord::from_lid>())) {
    begin = view.find(wanted.from_lid);
    if (begin == fabric::kNoPort) return mad::kStatusOk;
    wanted.from_lid = view.lid(begin);
    const fabric::NodeIndex node = topology.node_of(begin);
    end = begin.value + (topology.is_switch(node) ? topology.node(node).port_count : 0u) + 1;
  }
  if (query.asks(mad::component<&mad::LinkRecord::to_lid>())) {
    const fabric::PortIndex to = view.find(wanted.to_lid);
    if (to == fabric::kNoPort) return mad::kStatusOk;
    wanted.to_lid = view.lid(to);
  }
  for (std::uint32_t p = begin.value; p < end && !records.full(); ++p) {
    const fabric::PortIndex from{p};
    const fabric::PortIndex to = topology.peer(from);
    if (to == fabric::kNoPort) continue;
    if (!view.may_see(query, from) || !view.may_see(query, to)) continue;
    const mad::LinkRecord record{view.lid(from), topology.number_of(from), topology.number_of(to),
                                 view.lid(to)};
    if (record.from_lid == mad::kNoLid || record.to_lid == mad::kNoLid) continue;
    records.offer(query, wanted, record);
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
