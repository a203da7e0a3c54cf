// SPDX-License-Identifier: BSD-3-Clause
// PathRecord: the ends of a query, the pairs of LIDs between them, and the way that the forwarding
// tables take from one to the other.
#include "mad/path_record.hpp"

#include <cstdint>
#include <optional>
#include <span>

#include "sa/handlers.hpp"
#include "sa/path_wish.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;
using mad::component;
using mad::PathRecord;

// Pairs of ports, and pairs of LIDs, looked at for one query, whatever comes of them: a query that
// leaves both ends open in a large fabric is refused with ERR_NO_RESOURCES.
constexpr std::size_t kMaxPairs = std::size_t{1} << 19;
constexpr std::uint8_t kPreferred = 0;
constexpr std::uint8_t kLessPreferred = 2;  // the two LIDs differ in their path bits

// One end of a query: a port, one of its LIDs, or any port.
struct End {
  PortIndex port = fabric::kNoPort;
  mad::Lid lid = mad::kNoLid;   // unset: any of the port
  std::optional<mad::Gid> gid;  // by which it was asked for
  bool open = false;            // any port

  std::span<const PortIndex> ports(const View& view) const {
    return open ? view.topology().endports() : std::span(&port, 1);
  }
};

struct EndWish {
  bool by_gid;
  mad::Gid gid;
  bool by_lid;
  mad::Lid lid;
};

bool is_multicast(const mad::Gid& gid) {
  return gid.prefix.value >> 56 == 0xFF;
}

// kSANoRecords: the end is well said, but there is no such port.
mad::Status find_end(const View& view, const EndWish& wish, End& end) {
  end.open = !wish.by_gid && !wish.by_lid;
  if (wish.by_gid) {
    if (is_multicast(wish.gid)) return mad::kSANoRecords;
    end.port = view.find(wish.gid);
    end.gid = wish.gid;
    if (end.port == fabric::kNoPort) return mad::kSAReqInvalidGid;
  }
  if (wish.by_lid) {
    const PortIndex owner = view.find(wish.lid);
    if (owner == fabric::kNoPort) return mad::kSANoRecords;
    if (wish.by_gid && owner != end.port) return mad::kSAReqInvalid;
    end.port = owner;
    end.lid = wish.lid;
  }
  return mad::kStatusOk;
}

class Search {
 public:
  Search(const View& view, const Query& query, const PathRecord& wanted, Records& records)
      : view_(view),
        wish_(query, wanted, view.subnet().port_infos[query.requester.value]),
        records_(records) {
    // A Get is about one path for each pair of ports.
    if (!query.wants_table()) {
      paths_per_pair_ = 1;
    } else if (query.asks(component<&PathRecord::numb_path>())) {
      paths_per_pair_ = wanted.numb_path;
    }
  }

  const PathWish& wish() const { return wish_; }

  // False when the query means more pairs than one query may.
  bool run(const End& source, const End& destination) {
    const auto froms = source.ports(view_);
    const auto tos = destination.ports(view_);
    if (froms.size() * tos.size() > kMaxPairs) return false;
    for (const PortIndex from : froms) {
      for (const PortIndex to : tos) {
        add_pair(from, source, to, destination);
        if (records_.full()) return true;
        if (exhausted_) return false;
      }
    }
    return true;
  }

 private:
  // LIDs of equal path bits first, since the engines spread them over different ways.
  void add_pair(PortIndex from, const End& source, PortIndex to, const End& destination) {
    const auto slids = lids_of(from, source);
    const auto dlids = lids_of(to, destination);
    if (slids.base == mad::kNoLid || dlids.base == mad::kNoLid) return;
    unsigned left = paths_per_pair_;
    for (unsigned shift = 0; shift < dlids.count; ++shift) {
      for (unsigned i = 0; i < slids.count && left > 0 && !records_.full(); ++i) {
        PathRecord record;
        record.slid = slids.at(i);
        record.dlid = dlids.at((i + shift) % dlids.count);
        record.preference = shift == 0 ? kPreferred : kLessPreferred;
        exhausted_ = ++pairs_ > kMaxPairs;
        if (exhausted_) return;
        if (!complete(from, to, record)) continue;
        record.sgid = source.gid.value_or(view_.gid(from));
        record.dgid = destination.gid.value_or(view_.gid(to));
        records_.add(record);
        --left;
      }
    }
  }

  struct Lids {
    mad::Lid base{};
    unsigned count = 0;
    mad::Lid at(unsigned i) const { return mad::Lid{static_cast<std::uint16_t>(base.value + i)}; }
  };
  Lids lids_of(PortIndex port, const End& end) const {
    if (end.lid != mad::kNoLid) return {end.lid, 1};
    const auto range = view_.lids().range(port);
    return {range.base, range.count()};
  }

  // False when there is no such path, or it is not what was wished for.
  bool complete(PortIndex from, PortIndex to, PathRecord& record) const {
    const auto [there, back] = view_.walk_both(from, record.slid, to, record.dlid);
    if (!there) return false;
    // What is called reversible carries as much on its way back.
    const Reach reach = back ? least(*there, *back) : *there;
    record.reversible = back.has_value();
    if (wish_.wants_reversible() && !back) return false;
    const std::uint8_t life = from == to ? std::uint8_t{0} : view_.subnet().packet_life_time;
    const auto terms = wish_.fit(reach, life);
    if (!terms) return false;
    wish_.fill(*terms, record);
    return true;
  }

  const View& view_;
  PathWish wish_;
  Records& records_;
  unsigned paths_per_pair_ = ~0u;
  std::size_t pairs_ = 0;  // of LIDs, looked at so far
  bool exhausted_ = false;
};

}  // namespace

mad::Status find_path_records(const View& view, const Query& query, Records& records) {
  const auto wanted = query.record<PathRecord>();
  End source, destination;
  const EndWish from{query.asks(component<&PathRecord::sgid>()), wanted.sgid,
                     query.asks(component<&PathRecord::slid>()), wanted.slid};
  const EndWish to{query.asks(component<&PathRecord::dgid>()), wanted.dgid,
                   query.asks(component<&PathRecord::dlid>()), wanted.dlid};
  Search search(view, query, wanted, records);
  if (const auto status = search.wish().check(); status != mad::kStatusOk) return status;
  const mad::Status from_status = find_end(view, from, source);
  const mad::Status to_status = find_end(view, to, destination);
  for (const mad::Status status : {from_status, to_status}) {
    if (status != mad::kStatusOk && status != mad::kSANoRecords) return status;
  }
  const bool both = from_status == mad::kStatusOk && to_status == mad::kStatusOk;
  if (!both || !search.wish().possible()) return mad::kStatusOk;
  return search.run(source, destination) ? mad::kStatusOk : mad::kSANoResources;
}

}  // namespace heddle::sa
