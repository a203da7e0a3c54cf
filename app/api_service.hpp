// SPDX-License-Identifier: BSD-3-Clause
// The API of one run of `heddle sm`: what the performer tells goes to it, and what it is asked to
// do comes back on the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "api/server.hpp"
#include "app/atlas.hpp"
#include "app/logging.hpp"
#include "app/perform.hpp"
#include "base/result.hpp"
#include "config/config.hpp"

namespace heddle::app {

// Where [api] has it listen by TCP, if it does. Reads the file of tokens.
base::Result<std::optional<api::TcpDoor>> tcp_door(const config::Config& config);

class ApiService final : public Audience {
 public:
  // Carries a command out, on the loop's thread.
  using Operator = std::function<void(const api::Command& command)>;

  // What programs have made of partitions, null if they may not; and who uses what they make of
  // them later, on the loop's thread.
  struct Partitions {
    std::shared_ptr<const partitions::Managed> managed;
    std::function<void(const api::UsePartitions&)> use;
  };
  // Null when there is to be none, or when it cannot listen, which is logged: the fabric goes
  // first.
  static std::unique_ptr<ApiService> start(const config::Config& config, Partitions partitions,
                                           boost::asio::io_context& loop, Log& log);

  // Until it is set, and after it was taken away, commands about the fabric are logged and come to
  // nothing.
  void set_operator(Operator carry_out) { *operator_ = std::move(carry_out); }
  void sit(api::Seat seat) { server_->sit(std::move(seat)); }
  void take_over(std::shared_ptr<const partitions::Managed> managed) {
    server_->publish(std::move(managed));
  }

  // By what the fabric is routed, for questions of what a loss would do.
  void route_by(const routing::Policy& policy) { atlas_->route_by(policy); }

  // Audience
  void published(std::shared_ptr<const sm::Snapshot> snapshot) override {
    server_->publish(std::move(snapshot));
  }
  void published(std::shared_ptr<const sm::GroupList> groups) override {
    server_->publish(std::move(groups));
  }
  void told(const sm::Event& event) override { server_->tell(event); }
  void measured(std::shared_ptr<const perf::Readings> readings) override {
    server_->publish(std::move(readings));
  }
  void cared(std::shared_ptr<const api::LinkCare> care) override {
    server_->publish(std::move(care));
  }
  void congested(std::shared_ptr<const congestion::Report> report) override {
    server_->publish(std::move(report));
  }

 private:
  std::shared_ptr<LiveAtlas> atlas_ = std::make_shared<LiveAtlas>();
  std::shared_ptr<Operator> operator_ = std::make_shared<Operator>();
  std::unique_ptr<api::Server> server_;
};

}  // namespace heddle::app
