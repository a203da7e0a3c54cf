// SPDX-License-Identifier: BSD-3-Clause
// Routes, worked out beside the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <boost/asio/thread_pool.hpp>

#include "base/parallel.hpp"
#include "sm/core.hpp"

namespace heddle::app {

// Who asks for routes again wants no former ones, and who ends wants none: large fabrics take
// seconds, and neither should wait for what nobody will use.
class RouteWorker {
 public:
  // On the worker's thread. `parallel` may be called from there.
  using Done = std::function<void(sm::RoutesReady)>;

  RouteWorker(base::ParallelFor parallel, Done done);
  ~RouteWorker();  // as soon as what is under way notices that it is given up
  RouteWorker(const RouteWorker&) = delete;
  RouteWorker& operator=(const RouteWorker&) = delete;

  // Instead of what was asked for before: of that nothing is heard any more, unless it was done.
  void compute(sm::ComputeRoutes request);
  void give_up();

 private:
  using Wanted = std::shared_ptr<std::atomic<bool>>;

  void carry_out(const sm::ComputeRoutes& request, const Wanted& wanted);

  base::ParallelFor parallel_;
  Done done_;
  Wanted wanted_;  // what was asked for last; null: nothing was
  boost::asio::thread_pool thread_{1};
};

}  // namespace heddle::app
