// SPDX-License-Identifier: BSD-3-Clause
#include "base/large_pages.hpp"

#include <cstdlib>

#include <sys/mman.h>

namespace heddle::base {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Below this what is left over in front of the boundary could be half.
constexpr std::size_t kWorthIt = 2 * kLargePage;

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes < kWorthIt) return ::operator new(bytes);
  void* memory = nullptr;
  if (posix_memalign(&memory, kLargePage, bytes) != 0) throw std::bad_alloc();
  (void)madvise(memory, bytes, MADV_HUGEPAGE);  // only a wish
  return memory;
}

void free_large(void* memory, std::size_t bytes) noexcept {
  if (bytes < kWorthIt) return ::operator delete(memory);
  std::free(memory);
}

}  // namespace heddle::base
