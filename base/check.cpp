// SPDX-License-Identifier: BSD-3-Clause
#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace heddle::base {
namespace {
void (*check_hook)() = nullptr;
}  // namespace

void set_check_hook(void (*hook)()) noexcept {
  check_hook = hook;
}

void check_failed(const char* expectation, const char* file, int line) {
  std::fprintf(stderr, "heddle: internal error: expected %s at %s:%d\n", expectation, file, line);
  if (auto* hook = check_hook) {
    check_hook = nullptr;  // a failure inside the hook must not come back here for ever
    hook();
  }
  std::abort();
}

}  // namespace heddle::base
