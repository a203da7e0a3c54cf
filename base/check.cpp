// SPDX-License-Identifier: BSD-3-Clause
#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace heddle::base {

void check_failed(const char* expectation, const char* file, int line) {
  std::fprintf(stderr, "heddle: internal error: expected %s at %s:%d\n", expectation, file, line);
  std::abort();
}

}  // namespace heddle::base
