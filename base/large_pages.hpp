// SPDX-License-Identifier: BSD-3-Clause
// Memory for tables of many megabytes that are read across the grain: one small page for every
// few entries would keep the processor looking pages up.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace heddle::base {

// Throws std::bad_alloc. Memory of a few megabytes and more begins at the boundary of a large page,
// and the system is asked to give large pages, which it need not do; less comes from the heap.
void* allocate_large(std::size_t bytes);
// With the size that was asked for.
void free_large(void* memory, std::size_t bytes) noexcept;

// For containers.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { free_large(memory, count * sizeof(T)); }
  // Elements that nobody gives a value have any: many threads may give them theirs.
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
  friend bool operator==(LargePages, LargePages) { return true; }
};

}  // namespace heddle::base
