// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_routing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/commands.hpp"
#include "app/plan_doubts.hpp"
#include "app/routing_files.hpp"
#include "app/sm_options.hpp"
#include "base/text.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "fabric/verification.hpp"

namespace heddle::app {
namespace {

double seconds_since(base::Instant begin) {
  return std::chrono::duration<double>(steady_now() - begin).count();
}

std::string check_engine(const std::string& name) {
  if (routing::find_engine(name) != nullptr) return {};
  return fmt::format("'{}' is no routing engine; there are {}", name,
                     CLI::detail::join(all_engines(), ", "));
}

// Engines and numbers that have a name of their own here, and what makes no tables.
bool has_own_name(const config::Option& option) {
  constexpr std::array kNamed{"engines", "max_vls", "root_guids", "keep_on_takeover"};
  return std::find(kNamed.begin(), kNamed.end(), option.key) != kNamed.end();
}

std::string dashed(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string check_value(const config::Option& option, const std::string& text) {
  config::Config scratch;
  const auto stored = config::store_from_command_line(scratch, option, text);
  return stored.has_error() ? fmt::format("{}, not '{}'", stored.error().message, text)
                            : std::string();
}

// --port-shifting for what is off, --no-fallback for what is on.
void add_switch(CLI::App& command, const config::Option& option, PlanRouting& routing) {
  const bool usual = config::text_of(config::Config{}, option) == "true";
  const auto turn = [&routing, &option, usual] {
    routing.said.emplace_back(
        [&option, usual](config::Config& config) { (void)store_flag(config, option, !usual); });
  };
  command.add_flag_callback(fmt::format("--{}{}", usual ? "no-" : "", dashed(option.key)), turn,
                            fmt::format("{}[routing] {} = {}", usual ? "As " : "", option.key,
                                        usual ? "false" : "true: ") +
                                (usual ? std::string() : std::string(option.meaning)));
}

void add_value(CLI::App& command, const config::Option& option, PlanRouting& routing) {
  const auto take = [&routing, &option](const std::string& text) {
    routing.said.emplace_back([&option, text](config::Config& config) {
      (void)config::store_from_command_line(config, option, text);
    });
  };
  const bool is_file = std::holds_alternative<std::string config::Config::*>(option.member);
  auto* added =
      command
          .add_option_function<std::string>("--" + dashed(option.key), take,
                                            std::string(option.meaning))
          ->option_text(is_file ? "FILE" : "N")
          ->check([&option](const std::string& text) { return check_value(option, text); });
  if (is_file) added->check(CLI::ExistingFile);
}

void add_other_options(CLI::App& command, PlanRouting& routing) {
  for (const config::Option& option : config::options()) {
    if (option.section != "routing" || has_own_name(option)) continue;
    const bool is_switch = std::holds_alternative<bool config::Config::*>(option.member);
    is_switch ? add_switch(command, option, routing) : add_value(command, option, routing);
    command.get_options().back()->group("Options as in [routing] of heddle.toml");
  }
}

// The engine "file" is nothing without one.
base::Result<> check_engines(const config::Config& config) {
  const auto& engines = config.engines;
  const bool wants = std::find(engines.begin(), engines.end(), "file") != engines.end();
  if (!wants || !config.lft_file.empty() || !config.lid_matrix_file.empty()) return {};
  return base::error("the engine 'file' needs --lft-file or --lid-matrix-file");
}

std::string check_guid(const std::string& text) {
  return base::parse_hex(text) ? std::string()
                               : fmt::format("'{}' is no GUID (16 hexadecimal digits)", text);
}

}  // namespace

std::vector<std::string> all_engines() {
  std::vector<std::string> names;
  for (const routing::Engine* engine : routing::engines()) {
    if (engine->name() != "file") names.emplace_back(engine->name());
  }
  return names;
}

std::string engine_list() {
  std::string list;
  for (const routing::Engine* engine : routing::engines()) {
    list += fmt::format("  {:<10} {}\n", engine->name(), engine->summary());
  }
  return list;
}

void add_plan_routing(CLI::App& command, PlanRouting& routing, const std::string& usual) {
  command
      .add_option("--config", routing.file,
                  "Route as the subnet manager with this file: its [routing] and lids.lmc")
      ->option_text("FILE")
      ->check(CLI::ExistingFile);
  const auto take_engines = [&routing](const std::vector<std::string>& names) {
    routing.said.emplace_back([names](config::Config& config) { config.engines = names; });
  };
  command
      .add_option_function<std::vector<std::string>>("--routing", take_engines,
                                                     "Routing engines, separated by commas")
      ->option_text(fmt::format("LIST [{}]", usual))
      ->delimiter(',')
      ->check(check_engine);
  const auto take_roots = [&routing](const std::vector<std::string>& words) {
    std::vector<std::uint64_t> guids;
    for (const std::string& word : words) guids.push_back(*base::parse_hex(word));
    routing.said.emplace_back([guids](config::Config& config) { config.root_guids = guids; });
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--roots", take_roots, "Node GUIDs of a tree's top switches, separated by commas")
      ->option_text("GUIDS [found]")
      ->delimiter(',')
      ->check(check_guid);
  const auto take_lmc = [&routing](const std::uint32_t& lmc) {
    routing.said.emplace_back([lmc](config::Config& config) { config.lmc = lmc; });
  };
  command.add_option_function<std::uint32_t>("--lmc", take_lmc, "Give each host port 2^N LIDs")
      ->option_text("N [0; live: as it is]")
      ->check(CLI::Range(0, 7));
  const auto take_vls = [&routing](const std::uint32_t& vls) {
    routing.said.emplace_back([vls](config::Config& config) { config.max_vls = vls; });
  };
  command
      .add_option_function<std::uint32_t>(
          "--vls", take_vls, "Data VLs that engines may use, if all switches have them")
      ->option_text(fmt::format("N [{}]", routing.usual.max_vls))
      ->check(CLI::Range(1, 15));
  add_other_options(command, routing);
}

void check_plan_routing(const PlanRouting& routing) {
  if (!routing.file.empty()) return;  // its engines and files are not known yet
  const auto config = settle(routing, std::nullopt);
  if (config.has_error()) throw CLI::ValidationError("--routing", config.error().message);
}

base::Result<config::Config> settle(const PlanRouting& routing,
                                    const std::optional<std::string>& live) {
  config::Loaded loaded{routing.usual, {}};
  if (!routing.file.empty()) {
    loaded = config::load(routing.file, vocabulary());
  } else if (live) {
    loaded = config::parse(*live, "options of the subnet manager", vocabulary());
  }
  if (!loaded.problems.empty()) return base::error(config::text_of(loaded.problems.front()));
  for (const auto& say : routing.said) say(loaded.config);
  const auto engines = check_engines(loaded.config);
  if (engines.has_error()) return engines.error();
  return {boost::system::in_place_value, std::move(loaded.config)};
}

base::Result<routing::Policy> policy_of(const config::Config& config, const PlannedFabric& fabric) {
  routing::Policy policy = to_sm_options(config).routing;
  policy.max_vls = std::min({policy.max_vls, config.data_vls, fabric.data_vls});
  RoutingFiles files;
  const auto refused = files.read(config, policy.options);
  if (!refused.empty()) return refused.front();
  return policy;
}

base::Result<Prepared> prepare(const PlanInput& input, const PlanRouting& routing,
                               PlanProgress& progress) {
  Prepared prepared;
  auto loaded = load_plan_input(input, progress);
  if (loaded.has_error()) return loaded.error();
  prepared.blueprint = std::move(loaded->blueprint);
  prepared.live = std::move(loaded->live);
  const auto config =
      settle(routing, prepared.live ? std::optional(prepared.live->options) : std::nullopt);
  if (config.has_error()) return config.error();
  auto fabric = plan_fabric(prepared.blueprint, static_cast<std::uint8_t>(config->lmc),
                            config->lmc_on_enhanced_port0);
  if (fabric.has_error()) return fabric.error();
  prepared.fabric = *std::move(fabric);
  prepared.warnings = prepared.blueprint.warnings;
  progress.clear();
  for (std::string& doubt : doubts_of(prepared.blueprint, prepared.fabric)) {
    complain(doubt);
    prepared.warnings.push_back(std::move(doubt));
  }
  auto policy = policy_of(*config, prepared.fabric);
  if (policy.has_error()) return policy.error();
  prepared.policy = *std::move(policy);
  return {boost::system::in_place_value, std::move(prepared)};
}

bool keeps_lids(const Prepared& prepared) {
  const auto& topology = prepared.fabric.topology;
  for (const sim::PlannedNode& node : prepared.blueprint.nodes) {
    const auto index = topology.find_node(node.guid);
    for (std::size_t p = 0; index && p < node.ports.size(); ++p) {
      const sim::PlannedPort& held = node.ports[p];
      const auto port = topology.port_of(*index, mad::PortNumber{static_cast<std::uint8_t>(p)});
      const auto range = prepared.fabric.lids.range(port);
      if (held.lid != mad::kNoLid && (range.base != held.lid || range.lmc != held.lmc))
        return false;
    }
  }
  return true;
}

void note_standing(Prepared& prepared, const fabric::Topology& topology,
                   const fabric::ForwardingTables& tables, PlanProgress& progress) {
  const auto standing = prepared.live ? standing_tables(*prepared.live, topology) : std::nullopt;
  if (!standing) return;
  std::size_t different = 0;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    for (std::uint32_t lid = 1; lid < tables.row_size(); ++lid) {
      const mad::Lid to{static_cast<std::uint16_t>(lid)};
      const auto planned = tables.out_port(fabric::SwitchIndex{s}, to);
      different += planned != standing->out_port(fabric::SwitchIndex{s}, to) ? 1u : 0u;
    }
  }
  if (different == 0) return;
  prepared.warnings.push_back(fmt::format(
      "{} entries that stand in the switches are not those that would be computed now (after "
      "losses the subnet manager keeps what it can): changes are told against the latter",
      different));
  progress.clear();
  complain(prepared.warnings.back());
}

std::optional<routing::Routes> EngineTrials::route(plan::Verdict& verdict,
                                                   const base::ParallelFor& parallel) const {
  progress_.begin("routing with " + verdict.engine);
  const auto begin = steady_now();
  auto routes = routing::find_engine(verdict.engine)
                    ->route({fabric_.topology, fabric_.lids, policy_.options, parallel,
                             policy_.max_vls, policy_.cover_replies});
  if (routes.has_error()) {
    verdict.reason = routes.error().message;
    return std::nullopt;
  }
  verdict.seconds = seconds_since(begin);
  prove(*routes, verdict, parallel);
  return *std::move(routes);
}

void EngineTrials::prove(const routing::Routes& routes, plan::Verdict& verdict,
                         const base::ParallelFor& parallel) const {
  verdict.vls = routes.lanes.vls;
  verdict.notes = routes.notes;
  if (!routes.engine.empty() && routes.engine != verdict.engine) {
    verdict.notes.insert(verdict.notes.begin(),
                         fmt::format("tables of the engine {}", routes.engine));
  }
  progress_.begin("proving the tables of " + verdict.engine);
  const auto begin = steady_now();
  const auto proof =
      fabric::verify(fabric_.topology, fabric_.lids, routes.tables, routes.lanes, parallel);
  verdict.verify_seconds = seconds_since(begin);
  const auto reason = routing::objection(fabric_.topology, policy_, routes.lanes, proof);
  verdict.certified = !reason;
  verdict.reason = reason.value_or("");
}

}  // namespace heddle::app
