// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/controls.hpp"
#include "app/logging.hpp"
#include "app/parallel.hpp"
#include "app/progress.hpp"
#include "app/run_port.hpp"
#include "app/sim_runner.hpp"
#include "app/sm_options.hpp"
#include "app/summary.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

// NODE or NODE:PORT. A node's own name may hold colons, so the whole word is tried first.
std::optional<sim::EndpointId> find_endpoint(const sim::World& world, const std::string& at) {
  if (at.empty()) return world.default_endpoint();
  if (const auto whole = world.find_endpoint(at)) return whole;
  const std::size_t colon = at.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = base::parse_number(at.substr(colon + 1), 254);
  if (!port) return std::nullopt;
  return world.find_endpoint(at.substr(0, colon), static_cast<std::uint8_t>(*port));
}

// The directories that files go to must be there before the fabric is touched.
base::Result<void> prepare(const config::Config& config) {
  std::error_code failure;
  if (!config.dump_dir.empty()) {
    std::filesystem::create_directories(config.dump_dir, failure);
    if (failure || ::access(config.dump_dir.c_str(), W_OK) != 0) {
      return base::error(fmt::format("cannot write into the dump directory {}; create it or name "
                                     "another with --dump-dir",
                                     config.dump_dir));
    }
  }
  // Without the memory the fabric still works: what is wrong with it is logged when it is written.
  if (!config.memory_file.empty()) {
    const auto directory = std::filesystem::path(config.memory_file).parent_path();
    if (!directory.empty()) std::filesystem::create_directories(directory, failure);
  }
  return {};
}

// SIGHUP: a file that became wrong must not take the fabric down.
void reload(const Sources& sources, Log& log,
            const std::function<void(const sm::Options&, OutputFiles)>& change) {
  const Settings settings = read_settings(sources);
  for (const std::string& problem : settings.problems) {
    log.say(sm::Severity::Error, "ConfigRefused", problem);
  }
  if (!settings.problems.empty()) {
    log.say(sm::Severity::Error, "ConfigKept", "The configuration in use stays as it was");
    return;
  }
  const auto reopened = log.reopen(log_options(settings.config));
  if (reopened.has_error()) log.say(sm::Severity::Error, "LogKept", reopened.error().message);
  log.say(sm::Severity::Info, "ConfigRead", "The configuration was read again; a sweep begins");
  change(to_sm_options(settings.config), output_files(settings.config));
}

struct Session {
  const SmArguments& arguments;
  const config::Config& config;
  Log& log;
  Progress progress{std::cerr, is_live_terminal(STDERR_FILENO)};
  boost::asio::io_context loop{1};
};

void reopen_log(Log& log) {
  const auto reopened = log.reopen();
  if (reopened.has_error()) log.say(sm::Severity::Error, "LogKept", reopened.error().message);
}

Exit tell(const Performer& performer, std::string title, std::string_view times_are,
          std::vector<std::string> remarks) {
  if (performer.newest() == nullptr) {
    complain("the sweep was not finished; nothing is known about the fabric");
    return Exit::Problems;
  }
  const sm::Snapshot& snapshot = *performer.newest();
  std::cout << summary_text(
                   {std::move(title), snapshot, performer.times(), times_are, std::move(remarks)})
            << std::flush;
  return wholly_up(snapshot) ? Exit::Ok : Exit::Problems;
}

Exit run_simulated(Session& session, sim::Blueprint blueprint,
                   std::vector<sm::RememberedLids> remembered) {
  const SmArguments& arguments = session.arguments;
  const std::string title = blueprint.title;
  const std::vector<std::string> remarks = blueprint.warnings;
  sim::WorldOptions world_options;
  world_options.seed = arguments.seed;
  sim::World world(std::move(blueprint), world_options);
  const auto endpoint = find_endpoint(world, arguments.at);
  if (!endpoint) {
    complain(arguments.at.empty()
                 ? "the fabric has no host with a cable to put the subnet manager on"
                 : fmt::format("the fabric has no node '{}' that could send; give the name of a "
                               "host or switch, and a port behind a colon",
                               arguments.at));
    return Exit::Fabric;
  }
  SimRunner runner({std::move(world), *endpoint, to_sm_options(session.config),
                    std::move(remembered), output_files(session.config), all_cores()},
                   session.log, session.progress);
  Signals signals(session.loop,
                  {[&runner] { runner.stop(); },
                   [&] {
                     reload(arguments.sources, session.log,
                            [&runner](const sm::Options& options, OutputFiles files) {
                              runner.change_options(options, std::move(files));
                            });
                   },
                   [&] { reopen_log(session.log); }});
  runner.bring_up(session.loop);
  if (runner.stopped()) return Exit::Ok;
  const Exit outcome = tell(runner.performer(), title,
                            "wall time, simulated devices included", remarks);
  if (arguments.once) return outcome;
  std::cout << "Watching the simulated fabric; Ctrl-C ends it.\n" << std::flush;
  runner.keep_watch(session.loop);
  return Exit::Ok;
}

}  // namespace

Exit run_sm(const SmArguments& arguments) {
  Settings settings = read_settings(arguments.sources);
  if (!settings.problems.empty()) {
    for (const std::string& problem : settings.problems) std::cerr << problem << "\n";
    complain("nothing was started, because the configuration is wrong");
    return Exit::Config;
  }
  auto log = Log::open(log_options(settings.config));
  const auto prepared = prepare(settings.config);
  if (log.has_error() || prepared.has_error()) {
    complain(log.has_error() ? log.error().message : prepared.error().message);
    return Exit::Output;
  }
  auto remembered = remembered_lids(settings.config.memory_file, **log);
  if (remembered.has_error()) {
    complain(remembered.error().message);
    return Exit::Output;
  }
  Session session{arguments, settings.config, **log};
  (*log)->set_before_line([&session] { session.progress.clear(); });
  if (!arguments.fabric) return run_on_port(session, std::move(remembered.value()));
  auto blueprint = sim::load_fabric(*arguments.fabric);
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  return run_simulated(session, std::move(blueprint.value()), std::move(remembered.value()));
}

}  // namespace heddle::app
