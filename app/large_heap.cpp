// SPDX-License-Identifier: BSD-3-Clause
#include "app/large_heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace heddle::app {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kLargePage = 2 * kMegabyte;
constexpr std::size_t kMostRoom = 1024 * kMegabyte;

// Not where they are so large that one is all a small manager would use.
bool has_large_pages() {
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
  std::string policy;
  std::getline(std::ifstream(folder + "enabled"), policy);
  std::size_t size = 0;
  std::ifstream(folder + "hpage_pmd_size") >> size;
  return size == kLargePage && policy.find("[never]") == std::string::npos;
}

// Under strict accounting room counts as used.
bool counts_room_as_memory() {
  int policy = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> policy;
  constexpr int kStrict = 2;
  return policy == kStrict;
}

bool is_limited() {
  rlimit data{}, all{};
  const bool known = getrlimit(RLIMIT_DATA, &data) == 0 && getrlimit(RLIMIT_AS, &all) == 0;
  return !known || data.rlim_cur != RLIM_INFINITY || all.rlim_cur != RLIM_INFINITY;
}

std::size_t room_wanted() {
  if (is_limited() || counts_room_as_memory() || !has_large_pages()) return 0;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  const std::size_t memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  return std::min(kMostRoom, memory / 4) / kLargePage * kLargePage;
}

// Where the heap ends, once it has grown by the room.
std::uintptr_t grow_by(std::size_t room) {
  mallopt(M_TOP_PAD, static_cast<int>(room));
  void* const last = std::malloc(kMegabyte);
  const auto at = reinterpret_cast<std::uintptr_t>(last);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  std::free(last);
  return at != 0 && at < end && end - at > room ? end : 0;
}

}  // namespace

std::size_t prefer_large_pages_in_heap() {
  const std::size_t room = room_wanted();
  if (room == 0) return 0;
  // Or else freeing something would give the room back, and vectors of some size would not be in
  // it.
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(32 * kMegabyte));
  const std::uintptr_t end = grow_by(room);
  mallopt(M_TOP_PAD, static_cast<int>(16 * kMegabyte));
  if (end == 0) return 0;
  const std::uintptr_t first = (end - room + kLargePage - 1) / kLargePage * kLargePage;
  const bool agreed = madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE) == 0;
  return agreed ? end - first : 0;
}

}  // namespace heddle::app
