// SPDX-License-Identifier: BSD-3-Clause
// What is not proven is not programmed.
#include <gtest/gtest.h>

#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

TEST(Safety, WithoutFallbackNoTableIsWrittenAndNoLinkGoesUp) {
  BoxOptions options;
  options.sm.routing.engines = {"minhop"};
  options.sm.routing.fallback = false;
  Box box("ring:6", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::RoutingFailed>(), 1u);
  EXPECT_EQ(box.snapshot().active_ports, 0u);
  EXPECT_FALSE(box.snapshot().problems.empty());
}

}  // namespace
}  // namespace heddle::test
