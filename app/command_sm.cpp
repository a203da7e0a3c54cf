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
#include "app/managed_partitions.hpp"
#include "app/session.hpp"
#include "app/sharing.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

// A simulated fabric has no clients, and what only watches promises nothing.
bool is_durable(const SmArguments& arguments, const config::Config& config) {
  return !arguments.fabric && !config.shadow && !config.memory_file.empty();
}

// With whom the memory is shared, if anybody. What is wrong here is wrong at the next start, too.
base::Result<void> check_partners(const SmArguments& arguments, const config::Config& config) {
  if ((has_partner(config) || has_replica(config)) && !is_durable(arguments, config)) {
    return base::error(fmt::format("{} needs [lids] memory_file, and no shadow or simulated fabric",
                                   has_partner(config) ? "[standby]" : "[replica]"));
  }
  return check_sharing(config);
}

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

// What is stored comes first; of ports that it does not know, the file of LIDs may.
void open_keeper(Session& session) {
  const std::filesystem::path lid_memory = session.config.memory_file;
  Keeper::Found found;
  session.keeper =
      std::make_unique<Keeper>(Keeper::file_beside(lid_memory), session.loop, session.log, found);
  if (found.is_new) found.recalled.registrations = take_registrations(lid_memory, session.log);
  session.registrations = std::move(found.recalled.registrations);
  auto& lids = found.recalled.lids;
  lids.insert(lids.end(), session.remembered.begin(), session.remembered.end());
  session.remembered = std::move(lids);
  if (!session.managed) return;
  session.keeper->share_partitions(session.managed,
                                   [&session](auto told) { take_over(session, std::move(told)); });
}

base::Result<void> join_partner(Session& session) {
  const config::Config& config = session.config;
  if (!has_partner(config)) return {};
  auto keys = partner_keys(config);
  if (!keys) return keys.error();
  return session.keeper->join({config.standby_listen, config.standby_peer, std::move(*keys),
                               base::hex(config.subnet_prefix)});
}

// LIDs of ports that neither this one's own memory nor its file know.
base::Result<void> join_replica(Session& session) {
  const config::Config& config = session.config;
  if (!has_replica(config)) return {};
  auto options = replica_options(config);
  if (!options) return options.error();
  auto lids = session.keeper->join(std::move(*options));
  if (!lids) return lids.error();
  session.remembered.insert(session.remembered.end(), lids->begin(), lids->end());
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
  if (session.config.partitions_managed) {
    auto managed = ManagedPartitionsFile(session.config.memory_file).read();
    if (managed.has_error()) return managed.error();
    session.managed = std::move(*managed);
  }
  if (is_durable(session.arguments, session.config)) open_keeper(session);
  const auto joined = join_partner(session);
  return joined.has_error() ? joined : join_replica(session);
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
  const auto shared = check_partners(arguments, settings.config);
  if (shared.has_error()) {
    complain(shared.error().message);
    return Exit::Config;
  }
  const auto log = Log::open(log_options(settings.config));
  if (log.has_error()) {
    complain(log.error().message);
    return Exit::Output;
  }
  Session session{arguments, settings.config, **log, {}, {}, {}};
  if (arguments.sources.opensm) {
    session.opensm_conf = std::make_shared<const std::string>(settings.opensm_conf);
  }
  (*log)->set_before_line([&session] { session.progress.clear(); });
  const auto prepared = prepare(session);
  if (prepared.has_error()) {
    complain(prepared.error().message);
    return Exit::Output;
  }
  // A single sweep is over before anybody could ask.
  if (!arguments.once) {
    // Even while there is no port: what was promised is in use when there is one again.
    session.api = ApiService::start(
        session.config,
        {session.managed, [&session](const api::UsePartitions& made) { use(session, made); }},
        session.loop, **log);
  }
  session.service.pass_on_to(session.api.get());
  session.service.ready();
  return run_prepared(session);
}

}  // namespace heddle::app
