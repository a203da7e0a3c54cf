// SPDX-License-Identifier: BSD-3-Clause
#include "app/kept_heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/sanitized.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

// In bytes, of this process.
std::size_t resident() {
  std::size_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Exit codes of a process of its own, 0 if all is as it should be.
int free_and_use_again() {
  keep_freed_memory();
  // Only the first one tells: when it goes, the system's allocator learns to keep such sizes.
  constexpr std::size_t kMuch = 24 * kMegabyte;
  auto much = std::make_unique<std::uint8_t[]>(kMuch);
  std::fill_n(much.get(), kMuch, std::uint8_t{1});
  const std::uint8_t* const before = much.get();
  const std::size_t used = resident();
  much.reset();
  if (resident() + kMegabyte < used) return 2;
  much = std::make_unique<std::uint8_t[]>(kMuch);
  return much.get() == before ? 0 : 3;
}

TEST(KeptHeap, KeepsWhatWasFreed) {
  if (test::kSanitized) GTEST_SKIP() << "the system's allocator is not at work";
  EXPECT_EXIT(std::_Exit(free_and_use_again()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::app
