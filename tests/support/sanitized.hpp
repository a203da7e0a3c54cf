// SPDX-License-Identifier: BSD-3-Clause
// Whether this program runs under a sanitizer: several times slower, and with a say in memory.
#pragma once

#include <cstddef>

namespace heddle::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif !defined(__has_feature)
inline constexpr bool kSanitized = false;
#elif __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// The step with which a test goes through its cases. Under a sanitizer, where all would take many
// minutes, it asks for one in four; all are asked for in the builds without.
constexpr std::size_t stride(std::size_t step) {
  return kSanitized ? 4 * step : step;
}

}  // namespace heddle::test
