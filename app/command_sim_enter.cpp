// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands.hpp"
#include "app/inside.hpp"
#include "app/runtime_dir.hpp"
#include "doors/device/entrance.hpp"

namespace heddle::app {

int run_sim_enter(const SimEnterArguments& arguments) {
  const auto directory = runtime_directory(arguments.directory);
  if (!directory) {
    complain(directory.error().message);
    return static_cast<int>(Exit::Taken);
  }
  auto door = doors::connect_to(std::filesystem::path(*directory) / (arguments.name + ".enter"));
  if (!door) {
    complain(door.error().message);
    return static_cast<int>(Exit::Taken);
  }
  return become(std::move(*door), {arguments.at, arguments.command, arguments.name, *directory});
}

}  // namespace heddle::app
