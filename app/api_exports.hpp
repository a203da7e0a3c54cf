// SPDX-License-Identifier: BSD-3-Clause
// What the API gives as files of others: /v1/export/...
#pragma once

#include <vector>

#include "api/state.hpp"

namespace heddle::app {

// ibnetdiscover (`heddle sim` and `heddle plan` read it), lft (opensm-lfts.dump) and subnet
// (opensm-subnet.lst).
std::vector<api::Export> api_exports();

}  // namespace heddle::app
