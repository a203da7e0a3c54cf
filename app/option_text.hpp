// SPDX-License-Identifier: BSD-3-Clause
// The machine's options and LID memory on one line each, for recordings.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sm/core.hpp"

namespace heddle::app {

// "subnet_prefix=... sm_key=... ...": every option, numbers in decimal, times in nanoseconds,
// lists with commas.
std::string options_text(const sm::Options& options);
// The error names the piece. Options that are not named keep their defaults.
base::Result<sm::Options> parse_options_text(std::string_view text);

// "GUID LID LMC".
std::string remembered_text(const sm::RememberedLids& lids);
base::Result<sm::RememberedLids> parse_remembered_text(std::string_view text);

// Orders about links: "GUID/PORT/disable/1 ...".
std::string orders_text(const sm::PortOrders& orders);
base::Result<sm::PortOrders> parse_orders_text(std::string_view text);

}  // namespace heddle::app
