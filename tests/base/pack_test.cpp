// SPDX-License-Identifier: BSD-3-Clause
#include "base/pack.hpp"

#include <string>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

struct Word {
  std::string text;
};
struct Number {
  int value = 0;
};

static_assert(Pack{Number{40}}.apply([](const Number& number) { return number.value + 2; }) == 42);

TEST(Pack, GivesItsItemsInOrderAndTheUsesResult) {
  const Pack both{Word{"ports"}, Number{36}};
  const std::string shown = both.apply([](const Word& word, const Number& number) {
    return std::to_string(number.value) + " " + word.text;
  });
  EXPECT_EQ(shown, "36 ports");
}

TEST(Pack, GivesNoCopies) {
  const Pack both{Word{"ports"}, Number{36}};
  const std::string& inside =
      both.apply([](const Word& word, const Number&) -> const std::string& { return word.text; });
  EXPECT_EQ(&inside, &static_cast<const Word&>(both).text);
}

}  // namespace
}  // namespace heddle::base
