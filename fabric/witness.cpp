// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/witness.hpp"

#include <algorithm>

namespace heddle::fabric {

std::optional<Witness> Witness::make(const Topology& topology, const Dependencies& dependencies) {
  Witness witness;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    witness.words_ =
        std::max(witness.words_, (topology.channels_from(SwitchIndex{s}).size() + 63) / 64);
  }
  witness.bits_.resize(topology.channels().size() * witness.words_);
  if (!witness.put_in_line(topology, dependencies)) return std::nullopt;
  return witness;
}

// Kahn's algorithm; false if some channels are left, which is so if there is a cycle.
bool Witness::put_in_line(const Topology& topology, const Dependencies& dependencies) {
  const std::size_t count = topology.channels().size();
  std::vector<std::uint32_t> waiting(count);
  for (std::uint32_t held = 0; held < count; ++held) {
    const std::uint32_t first = topology.first_channel(topology.channels()[held].to).value;
    dependencies.for_each({ChannelIndex{held}, 0}, [&](LaneChannel next) {
      const std::uint32_t local = next.channel.value - first;
      bits_[held * words_ + local / 64] |= std::uint64_t{1} << (local % 64);
      ++waiting[next.channel.value];
    });
  }
  std::vector<std::uint32_t> line;
  line.reserve(count);
  for (std::uint32_t channel = 0; channel < count; ++channel) {
    if (waiting[channel] == 0) line.push_back(channel);
  }
  for (std::size_t i = 0; i < line.size(); ++i) {
    dependencies.for_each({ChannelIndex{line[i]}, 0}, [&](LaneChannel next) {
      if (--waiting[next.channel.value] == 0) line.push_back(next.channel.value);
    });
  }
  if (line.size() != count) return false;
  places_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) places_[line[i]] = i;
  return true;
}

}  // namespace heddle::fabric
