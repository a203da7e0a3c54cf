// SPDX-License-Identifier: BSD-3-Clause
// One request and its answer: what may be asked at all, by whom, and how the answer is put.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "mad/path_record.hpp"
#include "mad/sa_header.hpp"
#include "sa/query.hpp"
#include "sa/registrations.hpp"
#include "sa/registry.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Of a payload that holds a whole one.
inline mad::SAHeader header_of(const mad::Payload& payload) {
  return mad::decode<mad::SAHeader>(
      std::span<const std::byte, mad::kSAHeaderBytes>(payload.data(), mad::kSAHeaderBytes));
}

// What a PathRecord query names its two ends by.
inline constexpr auto kPathSource =
    mad::component<&mad::PathRecord::sgid>() | mad::component<&mad::PathRecord::slid>();
inline constexpr auto kPathDestination =
    mad::component<&mad::PathRecord::dgid>() | mad::component<&mad::PathRecord::dlid>();

// Whether look_up() answers what the attribute may be asked for, when it is only read. The header
// is that of the payload.
bool follows_from_view(const mad::SAHeader& header, const mad::Payload& payload);

// Whether it may be answered by look_up(), and is worth being answered elsewhere than where others
// wait for a word: a table that follows from the view.
bool may_take_long(const mad::Datagram& request);

// The answer to such a request of a client that may ask. A pure function: views do not change.
std::optional<mad::Datagram> look_up(const View& view, mad::SMKey key,
                                     const mad::Datagram& request);
// For who has decoded its header already.
std::optional<mad::Datagram> look_up(const View& view, mad::SMKey key, const mad::SAHeader& header,
                                     const mad::Datagram& request);

// Whether a request of this method is answered at all.
bool wants_answer(mad::Method method);

// The answer to a request that went well or not, with the records for the former.
mad::Datagram make_reply(const mad::SAHeader& asked, const mad::Address& peer, mad::Status status,
                         Records records);

// The same for a request that is put off for 4.096 us * 2^hint: the specification has no field for
// that, so it stands in RRespTime of the RMPP header, which such an answer does not use.
mad::Datagram busy(const mad::Datagram& request, std::uint8_t hint);
// And instead of a reply that cannot be sent now.
mad::Datagram busy_instead(const mad::Datagram& reply, std::uint8_t hint);

class Request {
 public:
  // Without a view the answer is BUSY. Without registrations, only what the view alone can tell is
  // answered.
  Request(const View* view, Registrations* registrations, mad::SMKey key, base::Instant now,
          const Trust& trust = {})
      : view_(view), registrations_(registrations), key_(key), now_(now), trust_(trust) {}

  // The header is that of the datagram. Nothing for what wants no answer, for what is answered
  // later (kAnsweredLater), and for a query that must wait for fetches: `waits` is true then.
  std::optional<mad::Datagram> answer(const mad::SAHeader& header, const mad::Datagram& received,
                                      bool& waits) const;

 private:
  mad::Status look_up(const mad::Datagram& received, const Entry* entry, Query& query,
                      Records& records) const;

  const View* view_;
  Registrations* registrations_;
  mad::SMKey key_;
  base::Instant now_;
  Trust trust_;
};

}  // namespace heddle::sa
