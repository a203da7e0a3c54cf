// SPDX-License-Identifier: BSD-3-Clause
// The main job on whole fabrics, judged by the world's own registers.
#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

TEST(BringUp, TwoHostsAndOneCable) {
  Box box("pair");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.snapshot().active_ports, 2u);
}

}  // namespace
}  // namespace heddle::test
