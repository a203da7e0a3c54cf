// SPDX-License-Identifier: BSD-3-Clause
// Registrations in a form that outlives a restart: as records (base/record.hpp), each named by its
// kind and by what identifies it; or all of them as text, one line each: the kind, then the record
// as it is on the wire, in hexadecimal, and what the record does not say.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/record.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "sa/registrations.hpp"

namespace heddle::sa {

// All of them; leases as what is left of them.
std::vector<base::Record> to_records(const Registrations& registrations, base::Instant now);

// Whether take_changes() shall know what has changed; from now on, if so.
void watch_changes(Registrations& registrations, bool wanted);
// Those that came, went or became others since the last call, each once, by name.
std::vector<base::Record> take_changes(Registrations& registrations, base::Instant now);

// The records' text; those without a value are left out.
std::string to_text(std::span<const base::Record> records);
std::string to_text(const Registrations& registrations, base::Instant now);

// What was remembered; an error names the line. Nothing of a text that is not whole is used: it
// would be taken for all there was. A service whose line ends in a number has been there for so
// many seconds of its lease; time that nobody counted counts for none.
base::Result<Registrations> parse_registrations(std::string_view text, base::Instant now);

}  // namespace heddle::sa
