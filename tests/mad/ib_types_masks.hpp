// SPDX-License-Identifier: BSD-3-Clause
// The component masks that OpenSM's ib_types.h (Debian's libopensm-dev) declares, in host order, by
// its own names without IB_ and COMPMASK_. They sit in a file of their own because its macros do.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace heddle::mad {

const std::map<std::string_view, std::uint64_t>& ib_types_masks();

}  // namespace heddle::mad
