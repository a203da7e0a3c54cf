// SPDX-License-Identifier: BSD-3-Clause
// Always-on check for our own bugs. Never for what a device, a peer or a user may do.
#pragma once

namespace heddle::base {

// Prints the broken expectation and the place to standard error and aborts.
[[noreturn]] void check_failed(const char* expectation, const char* file, int line);

}  // namespace heddle::base

#define HEDDLE_CHECK(expectation)                                     \
  do {                                                                \
    if (!(expectation)) [[unlikely]]                                  \
      ::heddle::base::check_failed(#expectation, __FILE__, __LINE__); \
  } while (false)
