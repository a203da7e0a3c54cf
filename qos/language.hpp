// SPDX-License-Identifier: BSD-3-Clause
// The language of OpenSM's qos-policy.conf (docs/quality-of-service.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "qos/policy.hpp"

namespace heddle::qos {

struct Parsed {
  Policy policy;
  // What was understood and has no effect, each with `file_name:line:column:` in front.
  std::vector<std::string> notes;
};

// The whole file or nothing. An error begins with `file_name:line:column:`.
base::Result<Parsed> parse(std::string_view text, std::string_view file_name);

}  // namespace heddle::qos
