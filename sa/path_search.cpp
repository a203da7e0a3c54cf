// SPDX-License-Identifier: BSD-3-Clause
#include "sa/path_search.hpp"

#include <algorithm>

#include "mad/mgid.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;
using mad::component;
using mad::PathRecord;

constexpr std::uint8_t kManyRouters = 0xFF;  // HopLimit: nobody knows how many there are
constexpr std::uint8_t kWithGrh = 2;         // HopLimit by which clients know that they need one
constexpr std::uint8_t kPreferred = 0;
constexpr std::uint8_t kLessPreferred = 2;  // the two LIDs differ in their path bits

// Whether the LID, one of the end's port or of somebody behind it, leads to who was asked for.
bool is_reached_by(const View& view, const PathEnd& end, mad::Lid lid) {
  if (end.guest != nullptr && end.guest->lid == lid) return true;
  const bool is_free = view.guest(lid) == nullptr;
  return is_free && (end.guest == nullptr || end.shares_lid());
}

}  // namespace

bool may_see(const View& view, const Query& query, const PathEnd& end, PortIndex at) {
  if (end.guest == nullptr) return view.may_see(query, at);
  return query.trusted || view.may_talk(query.member(), end.guest->member);
}

EndWish source_wish(const Query& query, const PathRecord& wanted) {
  return {query.asks(component<&PathRecord::sgid>()), wanted.sgid,
          query.asks(component<&PathRecord::slid>()), wanted.slid};
}

EndWish destination_wish(const Query& query, const PathRecord& wanted) {
  return {query.asks(component<&PathRecord::dgid>()), wanted.dgid,
          query.asks(component<&PathRecord::dlid>()), wanted.dlid};
}

mad::Status find_destination(const View& view, const EndWish& wish, PathEnd& end) {
  const PortIndex router = wish.by_gid ? view.router_to(wish.gid) : fabric::kNoPort;
  if (router == fabric::kNoPort) return find_end(view, wish, end);
  end.beyond = true;
  const EndWish nearer{true, view.gid(router), wish.by_lid, wish.lid};
  const mad::Status status = find_end(view, nearer, end);
  end.gid = wish.gid;
  return status;
}

mad::Status find_end(const View& view, const EndWish& wish, PathEnd& end) {
  end.open = !wish.by_gid && !wish.by_lid;
  if (wish.by_gid) {
    if (is_multicast(wish.gid)) return mad::kSANoRecords;
    end.port = view.find(wish.gid);
    end.gid = wish.gid;
    if (end.port == fabric::kNoPort) return mad::kSAReqInvalidGid;
    end.guest = view.guest(wish.gid.guid);
  }
  if (wish.by_lid) {
    const PortIndex owner = view.find(wish.lid);
    if (owner == fabric::kNoPort) return mad::kSANoRecords;
    if (wish.by_gid && (owner != end.port || !is_reached_by(view, end, wish.lid))) {
      return mad::kSAReqInvalid;
    }
    end.port = owner;
    end.lid = wish.lid;
    if (!wish.by_gid) end.guest = view.guest(wish.lid);
  }
  return mad::kStatusOk;
}

PathSearch::PathSearch(const View& view, const Query& query, const PathRecord& wanted,
                       Records& records)
    : view_(view),
      query_(query),
      wish_(query, wanted, view.subnet().registers->ports[query.requester.value],
            view.subnet().highest_rate_code),
      records_(records) {
  if (!query.wants_table()) {
    paths_per_pair_ = 1;
  } else if (query.asks(component<&PathRecord::numb_path>())) {
    paths_per_pair_ = wanted.numb_path;
  }
  if (view.rulebook() != nullptr) rules_ = view.rulebook()->rules_for(wish_.question());
}

bool PathSearch::run(const PathEnd& source, const PathEnd& destination) {
  const auto froms = source.ports(view_);
  const auto tos = destination.ports(view_);
  if (froms.size() * tos.size() > kMaxPairs) return false;
  for (const PortIndex from : froms) {
    if (!may_see(view_, query_, source, from)) continue;
    for (const PortIndex to : tos) {
      if (!may_see(view_, query_, destination, to)) continue;
      add_pair(from, source, to, destination);
      if (records_.full()) return true;
      if (exhausted_) return false;
    }
  }
  return true;
}

// LIDs of equal path bits first, since the engines spread them over different ways.
void PathSearch::add_pair(PortIndex from, const PathEnd& source, PortIndex to,
                          const PathEnd& destination) {
  const auto slids = lids_of(from, source);
  const auto dlids = lids_of(to, destination);
  if (slids.base == mad::kNoLid || dlids.base == mad::kNoLid) return;
  const Pair ends{from, to, source.member(from), destination.member(to)};
  const bool needs_grh = source.shares_lid() || destination.shares_lid();
  unsigned left = paths_per_pair_;
  for (unsigned shift = 0; shift < dlids.count; ++shift) {
    for (unsigned i = 0; i < slids.count && left > 0 && !records_.full(); ++i) {
      PathRecord record;
      record.slid = slids.at(i);
      record.dlid = dlids.at((i + shift) % dlids.count);
      record.preference = shift == 0 ? kPreferred : kLessPreferred;
      exhausted_ = ++pairs_ > kMaxPairs;
      if (exhausted_) return;
      if (!complete(ends, record)) continue;
      record.sgid = source.gid_at(view_, from);
      if (needs_grh) record.hop_limit = kWithGrh;
      if (destination.beyond) record.hop_limit = kManyRouters;
      record.dgid = destination.gid_at(view_, to);
      records_.add(record);
      --left;
    }
  }
}

PathSearch::Lids PathSearch::lids_of(PortIndex port, const PathEnd& end) const {
  if (end.lid != mad::kNoLid) return {end.lid, 1};
  const bool elsewhere = end.guest != nullptr && end.guest->lid != view_.lids().base(port);
  if (elsewhere) return {end.guest->lid, 1};
  const auto range = view_.lids().range(port);
  return {range.base, range.count()};
}

// What was asked for must be what the level allows.
std::optional<mad::PKey> PathSearch::key(PortIndex from, PortIndex to,
                                         const qos::Level* level) const {
  const auto wanted = wish_.wanted_p_key();
  if (level == nullptr || level->p_keys.empty()) return view_.key_between(from, to, wanted);
  if (!wanted) return view_.key_between(from, to, level->p_keys);
  const bool allowed = contains(level->p_keys, partitions::base_of(*wanted).value);
  return allowed ? view_.key_between(from, to, wanted) : std::nullopt;
}

// Where the routing engine leaves the choice.
mad::ServiceLevel PathSearch::service_level(const qos::Level* level, mad::PKey key) const {
  if (level != nullptr && level->sl) return *level->sl;
  const bool any_goes = view_.rulebook() != nullptr;
  const auto of_partition = view_.level_of(key);
  return any_goes ? wish_.wanted_level().value_or(of_partition) : of_partition;
}

// False when there is no such path, or it is not what was wished for.
bool PathSearch::complete(const Pair& ends, PathRecord& record) const {
  const auto [from, to, from_member, to_member] = ends;
  const qos::Level* level =
      view_.rulebook() == nullptr ? nullptr : view_.rulebook()->level(rules_, from, to);
  const auto p_key = key(from_member, to_member, level);
  if (!p_key) return false;
  const auto [there, back] = view_.walk_both(from, record.slid, to, record.dlid);
  if (!there) return false;
  // What is called reversible carries as much on its way back.
  Reach reach = back ? least(*there, *back) : *there;
  bool same_level = true;
  if (view_.levels_matter()) {
    record.sl = view_.level(from, record.dlid);
    // The answers of a connection have the level of its requests.
    same_level = view_.subnet().replies_safe || record.sl == view_.level(to, record.slid);
  } else {
    record.sl = service_level(level, *p_key);
  }
  record.reversible = back.has_value() && same_level;
  if (wish_.wants_reversible() && !record.reversible) return false;
  if (!wish_.takes(record.sl)) return false;
  std::uint8_t life = from == to ? std::uint8_t{0} : view_.subnet().packet_life_time;
  if (level != nullptr) {
    reach = least(reach,
                  {level->mtu_limit.value_or(reach.mtu), level->rate_limit.value_or(reach.rate)});
    life = std::min(life, level->packet_life.value_or(life));
  }
  const auto terms = wish_.fit(reach, life, *p_key);
  if (!terms) return false;
  wish_.fill(*terms, record);
  return true;
}

}  // namespace heddle::sa
