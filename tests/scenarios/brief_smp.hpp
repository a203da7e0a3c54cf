// SPDX-License-Identifier: BSD-3-Clause
// An SMP as a transcript shows it: of a long attribute only the fields that a reader judges by.
#pragma once

#include <string>

#include "mad/smp.hpp"

namespace heddle::test {

std::string brief_smp(const mad::Smp& smp);

}  // namespace heddle::test
