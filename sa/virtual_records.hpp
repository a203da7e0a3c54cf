// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports in the tables of nodes and ports (Subnet::virtual_records). Without that a LID of
// one stands for the port that it is behind, as any LID of a port does.
#pragma once

#include "sa/query.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Calls visit(guest), until it says false, for those that who asks may know of, with that LID if
// one was asked for.
template <class Visit>
void for_each_virtual_record(const View& view, const Query& query, bool by_lid, mad::Lid lid,
                             const Visit& visit) {
  const auto& subnet = view.subnet();
  if (!subnet.virtual_records || !subnet.virtual_ports) return;
  const auto among = by_lid ? subnet.virtual_ports->behind(view.find(lid))
                            : std::span<const VirtualPort>(subnet.virtual_ports->all());
  for (const VirtualPort& guest : among) {
    const bool seen = query.trusted || view.may_talk(query.member(), guest.member);
    if (!seen || (by_lid && guest.lid != lid)) continue;
    if (!visit(guest)) return;
  }
}

// Whether the LID is a virtual port's own, and that has records of its own.
inline bool stands_for_guest(const View& view, mad::Lid lid) {
  return view.subnet().virtual_records && view.guest(lid) != nullptr;
}

}  // namespace heddle::sa
