// SPDX-License-Identifier: BSD-3-Clause
#include "base/large_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

using Bytes = std::vector<std::uint8_t, LargePages<std::uint8_t>>;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

TEST(LargePages, MuchBeginsAtALargePage) {
  const Bytes much(20 * kLargePage + 5, std::uint8_t{7});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(much.data()) % kLargePage, 0u);
  EXPECT_EQ(std::count(much.begin(), much.end(), 7), static_cast<std::ptrdiff_t>(much.size()));
}

TEST(LargePages, GrowAndShrinkAcrossTheBoundaryOfWhatIsMuch) {
  Bytes bytes;
  for (const std::size_t size : {std::size_t{1}, 3 * kLargePage, 9 * kLargePage}) {
    bytes.resize(size, static_cast<std::uint8_t>(size));
    bytes.shrink_to_fit();
    EXPECT_EQ(bytes.front(), 1);
  }
  bytes.resize(1);
  bytes.shrink_to_fit();
  EXPECT_EQ(bytes.front(), 1);
}

TEST(LargePages, TooMuchIsRefused) {
  LargePages<std::uint64_t> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(static_cast<std::size_t>(-1) / 4)),
               std::bad_alloc);
}

}  // namespace
}  // namespace heddle::base
