// SPDX-License-Identifier: BSD-3-Clause
#include "mad/node_record.hpp"

#include <algorithm>

#include "sa/handlers.hpp"
#include "sa/virtual_records.hpp"

namespace heddle::sa {
namespace {

mad::NodeRecord node_record(const View& view, fabric::PortIndex port) {
  const fabric::NodeIndex node = view.topology().node_of(port);
  mad::NodeRecord record;
  record.lid = view.lid(port);
  record.node_info = view.subnet().registers->nodes[node.value];
  // The record is about this port, whichever one our own question came in by.
  record.node_info.port_guid = view.topology().port(port).guid;
  record.node_info.local_port_num = view.topology().number_of(port);
  const std::string& description = view.topology().node(node).description;
  auto& text = record.node_description.node_string;
  std::copy_n(description.begin(), std::min(description.size(), text.size()), text.begin());
  return record;
}

mad::NodeRecord node_record(const View& view, const VirtualPort& guest) {
  mad::NodeRecord record = node_record(view, guest.host);
  record.lid = guest.lid;
  record.node_info.node_guid = guest.node_guid;
  record.node_info.port_guid = guest.guid;
  record.node_info.num_ports = 1;
  record.node_info.local_port_num = mad::PortNumber{1};
  record.node_info.partition_cap = guest.partition_cap;
  record.node_description = {};
  auto& text = record.node_description.node_string;
  std::copy_n(guest.description.begin(), std::min(guest.description.size(), text.size()),
              text.begin());
  return record;
}

}  // namespace

mad::Status find_node_records(const View& view, const Query& query, Records& records) {
  auto wanted = query.record<mad::NodeRecord>();
  for_each_virtual_record(view, query, query.asks(mad::component<&mad::NodeRecord::lid>()),
                          wanted.lid, [&](const VirtualPort& guest) {
                            records.offer(query, wanted, node_record(view, guest));
                            return !records.full();
                          });
  if (query.asks(mad::component<&mad::NodeRecord::lid>())) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort || stands_for_guest(view, wanted.lid)) return mad::kStatusOk;
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
