// SPDX-License-Identifier: BSD-3-Clause
// From one sweep to the next: what came, what went, and the picture that is published.
#pragma once

#include <memory>

#include "sm/context.hpp"
#include "sm/snapshot.hpp"

namespace heddle::sm {

// Says which nodes and links appeared or disappeared since `before`.
void report_differences(Context& context, const Picture& before);

std::shared_ptr<const Snapshot> take_picture(const Picture& picture,
                                             const SweepStatistics& statistics,
                                             const Options& options);

}  // namespace heddle::sm
