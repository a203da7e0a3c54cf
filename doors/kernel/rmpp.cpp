// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/rmpp.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "doors/kernel/mad_view.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr std::uint8_t kNoResponseTime = 31;

}  // namespace

RmppSend::RmppSend(mad::Payload message)
    : message_(std::move(message)),
      header_bytes_(class_header_bytes(MadView(message_).management_class)),
      segment_bytes_(mad::kMadBytes - header_bytes_) {
  HEDDLE_CHECK(message_.size() >= header_bytes_ && message_.size() <= kMaxMessageBytes);
  const std::size_t data = message_.size() - header_bytes_;
  segments_ = static_cast<std::uint32_t>(
      std::max<std::size_t>(1, (data + segment_bytes_ - 1) / segment_bytes_));
}

// PayloadLength counts what follows the RMPP header, the rest of the class's header in each segment
// included: the whole message in the first segment, this segment's share in the last.
std::optional<mad::Payload> RmppSend::next_segment() {
  if (sent_ == segments_ || sent_ == window_) return std::nullopt;
  const std::uint32_t number = ++sent_;
  const std::size_t begin = header_bytes_ + (number - 1) * segment_bytes_;
  const std::size_t end = std::min(message_.size(), begin + segment_bytes_);
  const auto padding = static_cast<std::uint32_t>(begin + segment_bytes_ - end);
  mad::Payload segment(message_.begin(), message_.begin() + static_cast<long>(header_bytes_));
  segment.insert(segment.end(), message_.begin() + static_cast<long>(begin),
                 message_.begin() + static_cast<long>(end));
  segment.resize(mad::kMadBytes, std::byte{0});

  mad::RMPPHeader header;
  header.response_time = kNoResponseTime;
  header.version = mad::kRmppVersion;
  header.type = mad::RMPPType::Data;
  header.flags = mad::kRmppActive;
  header.data1 = number;
  if (number == 1) {
    const auto last = segments_ * segment_bytes_ + header_bytes_ - message_.size();
    header.flags |= mad::kRmppFirst;
    header.data2 = static_cast<std::uint32_t>(segments_ * kRmppDataBytes - last);
  }
  if (number == segments_) {
    header.flags |= mad::kRmppLast;
    header.data2 = static_cast<std::uint32_t>(kRmppDataBytes) - padding;
  }
  put_rmpp_header(segment, header);
  return segment;
}

RmppSend::Judged RmppSend::acknowledge(std::uint32_t segment, std::uint32_t new_window) {
  if (new_window < segment) return {Verdict::Wrong, RmppStatus::NewWindowTooSmall};
  if (all_acknowledged()) return {};
  if (segment > sent_) return {Verdict::Wrong, RmppStatus::SegmentTooBig};
  if (segment < acknowledged_ || new_window < window_) return {};
  acknowledged_ = segment;
  window_ = new_window;
  return {Verdict::Progress, {}};
}

RmppReceive::Taken RmppReceive::take(std::span<const std::byte> segment) {
  HEDDLE_CHECK(segment.size() == mad::kMadBytes);
  const mad::RMPPHeader header = MadView(segment).rmpp;
  const std::uint32_t number = header.data1;
  const bool first = (header.flags & mad::kRmppFirst) != 0;
  if (first != (number == 1)) return {Next::Refuse, RmppStatus::InconsistentFirst};
  if (complete_ || number <= in_order_) return {Next::Acknowledge, {}};  // the Ack was lost
  if (number > window_) return {};
  early_.emplace(number, mad::Payload(segment.begin(), segment.end()));
  const std::uint32_t before = in_order_;
  while (!early_.empty() && early_.begin()->first == in_order_ + 1 && !complete_) {
    append(early_.begin()->second);
    early_.erase(early_.begin());
  }
  if (message_.size() > kMaxMessageBytes) return {Next::Refuse, RmppStatus::ResourcesExhausted};
  if (complete_) return {Next::Complete, {}};
  if (in_order_ == before || in_order_ < window_) return {};
  window_ = in_order_ + kRmppWindow;
  return {Next::Acknowledge, {}};
}

void RmppReceive::append(const mad::Payload& segment) {
  const MadView view(segment);
  const std::size_t header = class_header_bytes(view.management_class);
  const bool last = (view.rmpp.flags & mad::kRmppLast) != 0;
  std::size_t share = mad::kMadBytes - header;
  if (last && view.rmpp.data2 <= kRmppDataBytes) {
    const std::size_t padding = kRmppDataBytes - view.rmpp.data2;
    share -= std::min(padding, share);
  }
  if (in_order_ == 0) message_.assign(segment.begin(), segment.begin() + static_cast<long>(header));
  const auto data = segment.begin() + static_cast<long>(header);
  message_.insert(message_.end(), data, data + static_cast<long>(share));
  ++in_order_;
  complete_ = last;
}

mad::Payload RmppReceive::take_message() {
  HEDDLE_CHECK(complete_);
  early_.clear();
  return std::exchange(message_, {});
}

}  // namespace heddle::doors::kernel
