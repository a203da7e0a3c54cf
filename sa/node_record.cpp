// SPDX-License-Identifier: BSD-3-Clause
#include "mad/node_record.hpp"

#include <algorithm>

#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

mad::NodeRecord node_record(const View& view, fabric::PortIndex port) {
  const fabric::NodeIndex node = view.topology().node_of(port);
  mad::NodeRecord record;
  record.lid = view.lid(port);
  record.node_info = view.subnet().node_infos[node.value];
  // The record is about this port, whichever one our own question came in by.
  record.node_info.port_guid = view.topology().port(port).guid;
  record.node_info.local_port_num = view.topology().number_of(port);
  const std::string& description = view.topology().node(node).description;
  auto& text = record.node_description.node_string;
  std::copy_n(description.begin(), std::min(description.size(), text.size()), text.begin());
  return record;
}

}  // namespace

mad::Status find_node_records(const View& view, const Query& query, Records& records) {
  auto wanted = query.record<mad::NodeRecord>();
  if (query.asks(mad::component<&mad::NodeRecord::lid>())) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort) return mad::kStatusOk;
    wanted.lid = view.lid(port);  // any LID of a port stands for it
    if (!view.may_see(query, port)) return mad::kStatusOk;
    records.offer(query, wanted, node_record(view, port));
    return mad::kStatusOk;
  }
  for (const fabric::PortIndex port : view.topology().endports()) {
    if (view.lid(port) == mad::kNoLid || !view.may_see(query, port)) continue;
    records.offer(query, wanted, node_record(view, port));
    if (records.full()) break;
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
