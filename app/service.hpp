// SPDX-License-Identifier: BSD-3-Clause
// What systemd is told of this process (sd_notify(3)): that it is ready, reads its configuration
// again, goes; in a line what it does; and, if the unit asks for that, that its loop still turns.
// Without a service manager nothing is sent.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/perform.hpp"

namespace heddle::app {

class Service final : public Audience {
 public:
  // Signs of life come from this loop; so a loop that hangs is noticed.
  explicit Service(boost::asio::io_context& loop);

  // Ready means: the configuration is sound, and whoever asks is answered. The fabric may take its
  // time, or a device that is not there yet.
  void ready();
  void reloading();
  void reloaded();
  void stopping();
  void say(const std::string& status);

  // Who else hears what the performer tells; may be null, and must outlive this.
  void pass_on_to(Audience* next) { next_ = next; }

  // Audience
  void published(std::shared_ptr<const sm::Snapshot> snapshot) override;
  void published(std::shared_ptr<const sm::GroupList> groups) override;
  void told(const sm::Event& event) override;
  void measured(std::shared_ptr<const perf::Readings> readings) override;
  void cared(std::shared_ptr<const api::LinkCare> care) override;
  void congested(std::shared_ptr<const congestion::Report> report) override;

 private:
  void beat();
  void say_state();

  Audience* next_ = nullptr;
  std::chrono::microseconds every_{0};  // 0: nobody waits for signs of life
  boost::asio::steady_timer timer_;
  bool stopping_ = false;
  mad::SMState state_ = mad::SMState::Discovering;
  std::string fabric_;  // in numbers; empty before the first sweep
  std::string said_;
};

}  // namespace heddle::app
