// SPDX-License-Identifier: BSD-3-Clause
// PathRecords whose destination is a multicast group: the group's own terms, for whoever may send
// to it (IBA vol. 1, 15.2.5.16).
#include <optional>

#include "mad/mgid.hpp"
#include "mad/path_record.hpp"
#include "sa/handlers.hpp"
#include "sa/path_search.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::PathRecord;

mad::PathRecord path_to(const View& view, fabric::PortIndex from,
                        const mad::MCMemberRecord& group) {
  PathRecord path;
  path.sgid = view.gid(from);
  path.slid = view.lid(from);
  path.dgid = group.mgid;
  path.dlid = group.mlid;
  path.flow_label = group.flow_label;
  path.hop_limit = group.hop_limit;
  path.t_class = group.t_class;
  path.p_key = group.p_key;
  path.sl = group.sl;
  path.mtu_selector = path.rate_selector = path.packet_life_time_selector = mad::Selector::Exactly;
  path.mtu = group.mtu;
  path.rate = group.rate;
  path.packet_life_time = group.packet_life_time;
  return path;
}

}  // namespace

mad::Status handle_path_records(Registrations& registrations, const View& view, const Query& query,
                                Records& records) {
  const auto wanted = query.record<PathRecord>();
  const bool to_group =
      query.asks(component<&PathRecord::dgid>()) && mad::is_multicast(wanted.dgid);
  if (!to_group) return find_path_records(view, query, records);
  PathEnd source;
  const EndWish from = source_wish(query, wanted);
  if (const auto status = find_end(view, from, source); status != mad::kStatusOk) {
    return status == mad::kSANoRecords ? mad::kStatusOk : status;
  }
  if (source.open) return mad::kSAReqInsufficientComponents;
  const multicast::Group* group = registrations.groups.find(wanted.dgid);
  if (group == nullptr || !view.may_see(query, source.port)) return mad::kStatusOk;
  const auto& terms = group->record();
  const Reach reach = view.reach(source.port);
  const auto rate = mad::rate_rank_of_code(terms.rate);
  // A port that is too slow for the group, or a stranger to its partition, has no way there.
  if (!view.holds(source.port, terms.p_key) || reach.mtu < terms.mtu || !rate ||
      reach.rate < *rate) {
    return mad::kStatusOk;
  }
  PathRecord path = path_to(view, source.port, terms);
  if (source.lid != mad::kNoLid) path.slid = source.lid;
  // What else the query says must be what the group has; GIDs and LIDs have been looked up.
  constexpr auto kWords = component<&PathRecord::p_key>() | component<&PathRecord::sl>() |
                          component<&PathRecord::dlid>() | component<&PathRecord::t_class>() |
                          component<&PathRecord::flow_label>();
  if (mad::matches(query.header.component_mask & kWords, wanted, path)) records.add(path);
  return mad::kStatusOk;
}

}  // namespace heddle::sa
