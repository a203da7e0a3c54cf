// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands.hpp"
#include "app/inside.hpp"
#include "app/runtime_dir.hpp"
#include "doors/device/entrance.hpp"
#include "doors/ring/ring_door.hpp"

namespace heddle::app {

int run_sim_enter(const SimEnterArguments& arguments) {
  const auto directory = runtime_directory(arguments.directory);
  if (!directory) {
    complain(directory.error().message);
    return static_cast<int>(Exit::Taken);
  }
  const auto path = (std::filesystem::path(*directory) / arguments.name).string();
  auto door = arguments.door == kRingDoor ? doors::ring::connect_to(path + ".ring")
                                          : doors::connect_to(path + ".enter");
  if (!door) {
    complain(door.error().message);
    return static_cast<int>(Exit::Taken);
  }
  return become(std::move(*door),
                {arguments.at, arguments.command, arguments.name, *directory, arguments.door});
}

}  // namespace heddle::app
