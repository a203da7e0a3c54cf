// SPDX-License-Identifier: BSD-3-Clause
// What a host says for programs that it does not run: Linux answers a Get or Set that nobody on
// the port takes, so that the asker need not wait for its time limit.
#pragma once

#include <optional>

#include "mad/datagram.hpp"

namespace heddle::doors {

// The answer to send back, with status 0x0C (IBA vol. 1, 13.4.7). Nothing for what is answered by
// silence: other methods, other queue pairs than QP1, and what is too short to have a header.
std::optional<mad::Datagram> refusal_of(const mad::Datagram& request);

}  // namespace heddle::doors
