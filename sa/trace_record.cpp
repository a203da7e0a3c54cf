// SPDX-License-Identifier: BSD-3-Clause
// TraceRecord: the nodes that a path leads through, by GetTraceTable. The question is put as a
// PathRecord (IBA vol. 1, 15.4.11): two ends, each by GID or LID.
#include "mad/trace_record.hpp"

#include "mad/path_record.hpp"
#include "sa/handlers.hpp"
#include "sa/path_search.hpp"

namespace heddle::sa {
namespace {

mad::TraceRecord record_of(const View& view, const View::Stop& stop) {
  const fabric::Topology& topology = view.topology();
  const mad::NodeInfo& info = view.subnet().registers->nodes[stop.node.value];
  const auto guid_of = [&](mad::PortNumber port) {
    return topology.is_switch(stop.node)
               ? info.port_guid.value
               : topology.port(topology.port_of(stop.node, port)).guid.value;
  };
  mad::TraceRecord record;
  record.gid_prefix = view.subnet().prefix;
  record.node_type = info.node_type;
  record.node_id = info.node_guid.value;
  record.chassis_id = info.system_image_guid.value;
  if (stop.in) {
    record.entry_port = *stop.in;
    record.entry_port_id = guid_of(*stop.in);
  }
  if (stop.out) {
    record.exit_port = *stop.out;
    record.exit_port_id = guid_of(*stop.out);
  }
  return record;
}

}  // namespace

mad::Status find_trace_records(const View& view, const Query& query, Records& records) {
  const auto wanted = query.record<mad::PathRecord>();
  PathEnd source, destination;
  const EndWish from = source_wish(query, wanted);
  const EndWish to = destination_wish(query, wanted);
  for (const auto status : {find_end(view, from, source), find_end(view, to, destination)}) {
    if (status == mad::kSANoRecords) return mad::kStatusOk;
    if (status != mad::kStatusOk) return status;
  }
  if (source.open || destination.open) return mad::kSAReqInsufficientComponents;
  // As of any path: none is told between ports that who asks may not know of.
  if (!may_see(view, query, source, source.port) ||
      !may_see(view, query, destination, destination.port)) {
    return mad::kStatusOk;
  }
  mad::Lid dlid = destination.lid;
  if (dlid == mad::kNoLid) {
    dlid = destination.guest ? destination.guest->lid : view.lids().base(destination.port);
  }
  for (const View::Stop& stop : view.trace(source.port, dlid)) {
    records.add(record_of(view, stop));
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
