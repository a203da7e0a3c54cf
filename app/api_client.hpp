// SPDX-License-Identifier: BSD-3-Clause
// Asks a running subnet manager over its Unix socket. Blocks; every wait has an end.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::app {

// Silence after which a subnet manager counts as gone.
inline constexpr std::chrono::seconds kApiPatience{30};

// `wanted`, or when it is empty $HEDDLE_SOCKET, or the one sm*.sock in the runtime directories that
// somebody listens on. An error when there is none, or more than one.
base::Result<std::filesystem::path> find_api_socket(const std::filesystem::path& wanted);

// Those in the runtime directories that somebody listens on.
std::vector<std::filesystem::path> api_sockets();

struct ApiAnswer {
  unsigned status = 0;
  std::string body;
  bool ok() const { return status >= 200 && status < 300; }
  // What an answer that is not ok says, for a person.
  std::string complaint() const;
};

// GET without a body, POST with one. The error says that nobody answers.
base::Result<ApiAnswer> ask_api(const std::filesystem::path& socket, std::string_view method,
                                const std::string& target, const std::string& body = {});

// Gives the text of an answer without an end to `take`, piece by piece, until it says false, or the
// other end is gone (an error). An answer that is not ok is returned whole.
base::Result<ApiAnswer> follow_api(const std::filesystem::path& socket, const std::string& target,
                                   const std::function<bool(std::string_view)>& take);

// A word as it stands in a target.
std::string escaped(std::string_view word);

}  // namespace heddle::app
