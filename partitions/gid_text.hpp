// SPDX-License-Identifier: BSD-3-Clause
// GIDs as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mad/gid.hpp"

namespace heddle::partitions {

// Eight groups of hexadecimal digits, or fewer and one "::".
std::optional<mad::Gid> gid_of(std::string_view text);
// All eight groups.
std::string gid_text(const mad::Gid& gid);

}  // namespace heddle::partitions
