// SPDX-License-Identifier: BSD-3-Clause
#include "app/large_heap.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/sanitized.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr int kNoRoom = 2;  // a child's exit code where there is none to be had

// Whether /proc/self/smaps says that the system was asked for large pages there.
bool is_asked_for_large_pages(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream smaps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> end && dash == '-') {
      is_here = first <= at && at < end;
    } else if (is_here && line.rfind("VmFlags:", 0) == 0) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

// Exit codes of a process of its own, 0 if all is as it should be.
int use_large_heap() {
  if (prefer_large_pages_in_heap() < 32 * kMegabyte) return kNoRoom;
  const auto much = std::make_unique<std::uint8_t[]>(16 * kMegabyte);
  // The system would have put that elsewhere, and taken it back at once.
  auto again = std::make_unique<std::uint8_t[]>(8 * kMegabyte);
  const std::uint8_t* const before = again.get();
  again.reset();
  again = std::make_unique<std::uint8_t[]>(8 * kMegabyte);
  if (again.get() != before) return 3;
  return is_asked_for_large_pages(much.get() + 8 * kMegabyte) ? 0 : 4;
}

int use_large_heap_within_a_limit() {
  const rlimit limit{rlim_t{8} << 30, rlim_t{8} << 30};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return 3;
  return prefer_large_pages_in_heap() == 0 ? 0 : 4;
}

std::string line_of(const char* file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

// There the system's allocator is not at work; elsewhere there are no large pages of the usual
// size, or room counts as memory, or is limited.
bool may_lack_room() {
  rlimit data{}, all{};
  getrlimit(RLIMIT_DATA, &data);
  getrlimit(RLIMIT_AS, &all);
  const std::string policy = line_of("/sys/kernel/mm/transparent_hugepage/enabled");
  return test::kSanitized || policy.find("[never]") != std::string::npos ||
         line_of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") != "2097152" ||
         line_of("/proc/sys/vm/overcommit_memory") == "2" || data.rlim_cur != RLIM_INFINITY ||
         all.rlim_cur != RLIM_INFINITY;
}

TEST(LargeHeap, IsInLargePagesAndKept) {
  const auto is_right = [](int status) {
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == 0 || (WEXITSTATUS(status) == kNoRoom && may_lack_room()));
  };
  EXPECT_EXIT(std::_Exit(use_large_heap()), is_right, "");
}

TEST(LargeHeap, WantsNoRoomInALimitedProcess) {
  EXPECT_EXIT(std::_Exit(use_large_heap_within_a_limit()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::app
