// SPDX-License-Identifier: BSD-3-Clause
#include "sa/desk.hpp"

#include <span>
#include <utility>

#include "mad/sa_header.hpp"
#include "sa/request.hpp"
#include "sa/server.hpp"

namespace heddle::sa {
namespace {

// Whether it is one packet, and for the server.
bool is_one_request(const mad::Payload& payload) {
  return payload.size() >= mad::kSAHeaderBytes && payload.size() <= mad::kMadBytes &&
         is_subnet_administration(payload);
}

// Whether look_up() answers it as the server would, in time that does not grow with the subnet's
// square: a Get of what the view tells, a PathRecord only between two ends that it names.
bool is_short_query(const mad::SAHeader& header, const mad::Payload& payload) {
  if (header.mad.method != mad::Method::Get || !follows_from_view(header, payload)) return false;
  if (header.mad.attribute_id != static_cast<std::uint16_t>(mad::SAAttributeId::PathRecord)) {
    return true;
  }
  const auto mask = header.component_mask;
  return (mask & kPathSource) != 0 && (mask & kPathDestination) != 0;
}

}  // namespace

std::shared_ptr<const View> Desk::open(std::shared_ptr<const View> view, mad::SMKey key) {
  key_ = key;
  return std::exchange(view_, std::move(view));
}

bool Desk::take(base::Instant now, const mad::Datagram& received,
                std::optional<mad::Datagram>& reply) {
  if (!view_ || !is_one_request(received.payload)) return false;
  const mad::SAHeader header = header_of(received.payload);
  if (!is_short_query(header, received.payload) || !may_ask(trust_, key_, header)) return false;
  if (const auto hint = talkers_.count(now, received.peer.lid)) {
    reply = busy(received, *hint);
  } else {
    reply = look_up(*view_, key_, header, received);
  }
  return true;
}

}  // namespace heddle::sa
