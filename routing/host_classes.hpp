// SPDX-License-Identifier: BSD-3-Clause
// Compute nodes and I/O nodes, as the operator named them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mad/types.hpp"
#include "routing/engine.hpp"

namespace heddle::routing {

enum class HostClass : std::uint8_t { Compute, Io, Other };
inline constexpr std::size_t kHostClasses = 3;

class HostClasses {
 public:
  explicit HostClasses(const Options& options);

  bool none_named() const { return compute_.empty() && io_.empty(); }
  // With compute nodes named, all that is not named is Other; with I/O nodes named alone, Compute.
  HostClass of(mad::Guid port) const;

 private:
  std::vector<mad::Guid> compute_, io_;  // rising
};

}  // namespace heddle::routing
