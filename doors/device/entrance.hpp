// SPDX-License-Identifier: BSD-3-Clause
// What a process that wants to be on a simulated host and the fabric say to each other, over a
// Unix stream socket: the request with the mounted /dev/fuse, then "ok" or a sentence why not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "doors/device/unique_fd.hpp"

namespace heddle::doors {

struct EntryRequest {
  std::vector<std::string> at;  // as plan_host takes it
  UniqueFd device;
};

inline constexpr std::size_t kMaxEntryBytes = 16 * 1024;

// Blocking, for the process that enters. The error is the fabric's own sentence.
base::Result<> ask_for_entry(int socket, const std::vector<std::string>& at, UniqueFd device);

// The fabric's side, which never waits: what has come so far goes into `so_far` and `device`.
// Nothing while something is missing; an error when it cannot become a request any more.
base::Result<std::optional<EntryRequest>> read_entry(int socket, std::string& so_far,
                                                     UniqueFd& device);

// The names in a request's bytes, without its end mark.
std::vector<std::string> names_of(const std::string& bytes);

base::Result<UniqueFd> connect_to(const std::filesystem::path& path);

}  // namespace heddle::doors
