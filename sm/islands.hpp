// SPDX-License-Identifier: BSD-3-Clause
// Parts of the fabric that were cut off between two looks, and hang on it again: a manager that
// sits in one may have been master there, and have written to what did not change otherwise.
#pragma once

#include <set>

#include "mad/types.hpp"
#include "sm/picture.hpp"
#include "sm/ways.hpp"

namespace heddle::sm {

// The nodes on which other managers sit, those that do not answer included.
std::set<mad::Guid> manager_nodes(const Picture& picture);

// Both ends of each cable of `now` that was none or another one in `before`, or has fallen since.
CutEnds fallen_since(const fabric::Observation& before, const fabric::Observation& now);

// Whether one of these nodes was cut off together with a switch, or with the other end of its
// cable, when these cables were down. The picture's own port must be known.
bool is_any_cut_off(const Picture& picture, const std::set<mad::Guid>& nodes, const CutEnds& cut);

}  // namespace heddle::sm
