// SPDX-License-Identifier: BSD-3-Clause
#include "app/controls.hpp"

#include <csignal>
#include <utility>

namespace heddle::app {

Signals::Signals(boost::asio::io_context& loop, Controls controls)
    : signals_(loop, SIGINT, SIGTERM, SIGHUP), controls_(std::move(controls)) {
  signals_.add(SIGUSR1);
  wait();
}

void Signals::cancel() {
  boost::system::error_code ignored;
  signals_.cancel(ignored);
}

void Signals::wait() {
  signals_.async_wait([this](const boost::system::error_code& failure, int number) {
    if (failure) return;
    wait();
    switch (number) {
      case SIGHUP:
        controls_.reload();
        break;
      case SIGUSR1:
        controls_.reopen_log();
        break;
      default:
        controls_.stop();
        break;
    }
  });
}

}  // namespace heddle::app
