// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_pages.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

using Pages = SharedPages<int, 4>;

Pages counted(std::size_t size) {
  Pages pages(size);
  for (std::size_t i = 0; i < size; ++i) pages.change(i) = static_cast<int>(i);
  return pages;
}

TEST(SharedPages, AreEmptyOfValuesAtFirst) {
  const Pages pages(6);
  EXPECT_EQ(pages.size(), 6u);
  EXPECT_EQ(pages.page_count(), 2u);
  for (std::size_t i = 0; i < pages.size(); ++i) EXPECT_EQ(pages[i], 0);
  EXPECT_EQ(Pages().page_count(), 0u);
}

TEST(SharedPages, AChangeOfASuccessorIsNoneOfTheOneBefore) {
  const Pages before = counted(10);
  Pages after = before.successor();
  after.change(5) = -5;
  after.change(6) = -6;
  for (int i = 0; i < 10; ++i) {
    const bool changed = i == 5 || i == 6;
    EXPECT_EQ(before[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(after[static_cast<std::size_t>(i)], changed ? -i : i);
  }
}

TEST(SharedPages, WhatIsSharedIsKnown) {
  const Pages first = counted(10);
  Pages second = first.successor();
  second.change(5) = -5;
  Pages third = second.successor();
  third.change(9) = -9;
  const auto shares = [](const Pages& a, const Pages& b) {
    return std::vector<bool>{a.shares_page(0, b), a.shares_page(1, b), a.shares_page(2, b)};
  };
  EXPECT_EQ(shares(second, first), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(shares(third, second), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(shares(third, first), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(shares(third, Pages(10)), std::vector<bool>(3)) << "of other origin";
  EXPECT_FALSE(third.shares_page(2, Pages(4))) << "smaller";
}

}  // namespace
}  // namespace heddle::base
