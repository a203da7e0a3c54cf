// SPDX-License-Identifier: BSD-3-Clause
#include "base/spares.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace heddle::base {
namespace {

class LendsScratchMemory : public testing::Test {
 protected:
  template <class Work>
  void borrow(Work work) {
    spares_.borrow([this] { return std::make_unique<int>(++made_); }, work);
  }
  Spares<int> spares_;
  int made_ = 0;
};

TEST_F(LendsScratchMemory, AgainAsItWasLeft) {
  borrow([](int& one) { one = 40; });
  borrow([](int& one) { EXPECT_EQ(one, 40); });
  EXPECT_EQ(made_, 1);
}

TEST_F(LendsScratchMemory, ToOneAtATime) {
  borrow([this](int& one) { borrow([&](int& other) { EXPECT_NE(&one, &other); }); });
  EXPECT_EQ(made_, 2);
  borrow([this](int&) { borrow([](int&) {}); });
  EXPECT_EQ(made_, 2) << "both are there again";
}

TEST_F(LendsScratchMemory, NotAgainIfTheWorkFailed) {
  EXPECT_THROW(borrow([](int&) { throw std::runtime_error("cut short"); }), std::runtime_error);
  borrow([](int& one) { EXPECT_EQ(one, 2); });
}

}  // namespace
}  // namespace heddle::base
