// SPDX-License-Identifier: BSD-3-Clause
// The congestion control manager beside the subnet manager: it has the same port and the same loop,
// is told what the fabric looks like, and acts as long as this is the master.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "app/logging.hpp"
#include "config/config.hpp"
#include "congestion/machine.hpp"
#include "sm/events.hpp"
#include "sm/snapshot.hpp"
#include "transport/transport.hpp"

namespace heddle::app {

struct CongestionOptions {
  bool enabled = false;
  congestion::Options machine;
};
CongestionOptions congestion_options(const config::Config& config);
// What is wrong with a text of [congestion], by its key; empty: nothing.
std::string wrong_congestion(std::string_view key, std::string_view text);

// Whom to tell in this fabric.
congestion::Picture congestion_picture(const sm::Snapshot& fabric);

class CongestionCare {
 public:
  using Send = std::function<void(mad::Datagram)>;
  using Tell = std::function<void(std::shared_ptr<const congestion::Report>)>;

  // `tell` gets what came of it; null when it is no longer anybody's business here. It may be
  // empty.
  CongestionCare(CongestionOptions options, Send send, Tell tell, Log& log);

  // Whether it belongs to the congestion control manager, who has taken it then.
  bool take(transport::Received& received, base::Instant now);
  // Cheap when nothing has changed. The picture may be null.
  void see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
           base::Instant now);
  void hear(const sm::Event& event);
  void change(CongestionOptions options, base::Instant now);
  void advance(base::Instant now) { step(now, congestion::Tick{}); }
  base::Instant deadline() const { return machine_.deadline(); }

 private:
  void step(base::Instant now, congestion::Input input);
  void log_changes(const congestion::Report& report);
  void log_agent(const congestion::AgentReport& agent);

  CongestionOptions options_;
  Send send_;
  Tell tell_;
  Log& log_;
  congestion::Machine machine_;
  std::shared_ptr<const sm::Snapshot> fabric_;
  bool acts_ = false;
  std::set<mad::Guid> returned_;  // since the last picture
  std::shared_ptr<const congestion::Report> told_;
};

}  // namespace heddle::app
