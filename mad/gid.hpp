// SPDX-License-Identifier: BSD-3-Clause
// Global identifier (IBA vol. 1, 4.1.1): a subnet prefix and a port GUID, or a multicast group.
#pragma once

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct Gid {
  GidPrefix prefix{};
  Guid guid{};
  friend bool operator==(const Gid&, const Gid&) = default;
};

template <>
struct Layout<Gid> {
  static constexpr std::string_view name = "GID";
  static constexpr unsigned bits = 128;
  static constexpr auto rows = base::Pack{
      row<&Gid::prefix, 0, 64>("GidPrefix"),
      row<&Gid::guid, 64, 64>("GUID"),
  };
};

}  // namespace heddle::mad
