// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/parallel.hpp"
#include "app/session.hpp"
#include "app/sim_runner.hpp"
#include "app/sm_options.hpp"
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

std::string no_endpoint(const std::string& at) {
  if (at.empty()) return "the fabric has no host with a cable to put the subnet manager on";
  return fmt::format(
      "the fabric has no port '{}' a subnet manager could sit on; --at takes the name of a host or "
      "switch, with a colon and a port number if it has several ports",
      base::printable(at));
}

// Nodes of the plan that the subnet manager did not meet: in another island, or broken. It cannot
// know of them; whoever drew the plan does.
std::optional<std::string> left_alone(const std::vector<sim::PlannedNode>& planned,
                                      const std::shared_ptr<const sm::Snapshot>& met) {
  constexpr std::size_t kNamed = 3;
  std::size_t count = 0;
  std::string names;
  for (const sim::PlannedNode& node : planned) {
    if (met && met->topology.find_node(node.guid)) continue;
    if (++count <= kNamed) names += (names.empty() ? "" : ", ") + base::printable(node.name);
  }
  if (count == 0) return std::nullopt;
  return fmt::format(
      "{} of the fabric's {} nodes cannot be reached from the subnet manager and "
      "{} left alone: {}{}",
      count, planned.size(), count == 1 ? "is" : "are", names, count > kNamed ? ", ..." : "");
}

}  // namespace

Exit run_on_simulated_fabric(Session& session, sim::Blueprint blueprint) {
  const std::string title = blueprint.title;
  std::vector<std::string> remarks = blueprint.warnings;
  const std::vector<sim::PlannedNode> planned = blueprint.nodes;
  sim::WorldOptions world_options;
  world_options.seed = session.arguments.seed;
  sim::World world(std::move(blueprint), world_options);
  const auto endpoint = find_endpoint(world, session.arguments.at);
  if (!endpoint) {
    complain(no_endpoint(session.arguments.at));
    return Exit::Fabric;
  }
  watch_record(session);
  SimRunner runner(
      {std::move(world), *endpoint, machine_options(session), std::move(session.remembered),
       output_files(session), all_cores(), session.record.get(), &session.service,
       session.arguments.once ? MeterOptions{} : meter_options(session.config)},
      session.log, session.progress);
  const ChangeOptions change = [&runner](const sm::Options& options, OutputFiles files,
                                         MeterOptions meter) {
    runner.change_options(options, std::move(files), std::move(meter));
  };
  const Operated operated(
      session, title, [&runner](std::string reason) { runner.resweep(std::move(reason)); }, change,
      [&runner](const api::CareForLink& command) { runner.care(command); });
  Signals signals(session.loop, controls(
                                    session, [&runner] { runner.stop(); }, change));
  runner.bring_up(session.loop);
  if (runner.stopped()) return Exit::Ok;
  if (auto others = left_alone(planned, runner.performer().newest())) {
    session.log.say(sm::Severity::Warning, "NodesLeftAlone", *others);
    remarks.insert(remarks.begin(), std::move(*others));
  }
  const Exit outcome = tell(session, runner.performer(), runner.state(), title,
                            "wall time, simulated devices included", std::move(remarks));
  if (session.arguments.once) return outcome;
  std::cout << "Watching the simulated fabric; Ctrl-C ends it.\n" << std::flush;
  runner.keep_watch(session.loop);
  if (session.record) (void)session.record->file().is_whole();  // the log is told
  return Exit::Ok;
}

}  // namespace heddle::app
