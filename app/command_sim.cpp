// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <iostream>
#include <string>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "app/commands.hpp"
#include "app/controls.hpp"
#include "app/runtime_dir.hpp"
#include "app/text.hpp"
#include "doors/device/device_door.hpp"
#include "doors/fabric_host.hpp"
#include "doors/ibsim/server.hpp"
#include "sim/blueprint.hpp"
#include "sim/devices.hpp"

namespace heddle::app {
namespace {

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

sim::WorldOptions world_options(const SimArguments& arguments) {
  sim::WorldOptions options;
  options.seed = arguments.seed;
  options.hop_delay = arguments.hop_delay;
  options.agent_delay = arguments.agent_delay;
  options.loss = arguments.loss;
  return options;
}

// `heddle sim enter` comes in here. The fabric is worth having without it.
void open_device_door(doors::DeviceDoor& door, const SimArguments& arguments) {
  const auto directory = runtime_directory(arguments.directory);
  if (!directory) return complain(directory.error().message);
  const auto path = std::filesystem::path(*directory) / (name_of(arguments) + ".enter");
  if (const auto listens = door.listen(path); !listens) complain(listens.error().message);
}

}  // namespace

Exit run_sim(const SimArguments& arguments) {
  raise_file_limit();
  auto blueprint = sim::load_fabric(arguments.fabric);
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  boost::asio::io_context loop{1};
  doors::FabricHost host(loop, sim::World(std::move(*blueprint), world_options(arguments)));
  const doors::ibsim::ServerOptions server_options{
      arguments.socket_name.empty() ? name_of(arguments) : arguments.socket_name, arguments.listen};
  auto server = doors::ibsim::Server::start(
      loop, host, server_options, [](const std::string& line) { std::cerr << line << "\n"; });
  if (server.has_error()) {
    complain(server.error().message);
    return Exit::Taken;
  }
  doors::DeviceDoor door(loop, host);
  open_device_door(door, arguments);
  const auto stop = [&loop] { loop.stop(); };
  Signals signals(loop, {stop, [] {}, [] {}});
  loop.run();
  return Exit::Ok;
}

Exit run_sim_ctl(const SimCtlArguments&) {
  complain("'heddle sim ctl' is not there yet");
  return Exit::Internal;
}

}  // namespace heddle::app
