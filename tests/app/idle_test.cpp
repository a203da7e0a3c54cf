// SPDX-License-Identifier: BSD-3-Clause
// What a subnet manager costs while nothing happens.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using std::chrono::milliseconds;

TEST(Idle, ASimulatedFabricThatWasAskedForItsStateIsAtRestAgain) {
  const test::Folder folder;
  const std::string place = (folder.path() / "api").string();
  const std::string settings = write_file(
      folder.path() / "heddle.toml", "[api]\nsocket = \"" + place + "\"\n[lids]\nmemory_file = \"" +
                                         (folder.path() / "lids").string() + "\"\n");
  Process manager({"sm", "--sim", "fat-tree:4,4", "--config", settings});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (heddle({"status", "--socket", place}).exit != 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << manager.err();
    std::this_thread::sleep_for(milliseconds(50));
  }
  std::this_thread::sleep_for(milliseconds(500));
  const double before = manager.cpu_seconds();
  ASSERT_GT(before, 0);
  std::this_thread::sleep_for(milliseconds(2000));
  EXPECT_LT(manager.cpu_seconds() - before, 0.2);
}

}  // namespace
}  // namespace heddle::app
