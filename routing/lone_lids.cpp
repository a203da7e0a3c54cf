// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lone_lids.hpp"

namespace heddle::routing {

// The choices of the first of these lanes. Returns all that have the same.
LoneLids::Lanes LoneLids::share(std::span<const Lanes> offers, Lanes lanes) {
  const Lanes first = lanes & (~lanes + 1);
  Choices& choices = shared_[shared_count_];
  choices.count = 0;
  for (std::size_t position = 0; position < offers.size(); ++position) {
    const bool offered = (offers[position] & first) != 0;
    lanes &= offered ? offers[position] : ~offers[position];
    choices.positions[choices.count] = static_cast<std::uint8_t>(position);
    choices.count += offered ? 1 : 0;
  }
  detail::for_each_lane(
      lanes, [&](std::size_t lane) { which_[lane] = static_cast<std::uint8_t>(shared_count_); });
  sharing_[shared_count_++] = lanes;
  return lanes;
}

}  // namespace heddle::routing
