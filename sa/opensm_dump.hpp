// SPDX-License-Identifier: BSD-3-Clause
// Registrations as OpenSM writes them down (opensm-sa.dump, with sa_db_dump) and reads them again
// (sa_db_file): one line each, of alias GUIDs, groups with their members, subscriptions, services.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sa/registrations.hpp"

namespace heddle::sa {

// Whether this is such a file, by the first line that says anything.
bool is_opensm_dump(std::string_view text);

// `wall`: seconds since 1970; leases have gone on since the file was written. An error
// begins with "title:line:column: " and says what would be right there; nothing of such a file is
// used. The dump does not tell who was trusted: nobody is.
base::Result<Registrations> parse_opensm_dump(std::string_view text, std::string_view title,
                                              base::Instant now, std::uint64_t wall);

// What it cannot say is lost: that somebody was trusted, and in names of services what is not
// printable or is a quotation mark (each becomes '_').
std::string to_opensm_dump(const Registrations& registrations, base::Instant now,
                           std::uint64_t wall, const std::function<mad::Lid(mad::Guid)>& lid_of);

}  // namespace heddle::sa
