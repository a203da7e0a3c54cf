// SPDX-License-Identifier: BSD-3-Clause
#include "config/duration.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace heddle::config {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ANumberAndAUnitAreReadAsOneDuration) {
  EXPECT_EQ(parse_duration("10s"), base::Duration{10s});
  EXPECT_EQ(parse_duration("200ms"), base::Duration{200ms});
  EXPECT_EQ(parse_duration("15us"), base::Duration{15us});
  EXPECT_EQ(parse_duration("5min"), base::Duration{5min});
  EXPECT_EQ(parse_duration("2h"), base::Duration{2h});
  EXPECT_EQ(parse_duration("0"), base::Duration{0});
  EXPECT_EQ(parse_duration("0s"), base::Duration{0});
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* bad : {"", "10", "s", "10 s", "-1s", "+1s", "1.5s", "1m", "1S", "10sec", "0x1s",
                          "99999999999999999999s", "9223372036854775807h"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Duration, WhatIsWrittenReadsBackTheSame) {
  for (const base::Duration duration :
       {base::Duration{0}, base::Duration{1us}, base::Duration{1500ms}, base::Duration{90s},
        base::Duration{2h}, base::Duration{24h}}) {
    EXPECT_EQ(parse_duration(duration_text(duration)), duration) << duration_text(duration);
  }
  EXPECT_EQ(duration_text(1500ms), "1500ms");
  EXPECT_EQ(duration_text(60s), "1min");
}

}  // namespace
}  // namespace heddle::config
