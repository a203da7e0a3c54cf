// SPDX-License-Identifier: BSD-3-Clause
// Lines of a file of LIDs (store/lid_memory.hpp), and what the machine has of them.
#pragma once

#include <vector>

#include "sm/lid_assignment.hpp"
#include "store/lid_memory.hpp"

namespace heddle::app {

// Of a range that no LMC gives, the first.
std::vector<sm::RememberedLids> lids_of(const std::vector<store::LidEntry>& entries);
std::vector<store::LidEntry> entries_of(const std::vector<sm::RememberedLids>& lids);

}  // namespace heddle::app
