// SPDX-License-Identifier: BSD-3-Clause
#include "app/session.hpp"

#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "app/managed_partitions.hpp"
#include "app/sm_options.hpp"
#include "app/summary.hpp"

namespace heddle::app {
namespace {

void reopen_log(Log& log) {
  const auto reopened = log.reopen();
  if (reopened.has_error()) log.say(sm::Severity::Error, "LogKept", reopened.error().message);
}

// A file that became wrong must not take the fabric down.
void read_again(Session& session, const ChangeOptions& change) {
  const Settings settings = read_settings(session.arguments.sources);
  session.config_refused = settings.problems;
  for (const std::string& problem : settings.problems) {
    session.log.say(sm::Severity::Error, "ConfigRefused", problem);
  }
  if (!settings.problems.empty()) {
    session.log.say(sm::Severity::Error, "ConfigKept", "The configuration in use stays as it was");
    return;
  }
  if (settings.config.shadow != session.config.shadow) {
    session.log.say(
        sm::Severity::Warning, "ShadowKept",
        "Whether this subnet manager only watches stays as it is until it is restarted");
  }
  session.config = settings.config;
  if (session.reassigned) session.config.reassign = false;
  if (session.opensm_conf) {
    session.opensm_conf = std::make_shared<const std::string>(settings.opensm_conf);
  }
  const auto reopened = session.log.reopen(log_options(settings.config));
  if (reopened.has_error()) {
    session.log.say(sm::Severity::Error, "LogKept", reopened.error().message);
  }
  session.log.say(sm::Severity::Info, "ConfigRead",
                  "The configuration was read again; a sweep begins");
  const sm::Options options = machine_options(session);
  change(options, output_files(session), meter_options(settings.config));
}

api::ToldInOpensm told_in_opensm(const Session& session) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const config::Config& config = session.config;
  return {duration_cast<seconds>(config.interval),
          config.performance_enabled,
          duration_cast<seconds>(config.performance_interval),
          config.performance_window,
          config.log_level,
          session.opensm_conf};
}

api::Seat seat_of(const Session& session, const std::string& fabric) {
  const std::string& metrics = session.config.performance_metrics;
  const auto ports = metrics == "all"    ? api::PortMetrics::All
                     : metrics == "none" ? api::PortMetrics::None
                                         : api::PortMetrics::NonZero;
  const api::Guards guards{session.config.sm_key != sm::kPublicSMKey.value,
                           session.config.m_key != 0, session.config.m_key_per_port};
  return {fabric,
          session.config.priority,
          routing_options_text(session.config),
          ports,
          guards,
          told_in_opensm(session),
          troubles(session)};
}

void reload(Session& session, const ChangeOptions& change) {
  session.service.reloading();
  read_again(session, change);
  if (session.sit_again) session.sit_again();
  session.service.reloaded();
}

}  // namespace

sm::Options machine_options(Session& session) {
  sm::Options options = to_sm_options(session.config);
  NamedFiles& files = session.files;
  session.file_partitions = files.partitions.read(session.config, session.log);
  options.partitions = session.file_partitions;
  if (session.managed) {
    options.partitions = partitions::with_managed(std::move(options.partitions), *session.managed);
  }
  options.qos_policy = files.qos_policy.read(session.config, session.log);
  options.partitions = with_levels(std::move(options.partitions), options.qos_policy.get());
  options.prefix_routes = files.prefix_routes.read(session.config, session.log);
  files.routing.read(session.config, session.log, options.routing.options);
  if (session.api) session.api->route_by(options.routing);
  session.node_names = files.node_names.read(session.config, session.log);
  options.durable = session.keeper != nullptr;
  session.latest = options;
  return options;
}

std::vector<std::string> troubles(const Session& session) {
  std::vector<std::string> all = session.config_refused;
  for (std::string& one : session.files.troubles()) all.push_back(std::move(one));
  return all;
}

OutputFiles output_files(const Session& session) {
  return {session.config.memory_file, session.config.dump_dir, session.node_names};
}

void take_over(Session& session, std::shared_ptr<const partitions::Managed> managed) {
  session.managed = std::move(managed);
  session.log.say(
      sm::Severity::Info, "PartitionsTold",
      fmt::format("The master has partitions of generation {}", session.managed->generation));
  if (session.api) {
    session.api->take_over(session.managed);  // keeps them too, and off this thread
  } else if (const auto saved =
                 ManagedPartitionsFile(session.config.memory_file).save(*session.managed);
             saved.has_error()) {
    session.log.say(sm::Severity::Error, "PartitionsNotKept", saved.error().message);
  }
  if (session.managed_changed) session.managed_changed();
}

void use(Session& session, const api::UsePartitions& made) {
  const bool is_ours = session.keeper == nullptr || session.keeper->says_partitions();
  if (made.before != session.managed || !is_ours) {
    session.log.say(sm::Severity::Warning, "PartitionsOvertaken",
                    fmt::format("Another subnet manager has become master: partitions of "
                                "generation {}, which a program made here just before, are void",
                                made.partitions->generation));
    // There they stand already.
    if (session.api) session.api->take_over(session.managed);
    return;
  }
  session.managed = made.partitions;
  if (session.keeper) session.keeper->store(session.managed);
  if (session.managed_changed) session.managed_changed();
}

Controls controls(Session& session, std::function<void()> stop, ChangeOptions change) {
  const auto leave = [&session, stop = std::move(stop)] {
    session.service.stopping();
    stop();
  };
  return {leave, [&session, change = std::move(change)] { reload(session, change); },
          [&session] { reopen_log(session.log); }};
}

Operated::Operated(Session& session, std::string fabric, std::function<void(std::string)> resweep,
                   ChangeOptions change, Care care)
    : session_(session) {
  // The administrator's file is not read again for it.
  session.managed_changed = [&session, change] {
    auto whole = partitions::with_managed(session.file_partitions, *session.managed);
    session.latest.partitions = with_levels(std::move(whole), session.latest.qos_policy.get());
    change(session.latest, output_files(session), meter_options(session.config));
  };
  if (!session.api) return;
  session.sit_again = [&session, fabric] { session.api->sit(seat_of(session, fabric)); };
  session.sit_again();
  session.api->set_operator([&session, resweep = std::move(resweep), change = std::move(change),
                             care = std::move(care)](const api::Command& command) {
    if (const auto* wanted = std::get_if<api::Resweep>(&command)) {
      resweep(wanted->reason);
    } else if (const auto* level = std::get_if<api::SetLogLevel>(&command)) {
      session.config.log_level = level->level;
      const auto reopened = session.log.reopen(log_options(session.config));
      if (reopened.has_error()) {
        session.log.say(sm::Severity::Error, "LogKept", reopened.error().message);
      }
      session.sit_again();
    } else if (const auto* rank = std::get_if<api::SetPriority>(&command)) {
      // All else stays as it was read: files may be half written just now.
      session.config.priority = rank->priority;
      session.latest.priority = static_cast<std::uint8_t>(rank->priority);
      if (rank->gives_up_office) session.latest.sticky_master = false;
      change(session.latest, output_files(session), meter_options(session.config));
      session.sit_again();
    } else if (const auto* link = std::get_if<api::CareForLink>(&command)) {
      care(*link);
    } else if (std::holds_alternative<api::Reload>(command)) {
      reload(session, change);
    }
  });
}

Operated::~Operated() {
  session_.managed_changed = {};
  if (session_.api) session_.api->set_operator({});
}

void watch_record(Session& session) {
  if (!session.record) return;
  session.record->file().set_warn([&log = session.log](const std::string& sentence) {
    log.say(sm::Severity::Warning, "RecordNotWritten", sentence);
  });
}

Exit tell(const Session& session, const Performer& performer, mad::SMState state, std::string title,
          std::string_view times_are, std::vector<std::string> remarks) {
  if (performer.newest() == nullptr) {
    complain("the first sweep was not finished; nothing is known about the fabric");
    return Exit::Problems;
  }
  const bool recorded = session.record == nullptr || session.record->file().is_whole();
  const sm::Snapshot& snapshot = *performer.newest();
  const auto wrong = troubles(session);
  std::cout << summary_text({std::move(title), snapshot, performer.times(), state, times_are,
                             std::move(remarks), wrong})
            << std::flush;
  if (!recorded) return Exit::Output;
  if (!wrong.empty()) return Exit::Problems;
  if (snapshot.shadow) {
    const bool stays = snapshot.shadow->sets() == snapshot.shadow->of_the_office;
    return stays ? Exit::Ok : Exit::Problems;
  }
  return wholly_up(snapshot, state) ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
