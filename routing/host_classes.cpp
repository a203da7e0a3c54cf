// SPDX-License-Identifier: BSD-3-Clause
#include "routing/host_classes.hpp"

#include <algorithm>

namespace heddle::routing {
namespace {

std::vector<mad::Guid> sorted(std::vector<mad::Guid> guids) {
  std::sort(guids.begin(), guids.end());
  return guids;
}

bool has(const std::vector<mad::Guid>& guids, mad::Guid port) {
  return std::binary_search(guids.begin(), guids.end(), port);
}

}  // namespace

HostClasses::HostClasses(const Options& options)
    : compute_(sorted(options.compute_guids)), io_(sorted(options.io_guids)) {}

HostClass HostClasses::of(mad::Guid port) const {
  if (has(compute_, port)) return HostClass::Compute;
  if (has(io_, port)) return HostClass::Io;
  return compute_.empty() ? HostClass::Compute : HostClass::Other;
}

}  // namespace heddle::routing
