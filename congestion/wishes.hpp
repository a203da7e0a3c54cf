// SPDX-License-Identifier: BSD-3-Clause
// What is to stand in a device's attributes, and whether it does.
#pragma once

#include <cstdint>
#include <vector>

#include "congestion/mads.hpp"
#include "congestion/picture.hpp"
#include "congestion/settings.hpp"

namespace heddle::congestion {

struct Wish {
  mad::CongestionAttributeId attribute{};
  std::uint32_t block = 0;
  Data data{};
  friend bool operator==(const Wish&, const Wish&) = default;
};

// In the order in which to write them: a table before what leads into it. `room` is how many
// entries the adapter's table can have; a longer one is not asked for, nor what leads into it
// (table_fits()).
std::vector<Wish> wishes(const Settings& settings, const Agent& agent, std::size_t room);
bool table_fits(const Settings& settings, std::size_t room);

// Whether that stands there as far as the wish goes: what it does not speak of does not matter.
bool stands(const Wish& wish, const Data& there);

}  // namespace heddle::congestion
