// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/session.hpp"

namespace heddle::app {
namespace {

// The directories that files go to must be there before the fabric is touched.
base::Result<void> make_directories(const config::Config& config) {
  std::error_code failure;
  if (!config.dump_dir.empty()) {
    std::filesystem::create_directories(config.dump_dir, failure);
    if (failure || ::access(config.dump_dir.c_str(), W_OK) != 0) {
      return base::error(
          fmt::format("cannot write into the dump directory {}; make it writable or name another",
                      config.dump_dir));
    }
  }
  // Without the memory the fabric still works: what is wrong with it is logged when it is written.
  const auto memory_directory = std::filesystem::path(config.memory_file).parent_path();
  if (!memory_directory.empty()) std::filesystem::create_directories(memory_directory, failure);
  return {};
}

// Everything that may fail before the fabric is touched.
base::Result<void> prepare(Session& session) {
  const auto made = make_directories(session.config);
  if (made.has_error()) return made.error();
  if (!session.arguments.record.empty()) {
    auto record = RunRecord::open(session.arguments.record);
    if (record.has_error()) return record.error();
    session.record = std::move(record.value());
  }
  auto remembered = remembered_lids(session.config.memory_file, session.log);
  if (remembered.has_error()) return remembered.error();
  session.remembered = std::move(remembered.value());
  return {};
}

Exit run_prepared(Session& session) {
  if (!session.arguments.fabric) return run_on_port(session);
  auto blueprint = sim::load_fabric(*session.arguments.fabric);
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  return run_on_simulated_fabric(session, std::move(blueprint.value()));
}

}  // namespace

Exit run_sm(const SmArguments& arguments) {
  // A limit on file sizes then makes a write fail, as a full disk does, and does not end the SM.
  std::signal(SIGXFSZ, SIG_IGN);
  const Settings settings = read_settings(arguments.sources);
  if (!settings.problems.empty()) {
    for (const std::string& problem : settings.problems) std::cerr << problem << "\n";
    complain("nothing was started, because the configuration is wrong");
    return Exit::Config;
  }
  const auto log = Log::open(log_options(settings.config));
  if (log.has_error()) {
    complain(log.error().message);
    return Exit::Output;
  }
  Session session{arguments, settings.config, **log, {}, {}, {}, {}, {}, {}, {}};
  (*log)->set_before_line([&session] { session.progress.clear(); });
  const auto prepared = prepare(session);
  if (prepared.has_error()) {
    complain(prepared.error().message);
    return Exit::Output;
  }
  // A single sweep is over before anybody could ask.
  if (!arguments.once) session.api = ApiService::start(session.config, session.loop, **log);
  session.service.pass_on_to(session.api.get());
  session.service.ready();
  return run_prepared(session);
}

}  // namespace heddle::app
