// SPDX-License-Identifier: BSD-3-Clause
// MADs to the general service interface, QP1 (IBA vol. 1, 13.5.3).
#pragma once

#include <cstdint>

#include "mad/datagram.hpp"
#include "mad/mad_header.hpp"

namespace heddle::mad {

// A MAD of zeros to the agents behind QP1 of the port with that LID.
inline Datagram gsi_datagram(Lid to, ServiceLevel sl) {
  Datagram datagram;
  datagram.peer.lid = to;
  datagram.peer.sl = sl;
  datagram.peer.qpn = 1;
  datagram.peer.q_key = kManagementQKey;
  datagram.payload.resize(kMadBytes);
  return datagram;
}

}  // namespace heddle::mad
