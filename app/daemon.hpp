// SPDX-License-Identifier: BSD-3-Clause
// The machine on a real port: one loop that receives, keeps deadlines and carries out outputs,
// and one worker for the routing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "app/companions.hpp"
#include "app/front_desk.hpp"
#include "app/keeper.hpp"
#include "app/logging.hpp"
#include "app/perform.hpp"
#include "app/progress.hpp"
#include "app/route_worker.hpp"
#include "app/run_record.hpp"
#include "base/parallel.hpp"
#include "sm/core.hpp"
#include "transport/transport.hpp"

namespace heddle::app {

class Daemon {
 public:
  struct Setup {
    sm::Options options;
    std::vector<sm::RememberedLids> remembered;
    std::string registrations;  // of clients, from before
    OutputFiles files;
    base::ParallelFor parallel;
    bool once = false;  // end after the first sweep
    RunRecord* record = nullptr;
    Audience* audience = nullptr;
    Keeper* keeper = nullptr;   // null: nothing is durable
    FrontDesk* desk = nullptr;  // of the transport; null: the machine is asked everything
    MeterOptions meter = {};    // of the performance manager; not with `once`
  };

  // The transport and the loop must outlive the daemon.
  Daemon(boost::asio::io_context& loop, transport::Transport& transport, Setup setup, Log& log,
         Progress& progress);
  ~Daemon();

  // Returns after stop(), or after the first sweep with `once`. IsSM is set meanwhile, and cleared
  // whatever the machine was doing.
  void run();
  void stop();

  void change_options(const sm::Options& options, OutputFiles files, MeterOptions meter);
  void care(const api::CareForLink& command);
  void resweep(std::string reason) { step(sm::ResweepCommand{std::move(reason)}); }

  const Performer& performer() const { return performer_; }
  std::string registrations() const { return core_.registrations(); }
  mad::SMState state() const { return core_.state(); }
  // True when the first sweep was finished.
  bool swept() const { return core_.sweeps_finished() > 0; }

 private:
  void receive(std::span<transport::Received> batch);
  void feed(sm::Input input);
  void give_orders(base::Instant now);
  void step(sm::Input input);
  void hear_routes(sm::RoutesReady routes);  // on the worker's thread
  void look_up(sm::LookUp work);
  void perform(base::Instant now);
  void hear_desk();
  void after_steps();
  void arm();
  void on_timer();

  boost::asio::io_context& loop_;
  transport::Transport& transport_;
  const bool once_;
  const bool takes_part_;  // in the election
  RunRecord* record_;
  FrontDesk* desk_;
  Keeper* keeper_;
  base::Instant hears_desk_{};  // when the machine is told next what was asked there
  base::Instant now_{};
  sm::Core core_;
  Progress& progress_;
  Performer performer_;
  Companions companions_;
  boost::asio::steady_timer timer_;
  base::Instant armed_ = base::kNever;
  // Gone when the daemon is: the loop may run on without it, when a port comes back.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  RouteWorker routes_;
  boost::asio::thread_pool librarian_{1};  // for queries, which routing must not hold up
};

}  // namespace heddle::app
