// SPDX-License-Identifier: BSD-3-Clause
#include "base/edited_array.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

using Array = EditedArray<int, 4>;

std::vector<bool> changed(const Array& array, Array::Edition since) {
  std::vector<bool> pages;
  for (std::size_t page = 0; page < array.page_count(); ++page) {
    pages.push_back(array.is_changed_since(page, since));
  }
  return pages;
}

TEST(EditedArray, TellsWhereItWasChanged) {
  Array array;
  EXPECT_EQ(array.page_count(), 0u);
  array.assign(10);
  EXPECT_EQ(array.size(), 10u);
  EXPECT_EQ(changed(array, 0), (std::vector<bool>{true, true, true}));
  const auto first = array.edition();
  EXPECT_EQ(changed(array, first), (std::vector<bool>{false, false, false}));
  array.change(5) = 7;
  EXPECT_EQ(array[5], 7);
  EXPECT_EQ(changed(array, first), (std::vector<bool>{false, true, false}));
  const auto second = array.edition();
  array.change(9) = 8;
  EXPECT_EQ(changed(array, first), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(changed(array, second), (std::vector<bool>{false, false, true}));
}

TEST(EditedArray, AValueThatIsThereAlreadyIsNoChange) {
  Array array;
  array.assign(10);
  const auto edition = array.edition();
  array.set(5, 0);
  EXPECT_EQ(array.edition(), edition);
  array.set(5, 3);
  EXPECT_EQ(array[5], 3);
  EXPECT_EQ(changed(array, edition), (std::vector<bool>{false, true, false}));
}

TEST(EditedArray, ToBeginAnewIsAChangeOfAll) {
  Array array;
  array.assign(10);
  array.change(1) = 4;
  const auto edition = array.edition();
  array.assign(10);
  EXPECT_EQ(array[1], 0);
  EXPECT_EQ(changed(array, edition), (std::vector<bool>{true, true, true}));
}

}  // namespace
}  // namespace heddle::base
