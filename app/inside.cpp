// SPDX-License-Identifier: BSD-3-Clause
#include "app/inside.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "doors/device/entrance.hpp"
#include "doors/device/private_mounts.hpp"

namespace heddle::app {

int become(doors::UniqueFd door, const Inside& inside) {
  const auto entered = doors::enter_private_mounts([&](doors::UniqueFd device) {
    return doors::ask_for_entry(door.get(), inside.at, std::move(device));
  });
  if (!entered) {
    complain(entered.error().message);
    return static_cast<int>(Exit::Taken);
  }
  setenv("HEDDLE_SIM", inside.fabric.c_str(), 1);
  setenv("HEDDLE_SIM_DIR", inside.directory.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : inside.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int reason = errno;
  complain(
      fmt::format("cannot run {}: {}", inside.command[0], std::generic_category().message(reason)));
  return reason == ENOENT ? kNotFound : kCannotRun;
}

}  // namespace heddle::app
