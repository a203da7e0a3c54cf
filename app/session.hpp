// SPDX-License-Identifier: BSD-3-Clause
// What one run of `heddle sm` has, whatever fabric it is on.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <unistd.h>

#include "app/api_service.hpp"
#include "app/commands.hpp"
#include "app/controls.hpp"
#include "app/keeper.hpp"
#include "app/logging.hpp"
#include "app/meter.hpp"
#include "app/named_files.hpp"
#include "app/perform.hpp"
#include "app/progress.hpp"
#include "app/run_record.hpp"
#include "app/service.hpp"
#include "partitions/managed.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

struct Session {
  const SmArguments& arguments;
  config::Config config;
  Log& log;
  std::unique_ptr<RunRecord> record;  // null: nothing is recorded
  std::vector<sm::RememberedLids> remembered;
  std::string registrations;  // what clients had registered
  NamedFiles files = {};
  std::vector<std::string> config_refused = {};  // why the configuration in use is not the newest
  std::shared_ptr<const NodeNames> node_names = nullptr;     // as read last
  sm::Options latest = {};                                   // what machine_options gave last
  std::shared_ptr<const std::string> opensm_conf = nullptr;  // Settings::opensm_conf; null: none
  // What programs have made of partitions; null: they may not.
  std::shared_ptr<const partitions::Managed> managed = nullptr;
  std::function<void()> managed_changed = {};  // has the machine use them, while there is one
  std::function<void()> sit_again = {};        // tells the API what has changed; there may be none
  std::shared_ptr<const partitions::Policy> file_partitions = nullptr;  // as read last
  bool reassigned = false;  // [lids] reassign has been done; once is enough
  Progress progress{std::cerr, is_live_terminal(STDERR_FILENO)};
  boost::asio::io_context loop{1};
  Service service{loop};
  std::unique_ptr<Keeper> keeper = nullptr;   // null: nothing is durable
  std::unique_ptr<ApiService> api = nullptr;  // null: nobody may ask
};

// Partitions of programs as a master has them, here too.
void take_over(Session& session, std::shared_ptr<const partitions::Managed> managed);

// Partitions as a program has changed them here; they go to the machine and to a standby. What was
// made from others than stand now is void: another manager has become master and told its own.
void use(Session& session, const api::UsePartitions& made);

// What the configuration means to the machine, with the files that it names read.
sm::Options machine_options(Session& session);

// What is wrong with the configuration and the files it names, as they were read last.
std::vector<std::string> troubles(const Session& session);

// Where it writes, and by which names; behind machine_options(), which reads them.
OutputFiles output_files(const Session& session);

// What signals do in this session.
using ChangeOptions = std::function<void(const sm::Options&, OutputFiles, MeterOptions)>;
Controls controls(Session& session, std::function<void()> stop, ChangeOptions change);

// The API is told what runs, and does in it what it is asked for, as long as this lives.
class Operated {
 public:
  using Care = std::function<void(const api::CareForLink&)>;
  Operated(Session& session, std::string fabric, std::function<void(std::string)> resweep,
           ChangeOptions change, Care care);
  ~Operated();
  Operated(const Operated&) = delete;
  Operated& operator=(const Operated&) = delete;

 private:
  Session& session_;
};

// Where there is a record, the log is told when it cannot be written any more.
void watch_record(Session& session);

// The summary of the newest sweep on standard output, and what it means for the exit code.
Exit tell(const Session& session, const Performer& performer, mad::SMState state, std::string title,
          std::string_view times_are, std::vector<std::string> remarks = {});

Exit run_on_simulated_fabric(Session& session, sim::Blueprint blueprint);
Exit run_on_port(Session& session);

}  // namespace heddle::app
