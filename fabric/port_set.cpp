// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/port_set.hpp"

namespace heddle::fabric {

void PortSet::clear() {
  lacks_.fill(1);
  ranges_ = 0;
}

void PortSet::add(std::uint8_t port) {
  const bool goes_on = port > 0 && lacks_[port - 1u] == 0;
  lacks_[port] = 0;
  if (!goes_on && ranges_++ < kMostRanges) range_[ranges_ - 1] = {port, 0};
  if (goes_on && ranges_ <= kMostRanges) ++range_[ranges_ - 1].others;
}

bool PortSet::holds_all(const std::uint8_t* entries, std::size_t count) const {
  if (ranges_ == 0) return count == 0;
  if (ranges_ > kMostRanges || count < base::kByteVector) return holds_each(entries, count);
  const std::size_t last = count - base::kByteVector;
  base::ByteVector all = held(entries + last);
  for (std::size_t i = 0; i < last; i += base::kByteVector) all &= held(entries + i);
  return base::is_full(all);
}

// 0xFF for those that are of the set.
base::ByteVector PortSet::held(const std::uint8_t* entries) const {
  const base::ByteVector ports = base::load_bytes(entries);
  base::ByteVector held{};
  for (std::size_t r = 0; r < ranges_; ++r) {
    held |= reinterpret_cast<base::ByteVector>(ports - range_[r].first <= range_[r].others);
  }
  return held;
}

bool PortSet::holds_each(const std::uint8_t* entries, std::size_t count) const {
  unsigned lacking = 0;
  for (std::size_t i = 0; i < count; ++i) lacking |= lacks_[entries[i]];
  return lacking == 0;
}

}  // namespace heddle::fabric
