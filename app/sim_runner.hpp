// SPDX-License-Identifier: BSD-3-Clause
// The machine and a simulated world in one process. Until the fabric is up virtual time runs as
// fast as it can; afterwards it goes along with the clock on the wall.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/companions.hpp"
#include "app/controls.hpp"
#include "app/logging.hpp"
#include "app/perform.hpp"
#include "app/progress.hpp"
#include "app/run_record.hpp"
#include "base/parallel.hpp"
#include "sim/world.hpp"
#include "sm/core.hpp"
#include "transport/kernel_habits.hpp"

namespace heddle::app {

class SimRunner {
 public:
  struct Setup {
    sim::World world;
    sim::EndpointId endpoint{};  // where the SM sits
    sm::Options options;
    std::vector<sm::RememberedLids> remembered;
    OutputFiles files;
    base::ParallelFor parallel;
    RunRecord* record = nullptr;
    Audience* audience = nullptr;
    MeterOptions meter = {};
  };

  SimRunner(Setup setup, Log& log, Progress& progress);

  // Runs until the first sweep is finished, nothing more can happen, or stop() was called.
  void bring_up(boost::asio::io_context& loop);
  // Keeps watch in real time until stop().
  void keep_watch(boost::asio::io_context& loop);

  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  void change_options(const sm::Options& options, OutputFiles files, MeterOptions meter);
  void care(const api::CareForLink& command);
  void resweep(std::string reason) { step(sm::ResweepCommand{std::move(reason)}); }

  const Performer& performer() const { return performer_; }
  mad::SMState state() const { return core_.state(); }

 private:
  void feed(sm::Input input);
  void give_orders();
  void step(sm::Input input);
  void hear(const sm::Event& event);
  bool has_results();
  void receive(std::span<transport::Received> batch);
  void turn();
  base::Instant next() const;

  sim::World world_;
  sim::EndpointId endpoint_;
  base::ParallelFor parallel_;
  RunRecord* record_;
  base::Instant now_{};
  sm::Core core_;
  std::optional<sm::ComputeRoutes> asked_;
  bool awaits_routes_ = false;
  std::vector<sm::Input> ready_;
  transport::KernelHabits kernel_;  // between the two, as on a real host
  Progress& progress_;
  Performer performer_;
  Companions companions_;
  bool stopped_ = false;
};

}  // namespace heddle::app
