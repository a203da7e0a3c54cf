// SPDX-License-Identifier: BSD-3-Clause
// Registrations as text, so that they outlive a restart. One line each: a word for what it is, then
// the record as it is on the wire, in hexadecimal, and what the record does not say.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sa/registrations.hpp"

namespace heddle::sa {

// Leases are written as what is left of them.
std::string to_text(const Registrations& registrations, base::Instant now);

// What was remembered; an error names the line. Nothing of a text that is not whole is used: it
// would be taken for all there was. Time that passed in between counts for no lease.
base::Result<Registrations> parse_registrations(std::string_view text, base::Instant now);

}  // namespace heddle::sa
