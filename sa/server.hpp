// SPDX-License-Identifier: BSD-3-Clause
// Subnet administration (IBA vol. 1, chapter 15): a request in, an answer out. It keeps nothing
// between requests; what it knows is the view.
#pragma once

#include <optional>

#include "mad/datagram.hpp"
#include "mad/types.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Whether these bytes are a request or response of the class, well made or not.
bool is_subnet_administration(const mad::Payload& payload);

// The answer to whatever came, which may be anything. None to what asks for no answer and to what
// has no whole header. Without a view the answer is BUSY: the subnet is not known yet.
//
// Only ports of the subnet are answered; they all are members of the default partition, so each may
// see all. A request that bears `key` is trusted with keys; one with another key is refused.
//
// A table goes out as one RMPP message, whose segments and their headers are the transport's work:
// the payload is the header and all the records.
std::optional<mad::Datagram> answer(const View* view, mad::SMKey key, const mad::Datagram& request);

}  // namespace heddle::sa
