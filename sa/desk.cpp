// SPDX-License-Identifier: BSD-3-Clause
#include "sa/desk.hpp"

#include <span>
#include <utility>

#include "mad/sa_header.hpp"
#include "sa/request.hpp"
#include "sa/server.hpp"

namespace heddle::sa {
bool is_short_query(const mad::Datagram& request) {
  const mad::Payload& payload = request.payload;
  if (payload.size() < mad::kSAHeaderBytes || payload.size() > mad::kMadBytes) return false;
  if (!is_subnet_administration(payload)) return false;
  const mad::SAHeader header = header_of(payload);
  if (header.mad.method != mad::Method::Get || !follows_from_view(header, payload)) return false;
  if (header.mad.attribute_id != static_cast<std::uint16_t>(mad::SAAttributeId::PathRecord)) {
    return true;
  }
  const auto mask = header.component_mask;
  return (mask & kPathSource) != 0 && (mask & kPathDestination) != 0;
}

std::shared_ptr<const View> Desk::open(std::shared_ptr<const View> view, mad::SMKey key) {
  key_ = key;
  return std::exchange(view_, std::move(view));
}

std::optional<Desk::Taken> Desk::take(base::Instant now, const mad::Datagram& received) {
  if (!view_ || !is_short_query(received)) return std::nullopt;
  if (!may_ask(trust_, key_, header_of(received.payload))) return std::nullopt;
  if (const auto hint = talkers_.count(now, received.peer.lid)) {
    return Taken{busy(received, *hint)};
  }
  return Taken{look_up(*view_, key_, received)};
}

}  // namespace heddle::sa
