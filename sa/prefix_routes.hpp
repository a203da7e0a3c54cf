// SPDX-License-Identifier: BSD-3-Clause
// Which router leads to which other subnet: OpenSM's prefix-routes.conf. The specification leaves
// open how subnet administration should know. Each line holds a GID prefix and the GUID of a
// router's port, both in hexadecimal, the 0x may be left out; an asterisk stands for any. What
// follows a # is a comment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

// A file with more lines than that, empty ones included, is refused.
inline constexpr std::size_t kMaxPrefixRouteLines = 65536;

struct PrefixRoute {
  std::optional<mad::GidPrefix> prefix;  // none: any
  std::optional<mad::Guid> router;       // a port of one; none: any
  friend bool operator==(const PrefixRoute&, const PrefixRoute&) = default;
};

// In the order of the file: the first that matches and whose router is there counts.
using PrefixRoutes = std::vector<PrefixRoute>;

// An error begins with `file_name:line:column:`.
base::Result<PrefixRoutes> parse_prefix_routes(std::string_view text, std::string_view file_name);

// A file that means the same.
std::string to_text(const PrefixRoutes& routes);

}  // namespace heddle::sa
