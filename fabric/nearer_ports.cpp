// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/nearer_ports.hpp"

#include <algorithm>

namespace heddle::fabric {
namespace {

base::ByteVector is_one_less(base::ByteVector less, base::ByteVector than) {
  return reinterpret_cast<base::ByteVector>(less + 1 == than);
}

}  // namespace

void NearerPorts::find(const Topology& topology, const HopColumns& hops,
                       const base::ParallelFor& parallel) {
  pitch_ = hops.pitch();
  only_ = base::RawBytes((topology.switch_count() + 1) * pitch_);
  others_ = base::RawBytes(topology.switch_count() * pitch_);
  std::fill(only_.end() - static_cast<std::ptrdiff_t>(pitch_), only_.end(), kSeveral);
  parallel(topology.switch_count(), [&](std::size_t begin, std::size_t end) {
    std::vector<Way> ways;
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex from{static_cast<std::uint32_t>(s)};
      ways.clear();
      for (const Channel& channel : topology.channels_from(from)) {
        ways.push_back({base::repeat_byte(channel.out.value), hops.row(channel.to)});
      }
      for (std::size_t c = 0; c < pitch_; c += base::kByteVector) {
        find_piece(from, c, ways, hops.row(from));
      }
    }
  });
}

void NearerPorts::find_piece(SwitchIndex from, std::size_t first, const std::vector<Way>& ways,
                             const std::uint8_t* hops) {
  const base::ByteVector own = base::load_bytes(hops + first);
  const base::ByteVector own_before = base::load_bytes(hops + first - 1);
  base::ByteVector found{}, count{}, others{};
  for (const Way& way : ways) {
    const base::ByteVector is_nearer = is_one_less(base::load_bytes(way.hops + first), own);
    found |= is_nearer & way.out;
    count -= is_nearer;
    others |= is_nearer ^ is_one_less(base::load_bytes(way.hops + first - 1), own_before);
  }
  const auto is_one = reinterpret_cast<base::ByteVector>(count == 1);
  const auto arrives = reinterpret_cast<base::ByteVector>(own == 0);
  const auto is_unknown = reinterpret_cast<base::ByteVector>(own == HopColumns::kUnknown);
  const std::size_t place = from.value * pitch_ + first;
  base::store_bytes(((found & is_one) | (~is_one & kSeveral)) & ~arrives, only_.data() + place);
  base::store_bytes(others | arrives | is_unknown, others_.data() + place);
}

}  // namespace heddle::fabric
