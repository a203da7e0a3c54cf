// SPDX-License-Identifier: BSD-3-Clause
// libibverbs, which turns the codes into Mb/s for applications, judges our table of them.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include "mad/sa_rate.hpp"

namespace heddle::mad {
namespace {

int theirs(std::uint8_t code) {
  return ibv_rate_to_mbps(static_cast<ibv_rate>(code));
}

TEST(Rates, AreInTheOrderOfWhatTheyCarry) {
  int known = 0;
  int last = 0;
  for (const SARate& rate : kSARates) {
    const int mbps = theirs(rate.code);
    if (mbps < 0) continue;  // newer than the library
    ++known;
    EXPECT_GT(mbps, last) << unsigned{rate.code};
    // Ours are the names of the rates; signalling is up to a sixteenth above them.
    EXPECT_GE(mbps, rate.tenths * 100) << unsigned{rate.code};
    EXPECT_LE(mbps, rate.tenths * 107) << unsigned{rate.code};
    last = mbps;
  }
  EXPECT_GE(known, 22);
}

TEST(Rates, OfALinkAreTheLargestThatItCarries) {
  const auto code = [](LinkWidth width, LinkSpeed speed) {
    return unsigned{kSARates[rate_rank(width, speed)].code};
  };
  for (const LinkWidthEntry& width : kLinkWidths) {
    for (const LinkSpeedEntry& speed : kLinkSpeeds) {
      const auto mbps = theirs(static_cast<std::uint8_t>(code(width.width, speed.speed)));
      if (mbps < 0) continue;
      const double link = link_rate(width.width, speed.speed) * 1000.0 / 64;
      EXPECT_NEAR(mbps, link, link * 0.04) << width.name << ' ' << speed.name;
    }
  }
  EXPECT_EQ(code(LinkWidth::X4, LinkSpeed::XDR), 23u);
  EXPECT_EQ(code(LinkWidth::X8, LinkSpeed::XDR), 25u);
}

TEST(Rates, HaveOneCodeEach) {
  for (RateRank rank = 0; rank < kSARates.size(); ++rank) {
    EXPECT_EQ(rate_rank_of_code(kSARates[rank].code), rank);
  }
  EXPECT_FALSE(rate_rank_of_code(0));
  EXPECT_FALSE(rate_rank_of_code(63));
}

}  // namespace
}  // namespace heddle::mad
