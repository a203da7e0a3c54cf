// SPDX-License-Identifier: BSD-3-Clause
// What is done about links: by order of an operator, and by what is found to be wrong with them.
// Both become one list of orders to the subnet manager, who alone touches the fabric.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/link_care.hpp"
#include "api/message.hpp"
#include "app/logging.hpp"
#include "config/config.hpp"
#include "perf/health.hpp"
#include "sm/events.hpp"
#include "sm/orders.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

perf::HealthPolicy health_policy(const config::Config& config);

class LinkCare {
 public:
  using Tell = std::function<void(std::shared_ptr<const api::LinkCare>)>;

  LinkCare(perf::HealthPolicy policy, Tell tell, Log& log);

  void see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
           base::Instant now);
  void see(const perf::Readings& readings, base::Instant now);
  void hear(const sm::Event& event);
  void hear(std::shared_ptr<const sm::OrderOutcomes> outcomes);
  void obey(const api::CareForLink& command, base::Instant now);
  void change(const perf::HealthPolicy& policy, base::Instant now);

  // The orders, if they are others than when this was asked last.
  std::optional<sm::PortOrders> take_orders();

 private:
  void renew(base::Instant now);
  bool collect();  // the orders; whether they are others now
  void restore(perf::LinkEnd end);
  void log_changes(const std::map<perf::LinkEnds, perf::Finding>& before);
  std::string name_of(const perf::LinkEnds& link) const;
  sm::PortOrder order_for(const perf::LinkHealth::Wish& wish) const;
  void tell();

  Tell tell_;
  Log& log_;
  perf::LinkHealth health_;
  std::shared_ptr<const sm::Snapshot> fabric_;
  std::map<perf::LinkEnd, sm::PortOrder> by_hand_;
  sm::PortOrders orders_;
  bool changed_ = false;
  std::shared_ptr<const sm::OrderOutcomes> outcomes_;
};

}  // namespace heddle::app
