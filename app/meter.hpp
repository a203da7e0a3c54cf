// SPDX-License-Identifier: BSD-3-Clause
// The performance manager beside the subnet manager: it has the same port and the same loop, is
// told what the fabric looks like, and asks as long as this is the master.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "app/congestion_care.hpp"
#include "app/logging.hpp"
#include "config/config.hpp"
#include "perf/health.hpp"
#include "perf/machine.hpp"
#include "sm/snapshot.hpp"
#include "transport/transport.hpp"

namespace heddle::app {

struct MeterOptions {
  bool enabled = false;
  bool hosts = false;  // their own ports too
  bool log_errors = false;
  perf::Options perf;
  perf::HealthPolicy health;
  CongestionOptions congestion;  // of the one beside it
};
MeterOptions meter_options(const config::Config& config);

// Whom to ask in this fabric, and by which service levels.
perf::Picture perf_picture(const sm::Snapshot& fabric, bool hosts);

class Meter {
 public:
  using Send = std::function<void(mad::Datagram)>;
  using Tell = std::function<void(std::shared_ptr<const perf::Readings>)>;

  // `tell` gets what each sweep found; it may be empty.
  Meter(MeterOptions options, Send send, Tell tell, Log& log);

  // Whether it belongs to the performance manager, who has taken it then.
  bool take(transport::Received& received, base::Instant now);
  // Cheap when nothing has changed. The picture may be null.
  void see(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
           base::Instant now);
  void change(MeterOptions options, base::Instant now);
  void advance(base::Instant now);
  base::Instant deadline() const { return machine_.deadline(); }

 private:
  void step(base::Instant now, perf::Input input);
  void log_errors(const perf::Readings& readings);

  MeterOptions options_;
  Send send_;
  Tell tell_;
  Log& log_;
  perf::Machine machine_;
  std::shared_ptr<const sm::Snapshot> fabric_;
  bool asks_ = false;
  // Of ports that were told of, what exceeded its threshold.
  std::map<std::pair<mad::Guid, mad::PortNumber>, std::uint32_t> told_;
};

}  // namespace heddle::app
