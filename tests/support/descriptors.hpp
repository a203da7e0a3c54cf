// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/sanitized.hpp"

namespace heddle::test {

// To look at an object's type the sanitizers make a pipe, and call the object broken where there is
// no descriptor for one: what runs out of them is for builds without.
#define HEDDLE_SKIP_WITHOUT_DESCRIPTORS() \
  if (::heddle::test::kSanitized) GTEST_SKIP() << "a sanitizer needs descriptors"

// As long as it lives this process can open no other file.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::dup(STDIN_FILENO);  // the lowest that is free
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next);
    ::close(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptorsLeft() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

}  // namespace heddle::test
