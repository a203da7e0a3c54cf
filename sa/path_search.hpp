// SPDX-License-Identifier: BSD-3-Clause
// Paths between the ends of a query: the pairs of LIDs there are, and the way that the forwarding
// tables take from one to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mad/path_record.hpp"
#include "sa/path_wish.hpp"
#include "sa/query.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Pairs of ports, and pairs of LIDs, looked at for one query, whatever comes of them: a query that
// leaves both ends open in a large fabric is refused with ERR_NO_RESOURCES.
inline constexpr std::size_t kMaxPairs = std::size_t{1} << 19;

// One end of a query: a port, one of its LIDs, or any port.
struct PathEnd {
  fabric::PortIndex port = fabric::kNoPort;
  mad::Lid lid = mad::kNoLid;   // unset: any of the port
  std::optional<mad::Gid> gid;  // by which it was asked for
  bool open = false;            // any port
  bool beyond = false;          // the port is a router, and the GID one of another subnet
  // The end is a virtual port behind the port.
  const VirtualPort* guest = nullptr;

  // View::member() of one of ports().
  fabric::PortIndex member(fabric::PortIndex at) const { return guest ? guest->member : at; }
  // It has no LID for itself: packets need its GID to find it.
  bool shares_lid() const { return guest != nullptr && !guest->own_lid; }
  mad::Gid gid_at(const View& view, fabric::PortIndex at) const {
    if (gid) return *gid;
    return guest ? mad::Gid{view.subnet().prefix, guest->guid} : view.gid(at);
  }

  std::span<const fabric::PortIndex> ports(const View& view) const {
    return open ? view.topology().endports() : std::span(&port, 1);
  }
};

// The words of a query for one end; with neither it is open.
struct EndWish {
  bool by_gid;
  mad::Gid gid;
  bool by_lid;
  mad::Lid lid;
};
EndWish source_wish(const Query& query, const mad::PathRecord& wanted);
EndWish destination_wish(const Query& query, const mad::PathRecord& wanted);

// kSANoRecords: the end is well said, but there is no such port.
mad::Status find_end(const View& view, const EndWish& wish, PathEnd& end);
// The same for where a path leads, which may be another subnet.
mad::Status find_destination(const View& view, const EndWish& wish, PathEnd& end);

// Whether who asks may be told of the end, at one of its ports.
bool may_see(const View& view, const Query& query, const PathEnd& end, fabric::PortIndex at);

class PathSearch {
 public:
  // `query` and `wanted` must outlive it. A Get is about one path for each pair of ports; otherwise
  // NumbPath says how many, or none is kept back.
  PathSearch(const View& view, const Query& query, const mad::PathRecord& wanted, Records& records);

  const PathWish& wish() const { return wish_; }

  // Adds the paths there are. False when the query, with what it asked before, means more pairs
  // than one query may.
  bool run(const PathEnd& source, const PathEnd& destination);

 private:
  struct Lids {
    mad::Lid base{};
    unsigned count = 0;
    mad::Lid at(unsigned i) const { return mad::Lid{static_cast<std::uint16_t>(base.value + i)}; }
  };
  Lids lids_of(fabric::PortIndex port, const PathEnd& end) const;
  void add_pair(fabric::PortIndex from, const PathEnd& source, fabric::PortIndex to,
                const PathEnd& destination);
  // By their member().
  std::optional<mad::PKey> key(fabric::PortIndex from, fabric::PortIndex to,
                               const qos::Level* level) const;
  mad::ServiceLevel service_level(const qos::Level* level, mad::PKey key) const;
  struct Pair {
    fabric::PortIndex from, to;                // where the packets go
    fabric::PortIndex from_member, to_member;  // and whose they are
  };
  bool complete(const Pair& ends, mad::PathRecord& record) const;

  const View& view_;
  const Query& query_;
  PathWish wish_;
  Records& records_;
  unsigned paths_per_pair_ = ~0u;
  std::vector<std::uint32_t> rules_;  // of quality of service, that the query may meet
  std::size_t pairs_ = 0;             // of LIDs, looked at so far
  bool exhausted_ = false;
};

}  // namespace heddle::sa
