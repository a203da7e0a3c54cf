// SPDX-License-Identifier: BSD-3-Clause
// Requests in, answers out: a pure function of the request and of what is known. Whatever a
// request holds, it gets an answer, and the worst is a status of 4xx.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.hpp"
#include "api/state.hpp"

namespace heddle::api {

inline constexpr std::size_t kMaxTargetBytes = 2048;
inline constexpr std::size_t kMaxParameters = 16;
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;
// Rows of a table that are made at once: others are served in between.
inline constexpr std::size_t kRowsAtOnce = 256;

struct Target {
  std::vector<std::string> path;  // the words between slashes, decoded
  std::map<std::string, std::string> query;
};
// Nothing for what is no absolute path, is too long, or has an escape that is none.
std::optional<Target> parse_target(std::string_view text);

// One thing that may be asked.
struct Route {
  std::string_view method;
  std::string_view path;                // "/v1/nodes/{guid}"
  std::vector<std::string_view> query;  // the parameters that it knows
  Role least = Role::Reader;
  Response (*answer)(const State&, const Request&, const Target&);
};
std::span<const Route> routes();

Response handle(const Request& request, const State& state);

}  // namespace heddle::api
