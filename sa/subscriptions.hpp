// SPDX-License-Identifier: BSD-3-Clause
// Who wants to hear of which notices (InformInfo, IBA vol. 1, 13.4.8.3 and 13.4.11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/touched.hpp"
#include "mad/datagram.hpp"
#include "mad/inform_info.hpp"
#include "mad/notice.hpp"

namespace heddle::sa {

inline constexpr std::uint16_t kAnyTrap = 0xFFFF;
inline constexpr std::uint16_t kAnyType = 0xFFFF;
inline constexpr std::uint32_t kAnyProducer = 0xFF'FFFF;
// What is refused with ERR_NO_RESOURCES: more than this in all, and of one port.
inline constexpr std::size_t kMaxSubscriptions = 65536;
inline constexpr std::size_t kMaxSubscriptionsOfPort = 256;

// A number that is never given out twice.
using SubscriptionId = base::Strong<struct SubscriptionIdTag, std::uint64_t>;

struct Subscription {
  mad::Gid subscriber;
  std::uint16_t number{};  // InformInfoRecord.Enum: the n-th of this subscriber
  mad::InformInfo info;    // LIDRangeEnd never below LIDRangeBegin
  mad::Address report_to;
  bool trusted = false;  // may hear of security traps

  // Whether it means this notice. `source` is the GID that a notice of the class manager is about,
  // the issuer's for all others.
  bool means(const mad::Notice& notice, const mad::Gid& source) const;
};

class Subscriptions {
 public:
  enum class Outcome : std::uint8_t { Done, TooMany, Unknown };

  // Asking again for what one has is no second subscription. A new one is one of at most `most` of
  // its port.
  Outcome add(Subscription wanted, std::size_t most = kMaxSubscriptionsOfPort);
  // Ends what the subscriber at this address asked for with the same words.
  Outcome remove(const Subscription& wanted);
  void remove(SubscriptionId id) { drop(by_id_.find(id)); }
  // Ends all of a port that has left.
  void remove_all(const mad::Gid& subscriber);

  const Subscription* find(SubscriptionId id) const;
  std::size_t size() const { return by_id_.size(); }
  // Oldest first.
  const std::map<SubscriptionId, Subscription>& all() const { return by_id_; }
  // Of subscribers that `may_hear`; no function: all.
  using MayHear = std::function<bool(const Subscription&)>;
  std::vector<SubscriptionId> meaning(const mad::Notice& notice, const mad::Gid& source,
                                      const MayHear& may_hear = {}) const;
  // Which came, went or became others, for those who remember them.
  base::Touched<SubscriptionId>& touched() { return touched_; }

 private:
  using ById = std::map<SubscriptionId, Subscription>;
  ById::const_iterator find(const Subscription& wanted) const;
  void drop(ById::const_iterator which);
  std::uint16_t free_number(const mad::Gid& subscriber) const;

  ById by_id_;
  std::multimap<std::uint64_t, SubscriptionId> by_port_;  // by the GUID in the GID
  std::uint64_t next_ = 1;
  base::Touched<SubscriptionId> touched_;
};

}  // namespace heddle::sa
