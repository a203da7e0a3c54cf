// SPDX-License-Identifier: BSD-3-Clause
#include "routing/frontier.hpp"

#include <algorithm>

namespace heddle::routing {

void Frontier::advance() {
  // To tell neighbours apart pays where there are few: it is as much work as a look at their links.
  constexpr std::size_t kFew = 4;  // one of so many channels
  std::size_t links = 0;
  for (const std::uint32_t at : found_) links += channels_.first[at + 1] - channels_.first[at];
  const bool are_few = links * kFew < channels_.count();
  std::fill(near_.begin(), near_.end(), are_few ? std::uint8_t{0} : std::uint8_t{1});
  if (are_few) {
    for (const std::uint32_t at : found_) {
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        near_[channels_.to[c]] = 1;
      }
    }
  }
  found_.clear();
}

}  // namespace heddle::routing
