// SPDX-License-Identifier: BSD-3-Clause
// Whether a node's own software may send this directed-route SMP (IBA vol. 1, 14.2.2), by the
// checks that Linux' SMI makes before it leaves. What happens to it on the way is the fabric's
// affair.
#pragma once

#include <cstdint>

#include "mad/smp.hpp"

namespace heddle::doors::kernel {

// `port` is the port it leaves by: 0 stands for a switch, which may leave by any.
bool may_send(const mad::Smp& smp, std::uint8_t port);

}  // namespace heddle::doors::kernel
