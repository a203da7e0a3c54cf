// SPDX-License-Identifier: BSD-3-Clause
#include "routing/certificate.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using fabric::ChannelIndex;

Certificate::Certificate(const fabric::Topology& topology)
    : channels_(topology), order_(channels_) {
  for (const std::uint8_t out : channels_.out) ports_ = std::max(ports_, std::size_t{out} + 1);
  by_port_.assign(topology.switch_count() * ports_, kNone);
  back_.reserve(channels_.count());
  for (std::uint32_t channel = 0; channel < channels_.count(); ++channel) {
    by_port_[channels_.from[channel] * ports_ + channels_.out[channel]] = channel;
    back_.push_back(channels_.out[channels_.reverse(channel)]);
  }
}

std::shared_ptr<const Certificate> Certificate::make(const fabric::Topology& topology,
                                                     const fabric::Dependencies& dependencies) {
  auto witness = fabric::Witness::make(topology, dependencies);
  if (!witness) return nullptr;
  auto made = std::make_shared<Certificate>(topology);
  made->witness_ = std::move(*witness);
  made->compact_.reserve(topology.channels().size());
  for (const fabric::Channel& channel : topology.channels()) {
    made->compact_.push_back(made->channel(channel.from.value, channel.out.value));
  }
  const auto& compact = made->compact_;
  std::vector<std::uint32_t> line(compact.size());
  for (std::uint32_t i = 0; i < compact.size(); ++i) line[made->witness_.places()[i]] = compact[i];
  made->order_.arrange(line);
  for (std::uint32_t i = 0; i < compact.size(); ++i) {
    dependencies.for_each({ChannelIndex{i}, 0}, [&](fabric::LaneChannel next) {
      made->order_.put(compact[i], compact[next.channel.value]);
    });
  }
  return made;
}

std::vector<std::uint32_t> Certificate::by_topology(
    const std::vector<std::uint32_t>& places) const {
  std::vector<std::uint32_t> same(compact_.size());
  for (std::uint32_t i = 0; i < same.size(); ++i) same[i] = places[compact_[i]];
  return same;
}

}  // namespace heddle::routing
