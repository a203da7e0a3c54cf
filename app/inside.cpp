// SPDX-License-Identifier: BSD-3-Clause
#include "app/inside.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "doors/device/entrance.hpp"
#include "doors/device/private_mounts.hpp"
#include "doors/ring/ring_door.hpp"

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibrary = "libheddle-ring.so";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Beside this program in a build tree; installed, where libraries of packages are.
base::Result<std::string> ring_library() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {program / kLibrary, program / "../lib/heddle" / kLibrary}) {
    if (!fs::exists(place, error)) continue;
    return {boost::system::in_place_value, fs::weakly_canonical(place, error).string()};
  }
  return base::error(fmt::format("the ring door needs {}, which is neither in {} nor in {}",
                                 kLibrary, program.string(),
                                 (program / "../lib/heddle").lexically_normal().string()));
}

// The library stands in front of those that the program is to have anyway.
void preload(const std::string& library) {
  const std::string others = variable(kPreload);
  if (others.find(library) != others.npos) return;
  setenv(kPreload, (others.empty() ? library : library + ":" + others).c_str(), 1);
}

base::Result<> enter_by_ring(const doors::UniqueFd& door, const Inside& inside) {
  namespace ring = doors::ring;
  const auto library = ring_library();
  if (!library) return library.error();
  const auto tree = ring::ask_for_host(door.get(), inside.at);
  if (!tree) return tree.error();
  std::string place;
  for (const std::string& name : inside.at) place += name + "\n";
  preload(*library);
  setenv(ring::kSocketVariable, (inside.directory + "/" + inside.fabric + ".ring").c_str(), 1);
  setenv(ring::kTreeVariable, tree->c_str(), 1);
  setenv(ring::kPlaceVariable, place.c_str(), 1);
  return {};
}

base::Result<> enter_by_device(const doors::UniqueFd& door, const Inside& inside) {
  unsetenv(doors::ring::kTreeVariable);  // of a host that we come from: its library stands aside
  return doors::enter_private_mounts([&](doors::UniqueFd device) {
    return doors::ask_for_entry(door.get(), inside.at, std::move(device));
  });
}

}  // namespace

int become(doors::UniqueFd door, const Inside& inside) {
  const auto entered =
      inside.door == kRingDoor ? enter_by_ring(door, inside) : enter_by_device(door, inside);
  if (!entered) {
    complain(entered.error().message);
    return static_cast<int>(Exit::Taken);
  }
  setenv("HEDDLE_SIM", inside.fabric.c_str(), 1);
  setenv("HEDDLE_SIM_DIR", inside.directory.c_str(), 1);
  setenv("HEDDLE_SIM_DOOR", inside.door.c_str(), 1);
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
