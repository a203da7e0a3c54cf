// SPDX-License-Identifier: BSD-3-Clause
#include "sm/look_ups.hpp"

#include <algorithm>

#include "mad/datagram.hpp"

namespace heddle::sm {

std::optional<std::uint64_t> LookUps::begin(mad::Lid from) {
  const auto of_port = std::count_if(by_ticket_.begin(), by_ticket_.end(),
                                     [&](const auto& entry) { return entry.second == from; });
  const bool too_many =
      by_ticket_.size() >= kMaxLookUps || static_cast<std::size_t>(of_port) >= kMaxLookUpsOfPort;
  if (too_many) return std::nullopt;
  by_ticket_.emplace(++last_ticket_, from);
  return last_ticket_;
}

bool LookUps::let_out(base::Instant now, std::size_t bytes) {
  while (!answers_.empty() && now - answers_.front().sent >= kAnswerUnderWay) {
    bytes_ -= answers_.front().bytes;
    answers_.pop_front();
  }
  if (bytes <= mad::kMadBytes) return true;  // one packet, which nobody acknowledges
  if (bytes > kMaxAnswerBytesUnderWay - bytes_) return false;
  answers_.push_back({now, bytes});
  bytes_ += bytes;
  return true;
}

}  // namespace heddle::sm
