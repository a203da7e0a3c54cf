// SPDX-License-Identifier: BSD-3-Clause
#include "sa/reporter.hpp"

#include <algorithm>
#include <utility>

#include "mad/sa_attributes.hpp"
#include "mad/sa_header.hpp"

namespace heddle::sa {
namespace {

mad::Datagram make_report(const mad::IssuedNotice& notice, const mad::Address& to,
                          std::uint32_t transaction) {
  mad::SAHeader header;
  header.mad.base_version = mad::kBaseVersion;
  header.mad.management_class = mad::ManagementClass::SubnAdm;
  header.mad.class_version = mad::kSAClassVersion;
  header.mad.method = mad::Method::Report;
  header.mad.transaction_id = mad::TransactionId{transaction};
  header.mad.attribute_id = static_cast<std::uint16_t>(mad::SAAttributeId::Notice);
  mad::Datagram report{to, {}};
  report.payload.resize(mad::kMadBytes);
  const std::span<std::byte> bytes(report.payload.data(), report.payload.size());
  mad::encode(header, bytes.first<mad::kSAHeaderBytes>());
  mad::encode(notice, bytes.subspan<mad::kSAHeaderBytes>().first<mad::kBytes<mad::IssuedNotice>>());
  return report;
}

}  // namespace

void Reporter::queue(const std::vector<SubscriptionId>& to, const mad::IssuedNotice& notice) {
  if (to.empty()) return;
  const auto shared = std::make_shared<const mad::IssuedNotice>(notice);
  for (const SubscriptionId id : to) {
    if (is_full()) return;
    queued_.push_back({id, shared, 0, {}, {}});
  }
}

void Reporter::transmit(base::Instant now, Report report, const Subscription& to,
                        std::vector<mad::Datagram>& out) {
  // The kernel wants another transaction id for each attempt; 0 would be none.
  const std::uint32_t transaction = next_transaction_++;
  if (next_transaction_ == 0) next_transaction_ = 1;
  ++report.attempts;
  report.due = now + kReportTimeout;
  report.at = to.report_to.lid;
  out.push_back(make_report(*report.notice, to.report_to, transaction));
  in_flight_.emplace(transaction, std::move(report));
}

void Reporter::pump(base::Instant now, Subscriptions& subscriptions,
                    std::vector<mad::Datagram>& out, std::vector<Subscription>& lost) {
  std::vector<Report> again;
  for (auto it = in_flight_.begin(); it != in_flight_.end();) {
    if (it->second.due > now) {
      ++it;
      continue;
    }
    again.push_back(std::move(it->second));
    it = in_flight_.erase(it);
  }
  for (Report& report : again) {
    const Subscription* to = subscriptions.find(report.to);
    if (to == nullptr) continue;
    if (report.attempts < kReportAttempts) {
      transmit(now, std::move(report), *to, out);
    } else {
      lost.push_back(*to);
      subscriptions.remove(report.to);
    }
  }
  while (!queued_.empty() && in_flight_.size() < kMaxReportsInFlight) {
    Report report = std::move(queued_.front());
    queued_.pop_front();
    if (const auto* to = subscriptions.find(report.to)) transmit(now, std::move(report), *to, out);
  }
}

std::optional<mad::Lid> Reporter::told(mad::TransactionId transaction) const {
  const auto found = in_flight_.find(static_cast<std::uint32_t>(transaction.value));
  if (found == in_flight_.end()) return std::nullopt;
  return found->second.at;
}

void Reporter::on_response(mad::TransactionId transaction) {
  in_flight_.erase(static_cast<std::uint32_t>(transaction.value));
}

base::Instant Reporter::deadline() const {
  if (!queued_.empty() && in_flight_.size() < kMaxReportsInFlight) return base::Instant{};
  base::Instant first = base::kNever;
  for (const auto& [transaction, report] : in_flight_) first = std::min(first, report.due);
  return first;
}

void Reporter::clear() {
  queued_.clear();
  in_flight_.clear();
}

}  // namespace heddle::sa
