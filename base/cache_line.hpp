// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace heddle::base {

inline constexpr std::size_t kCacheLine = 64;  // bytes that a processor fetches together

}  // namespace heddle::base
