// SPDX-License-Identifier: BSD-3-Clause
// Carries notices to subscribers: SubnAdmReport, repeated until SubnAdmReportResp comes
// (IBA vol. 1, 13.4.11). Who does not answer is given up, and its subscription with it: a host that
// is only slow loses nothing in the seconds that this takes, and one that is gone costs nothing
// from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "sa/subscriptions.hpp"

namespace heddle::sa {

inline constexpr std::size_t kMaxReportsInFlight = 64;
// A longer queue is cut at its end: who subscribed to everything in a storm must not cost all
// memory.
inline constexpr std::size_t kMaxReportsQueued = 65536;
inline constexpr unsigned kReportAttempts = 4;
inline constexpr base::Duration kReportTimeout = std::chrono::seconds(1);

class Reporter {
 public:
  void queue(const std::vector<SubscriptionId>& to, const mad::IssuedNotice& notice);
  // There is no room for another report.
  bool is_full() const { return queued_.size() >= kMaxReportsQueued; }
  // Sends what is due and what there is room for. Those that were given up lose their subscription
  // and are added to `lost`.
  void pump(base::Instant now, Subscriptions& subscriptions, std::vector<mad::Datagram>& out,
            std::vector<Subscription>& lost);
  // Where the report of this number went; none when it is not awaited.
  std::optional<mad::Lid> told(mad::TransactionId transaction) const;
  // Its answer, whatever that says.
  void on_response(mad::TransactionId transaction);
  base::Instant deadline() const;
  bool idle() const { return queued_.empty() && in_flight_.empty(); }
  void clear();

 private:
  struct Report {
    SubscriptionId to{};
    std::shared_ptr<const mad::IssuedNotice> notice;
    unsigned attempts = 0;
    base::Instant due{};
    mad::Lid at{};  // the port that was told last
  };
  void transmit(base::Instant now, Report report, const Subscription& to,
                std::vector<mad::Datagram>& out);

  std::deque<Report> queued_;
  std::map<std::uint32_t, Report> in_flight_;  // by the half of the transaction id that is ours
  std::uint32_t next_transaction_ = 1;
};

}  // namespace heddle::sa
