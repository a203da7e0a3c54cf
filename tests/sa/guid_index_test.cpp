// SPDX-License-Identifier: BSD-3-Clause
#include "sa/guid_index.hpp"

#include <map>

#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::sa {
namespace {

using fabric::kNoPort;
using fabric::PortIndex;

TEST(GuidIndex, FindsWhatAMapFinds) {
  base::Prng prng(1);
  for (const std::uint64_t step : {1u, 16u, 0u}) {  // in a row, as makers number them, and random
    std::map<std::uint64_t, std::uint32_t> map;
    constexpr std::uint32_t kMany = 5000;
    GuidIndex index(kMany);
    for (std::uint32_t i = 0; i < kMany; ++i) {
      const std::uint64_t guid = step == 0 ? prng() : 0x0002'c903'0000'0001 + i * step;
      if (map.emplace(guid, i).second) index.add(mad::Guid{guid}, PortIndex{i});
    }
    for (const auto& [guid, port] : map) EXPECT_EQ(index.find(mad::Guid{guid}), PortIndex{port});
    for (std::uint32_t i = 0; i < kMany; ++i) {
      const std::uint64_t guid = prng();
      if (map.count(guid) == 0) {
        EXPECT_EQ(index.find(mad::Guid{guid}), kNoPort);
      }
    }
  }
}

TEST(GuidIndex, LeavesAGuidWithTheFirstPortThatHasIt) {
  GuidIndex index(2);
  index.add(mad::Guid{7}, PortIndex{1});
  index.add(mad::Guid{7}, PortIndex{2});
  EXPECT_EQ(index.find(mad::Guid{7}), PortIndex{1});
}

TEST(GuidIndex, KnowsNobodyByGuidZero) {
  GuidIndex index(1);
  index.add(mad::Guid{}, PortIndex{1});
  EXPECT_EQ(index.find(mad::Guid{}), kNoPort);
  EXPECT_EQ(GuidIndex().find(mad::Guid{7}), kNoPort);
}

}  // namespace
}  // namespace heddle::sa
