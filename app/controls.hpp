// SPDX-License-Identifier: BSD-3-Clause
// Signals, as the daemon and the simulated run both understand them: SIGTERM and SIGINT end it,
// SIGHUP reads the configuration again and sweeps, SIGUSR1 reopens the log.
#pragma once

#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace heddle::app {

struct Controls {
  std::function<void()> stop;
  std::function<void()> reload;
  std::function<void()> reopen_log;
};

// Handlers run on the loop's thread. Signals are caught as long as this lives; what is pending
// does not keep io_context::run() from returning once cancel() was called.
class Signals {
 public:
  Signals(boost::asio::io_context& loop, Controls controls);
  void cancel();

 private:
  void wait();

  boost::asio::signal_set signals_;
  Controls controls_;
};

}  // namespace heddle::app
