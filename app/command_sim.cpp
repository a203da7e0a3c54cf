// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "api/console_door.hpp"
#include "app/commands.hpp"
#include "app/console.hpp"
#include "app/controls.hpp"
#include "app/fabric_options.hpp"
#include "app/mad_record.hpp"
#include "app/runtime_dir.hpp"
#include "app/start_script.hpp"
#include "app/text.hpp"
#include "app/world_options.hpp"
#include "doors/control/channel.hpp"
#include "doors/control/script.hpp"
#include "doors/device/device_door.hpp"
#include "doors/fabric_host.hpp"
#include "doors/ibsim/server.hpp"
#include "sim/blueprint.hpp"
#include "sim/devices.hpp"

namespace heddle::app {
namespace {

namespace control = doors::control;
namespace ibsim = doors::ibsim;

std::string name_of(const SimArguments& arguments) {
  if (!arguments.name.empty()) return arguments.name;
  const char* name = std::getenv("IBSIM_SOCKNAME");
  return name != nullptr && *name != '\0' ? name : "sim";
}

// A socket for each client: as many as this process may have.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void say(const std::string& line) {
  std::cerr << line << (line.ends_with('\n') ? "" : "\n") << std::flush;
}

// A fabric with everything that leads into it.
struct Running {
  explicit Running(sim::World world) : host(loop, std::move(world)) {}

  boost::asio::io_context loop{1};
  doors::FabricHost host;
  std::unique_ptr<MadRecord> record;
  std::unique_ptr<ibsim::Server> server;
  std::unique_ptr<control::Channel> channel;
  std::unique_ptr<doors::DeviceDoor> device_door;
  std::unique_ptr<control::ScriptRunner> script;
  std::unique_ptr<Console> console;

  control::Context context() {
    return {host, server.get(), [this] { loop.stop(); }};
  }
};

// The doors, or why they cannot be opened.
base::Result<> open_doors(Running& running, const SimArguments& arguments) {
  const std::string name = name_of(arguments);
  const auto directory = runtime_directory(arguments.directory);
  if (directory.has_error()) return directory.error();
  const std::filesystem::path place = *directory;
  auto server = ibsim::Server::start(running.loop, running.host,
                                     {arguments.socket_name.empty() ? name : arguments.socket_name,
                                      arguments.listen, arguments.attention},
                                     [quiet = arguments.quiet](const std::string& line) {
                                       if (!quiet) say(line);
                                     });
  if (server.has_error()) return server.error();
  running.server = std::move(*server);
  auto channel = control::Channel::listen(running.loop, place / (name + ".ctl"), running.context());
  if (channel.has_error()) return channel.error();
  running.channel = std::move(*channel);
  running.device_door = std::make_unique<doors::DeviceDoor>(running.loop, running.host);
  // `heddle sim enter` comes in here. The fabric is worth having without it.
  auto enters = running.device_door->listen(place / (name + ".enter"));
  if (enters) enters = running.device_door->rings().listen(place, name);
  if (enters.has_error()) say(enters.error().message);
  return {};
}

void greet(const Running& running, const SimArguments& arguments) {
  const sim::Devices& devices = running.host.world().devices();
  const std::string name = name_of(arguments);
  const std::string base = arguments.socket_name.empty() ? name : arguments.socket_name;
  const std::size_t switches = devices.switches.size();
  std::cout << fmt::format("{}: {} and {} run as '{}'\n", devices.plan.title,
                           counted(devices.nodes.size() - switches, "host", "hosts"),
                           counted(switches, "switch", "switches"), name);
  const auto first = running.host.world().default_endpoint();
  if (first) {
    std::cout << fmt::format(
        "  IBSIM_SOCKNAME={} SIM_HOST='{}' LD_PRELOAD=libumad2sim.so COMMAND\n", base,
        devices.plan.nodes[devices.lines[*first].node].name);
  }
  if (const auto udp = running.server->udp_address()) {
    std::cout << fmt::format("  by UDP on {}: IBSIM_SERVER_NAME, IBSIM_SERVER_PORT\n", *udp);
  }
  std::cout << fmt::format("  heddle sim enter {} -- COMMAND\n  heddle sim ctl {} help\n", name,
                           name)
            << std::flush;
}

void part(Running& running) {
  auto context = running.context();
  const control::Outcome outcome = control::run_line(context, "status");
  std::cout << outcome.text << std::flush;
}

}  // namespace

Exit run_sim(const SimArguments& arguments) {
  raise_file_limit();
  auto blueprint = sim::load_fabric(arguments.fabric, fabric_load_options(arguments.ibnl));
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  for (const std::string& warning : blueprint->warnings) {
    if (!arguments.quiet) say(warning);
  }
  Running running(sim::World(std::move(*blueprint), world_options(arguments)));
  running.host.set_pace(doors::parse_pace(arguments.time).value_or(doors::Pace{}));
  if (!arguments.record.empty()) {
    running.record = MadRecord::open(arguments, running.host, complain);
    if (!running.record) {
      complain(fmt::format("cannot write {}", arguments.record.string()));
      return Exit::Output;
    }
  }
  const auto opened = open_doors(running, arguments);
  if (opened.has_error()) {
    complain(opened.error().message);
    return Exit::Taken;
  }
  Signals signals(running.loop, {[&running] { running.loop.stop(); }, [] {}, [] {}});
  if (!arguments.quiet) greet(running, arguments);
  if (!arguments.script.empty()) {
    auto script = start_script(running.context(), arguments.script);
    if (script.has_error()) {
      complain(script.error().message);
      return Exit::Usage;
    }
    running.script = std::move(*script);
  }
  const bool has_terminal = !api::terminal_is_anothers() && ::isatty(STDIN_FILENO) != 0;
  if (arguments.console || has_terminal) {
    running.console = std::make_unique<Console>(running.loop, running.context());
  }
  running.loop.run();
  running.device_door->end_programs();
  if (!arguments.quiet) part(running);
  return running.record && !running.record->is_whole() ? Exit::Output : Exit::Ok;
}

Exit run_sim_ctl(const SimCtlArguments& arguments) {
  const auto directory = runtime_directory(arguments.directory);
  if (directory.has_error()) {
    complain(directory.error().message);
    return Exit::Taken;
  }
  // Verbs of two words may come as one or as two: the line is read again at the other end.
  std::string line;
  for (const std::string& word : arguments.words) {
    const bool spaced = arguments.words.size() > 1 && word.find_first_of(" \t[]#\"") != word.npos;
    line += (line.empty() ? "" : " ") + (spaced ? control::join_words({word}) : word);
  }
  const nlohmann::json request{{"line", line}};
  const auto answer =
      control::ask(std::filesystem::path(*directory) / (arguments.name + ".ctl"),
                   request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (answer.has_error()) {
    complain(answer.error().message);
    return Exit::Taken;
  }
  const auto value = nlohmann::json::parse(*answer, nullptr, false);
  const bool done = value.is_object() && value.value("ok", false);
  if (arguments.json) {
    std::cout << *answer << "\n";
  } else {
    std::cout << (value.is_object() ? value.value("text", "") : "");
    if (!done) complain(value.is_object() ? value.value("error", "?") : "no answer to understand");
  }
  return done ? Exit::Ok : Exit::Usage;
}

}  // namespace heddle::app
