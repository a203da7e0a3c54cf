// SPDX-License-Identifier: BSD-3-Clause
// The one place where the machine's outputs are carried out, in the order it gave them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "api/link_care.hpp"
#include "app/logging.hpp"
#include "app/progress.hpp"
#include "base/result.hpp"
#include "congestion/report.hpp"
#include "multicast/tables.hpp"
#include "perf/readings.hpp"
#include "sm/core.hpp"
#include "transport/transport.hpp"

namespace heddle::app {

// Where outputs go that differ between a real fabric and a simulated one.
struct Sinks {
  std::function<void(mad::Datagram)> send;
  // Must lead to a RoutesReady with the same ticket, now or later.
  std::function<void(sm::ComputeRoutes)> compute;
  // Likewise to a LookedUp.
  std::function<void(sm::LookUp)> look_up;
  // Likewise to a Stored; may be empty where nothing is durable.
  std::function<void(sm::Store)> store = {};
  // What became of orders, and everything that is told; may be empty.
  std::function<void(std::shared_ptr<const sm::OrderOutcomes>)> ordered = {};
  std::function<void(const sm::Event&)> told = {};
};

class NodeNames;

struct OutputFiles {
  std::filesystem::path lid_memory;  // empty: nothing is remembered
  std::filesystem::path dump_dir;    // empty: no dumps
  // How nodes are called in dumps, in the log and before the audience; null: as they say.
  std::shared_ptr<const NodeNames> names = nullptr;
};

// Who else wants to know: told on the thread that performs, and must not hold it up.
class Audience {
 public:
  virtual ~Audience() = default;
  virtual void published(std::shared_ptr<const sm::Snapshot> snapshot) = 0;
  virtual void published(std::shared_ptr<const sm::GroupList> groups) = 0;
  virtual void told(const sm::Event& event) = 0;
  // Of the performance manager, after each of its sweeps.
  virtual void measured(std::shared_ptr<const perf::Readings> readings) = 0;
  // What is wrong with links, and done about it.
  virtual void cared(std::shared_ptr<const api::LinkCare> care) = 0;
  // What is done about congestion; null: nothing any more.
  virtual void congested(std::shared_ptr<const congestion::Report> report) = 0;
};

class Performer {
 public:
  // The audience may be null.
  Performer(Sinks sinks, OutputFiles files, Log& log, Progress& progress,
            Audience* audience = nullptr);

  // A file that cannot be written is logged and does not stop anything.
  void perform(std::vector<sm::Output> outputs, base::Instant now);

  void set_files(OutputFiles files) { files_ = std::move(files); }

  // Null before the first sweep is finished.
  const std::shared_ptr<const sm::Snapshot>& newest() const { return newest_; }
  // The same, where nodes have the names that somebody gave them: for people.
  const std::shared_ptr<const sm::Snapshot>& shown() const { return shown_; }
  const PhaseTimes& times() const { return times_; }
  // What StoreLids said last, stored or not; empty before.
  const std::vector<sm::RememberedLids>& lids() const { return lids_; }

 private:
  void carry_out(sm::SendMad&& output, base::Instant now);
  void carry_out(sm::ComputeRoutes&& output, base::Instant now);
  void carry_out(sm::LookUp&& output, base::Instant now);
  void carry_out(sm::StoreLids&& output, base::Instant now);
  void carry_out(sm::Store&& output, base::Instant now);
  void carry_out(sm::Publish&& output, base::Instant now);
  void carry_out(sm::PublishGroups&& output, base::Instant now);
  void carry_out(sm::PublishOrders&& output, base::Instant now);
  void carry_out(sm::Event&& output, base::Instant now);
  void dump_multicast(base::Instant now);

  Sinks sinks_;
  OutputFiles files_;
  Log& log_;
  Progress& progress_;
  Audience* audience_;
  PhaseTimes times_;
  std::shared_ptr<const sm::Snapshot> newest_;         // with the nodes' own names
  std::shared_ptr<const sm::Snapshot> shown_;          // with those that they were given
  std::shared_ptr<const multicast::Tables> undumped_;  // newer than opensm.mcfdbs; null: none are
  base::Instant next_dump_{};                          // of them
  std::vector<sm::RememberedLids> lids_;
};

// The LID memory as the machine wants it. Lines that are skipped are logged; a file that cannot be
// read is an error, because starting without it would renumber the fabric.
base::Result<std::vector<sm::RememberedLids>> remembered_lids(const std::filesystem::path& file,
                                                              Log& log);

// What earlier versions of Heddle wrote beside the LID memory when they ended in good order: what
// clients had registered. Taken once.
std::string take_registrations(const std::filesystem::path& lid_memory, Log& log);

// What a transport hands up, as the machine takes it.
sm::Input input_of(transport::Received received);

// The kernel must outwait the machine, or it would drop answers that are still wanted.
base::Duration kernel_timeout(const sm::Options& options);

// What LookUp asks for, done here and now.
sm::LookedUp look_up(const sm::LookUp& work);

}  // namespace heddle::app
