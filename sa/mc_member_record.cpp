// SPDX-License-Identifier: BSD-3-Clause
// MCMemberRecord: joining, leaving and asking about multicast groups. The rules are those of
// multicast/groups.hpp; here the facts about ports are found that they need.
#include "mad/mc_member_record.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"
#include "multicast/groups.hpp"
#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::MCMemberRecord;

// "host-7 (0x...) port 1", for refusals.
std::string name_of(const View& view, fabric::PortIndex port) {
  const fabric::Topology& topology = view.topology();
  const fabric::Node& node = topology.node(topology.node_of(port));
  const std::string guid = base::hex(topology.port(port).guid.value);
  const std::string number = std::to_string(topology.number_of(port).value);
  return (node.description.empty() ? "port " : node.description + " port ") + number + " (" + guid +
         ")";
}

// `member`: whose P_Keys count, the port's or those of a virtual one behind it.
multicast::PortFacts facts_of(const View& view, fabric::PortIndex port, fabric::PortIndex member,
                              std::string_view name) {
  const Reach reach = view.reach(port);
  return {view.topology().port(port).guid, name, reach.mtu, reach.rate,
          [&view, member](mad::PKey key) { return view.holds(member, key); }};
}

mad::Status join_or_leave(Registrations& registrations, const View& view, const Query& query,
                          Records& records) {
  auto wanted = query.record<MCMemberRecord>();
  if (!query.asks(component<&MCMemberRecord::port_gid>())) {
    return mad::kSAReqInsufficientComponents;
  }
  const fabric::PortIndex port = view.find(wanted.port_gid);
  if (port == fabric::kNoPort) return mad::kSAReqInvalidGid;
  wanted.port_gid.prefix = view.subnet().prefix;  // by whatever prefix it was named
  const std::string name = name_of(view, port);
  const std::string requester = name_of(view, query.requester);
  const fabric::PortIndex member = view.member(wanted.port_gid.guid);
  const multicast::Request request{
      wanted, query.header.component_mask, facts_of(view, port, member, name),
      facts_of(view, query.requester, query.member(), requester), query.trusted};
  const bool join = query.header.mad.method == mad::Method::Set;
  multicast::Answer answer =
      join ? registrations.groups.join(request) : registrations.groups.leave(request);
  registrations.take(std::move(answer.changes));
  if (!answer.ok()) registrations.refuse(std::move(answer.reason));
  if (answer.ok()) records.add(answer.record);
  return answer.status;
}

}  // namespace

mad::Status handle_mc_member_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records) {
  if (!view.subnet().multicast) return mad::kStatusBadMethodAttribute;
  const mad::Method method = query.header.mad.method;
  if (method == mad::Method::Set || method == mad::Method::Delete) {
    return join_or_leave(registrations, view, query, records);
  }
  multicast::Groups::Query wanted{
      query.record<MCMemberRecord>(), query.header.component_mask, query.trusted, {}};
  if (!query.trusted) {
    wanted.may_see_key = [&](mad::PKey key) { return view.holds(query.member(), key); };
  }
  registrations.groups.for_each_record(wanted, [&](const MCMemberRecord& record) {
    records.add(record);
    return !records.full();
  });
  return mad::kStatusOk;
}

}  // namespace heddle::sa
