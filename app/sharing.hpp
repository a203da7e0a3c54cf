// SPDX-License-Identifier: BSD-3-Clause
// What the configuration says of those that this manager shares its memory with, a standby or a
// replicated store, and the files that it names for them.
#pragma once

#include "app/partner_link.hpp"
#include "app/replica.hpp"
#include "base/result.hpp"
#include "config/config.hpp"

namespace heddle::app {

bool has_partner(const config::Config& config);
bool has_replica(const config::Config& config);

// Both read files.
base::Result<PartnerKeys> partner_keys(const config::Config& config);
base::Result<Replica::Options> replica_options(const config::Config& config);

// What would keep a manager from starting, as far as it can be seen without one: everything but
// whether its address can be listened on. Reads files; asks nobody.
base::Result<void> check_sharing(const config::Config& config);

}  // namespace heddle::app
