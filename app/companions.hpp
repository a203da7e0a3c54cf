// SPDX-License-Identifier: BSD-3-Clause
// The managers beside the subnet manager, on its port and its loop: of performance, of congestion
// control, and the care for links. None of them touches the fabric's routes or states; what links
// need goes to the subnet manager as orders.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/message.hpp"
#include "app/congestion_care.hpp"
#include "app/link_care.hpp"
#include "app/meter.hpp"
#include "app/perform.hpp"

namespace heddle::app {

class Companions {
 public:
  using Clock = std::function<base::Instant()>;

  // `audience` may be null; everything else must outlive this. `clock` has the time that is given
  // to all the calls below.
  Companions(MeterOptions options, const Meter::Send& send, Audience* audience, Clock clock,
             Log& log);

  // Whether it belongs to one of them, who has taken it then.
  bool take(transport::Received& received, base::Instant now);
  // Everything that the subnet manager tells, and what became of orders.
  void hear(const sm::Event& event);
  void hear(std::shared_ptr<const sm::OrderOutcomes> outcomes) { care_.hear(std::move(outcomes)); }
  // From now on links are looked at. Before, nothing is found to be wrong with them.
  void watch_links() { watches_links_ = true; }
  // Looks at the fabric, and does what is due. The picture may be null.
  void advance(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
               base::Instant now);
  void obey(const api::CareForLink& command, base::Instant now) { care_.obey(command, now); }
  void change(MeterOptions options, base::Instant now);

  // The orders to the subnet manager, if they are others than when this was asked last.
  std::optional<sm::PortOrders> take_orders() { return care_.take_orders(); }
  base::Instant deadline() const;

 private:
  bool watches_links_ = false;
  LinkCare care_;
  CongestionCare congestion_;
  Meter meter_;
};

}  // namespace heddle::app
