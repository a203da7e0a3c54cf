// SPDX-License-Identifier: BSD-3-Clause
#include "routing/certificate.hpp"

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;

}  // namespace

Certificate::Certificate(const fabric::Topology& topology)
    : channels_(topology), by_port_(topology.switch_count() * 256, kNone), order_(channels_) {
  for (std::uint32_t channel = 0; channel < channels_.count(); ++channel) {
    by_port_[channels_.from[channel] * std::size_t{256} + channels_.out[channel]] = channel;
  }
}

// Kahn's algorithm; false if some channels are left, which is so if there is a cycle.
bool Certificate::arrange(const std::vector<std::vector<std::uint32_t>>& onward) {
  std::vector<std::uint32_t> waiting(onward.size());
  for (const auto& nexts : onward) {
    for (const std::uint32_t next : nexts) ++waiting[next];
  }
  std::vector<std::uint32_t> sorted;
  sorted.reserve(onward.size());
  for (std::uint32_t channel = 0; channel < onward.size(); ++channel) {
    if (waiting[channel] == 0) sorted.push_back(channel);
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (const std::uint32_t next : onward[sorted[i]]) {
      if (--waiting[next] == 0) sorted.push_back(next);
    }
  }
  if (sorted.size() != onward.size()) return false;
  order_.arrange(sorted);
  return true;
}

std::shared_ptr<const Certificate> Certificate::make(const fabric::Topology& topology,
                                                     const fabric::Dependencies& dependencies) {
  auto made = std::make_shared<Certificate>(topology);
  std::vector<std::uint32_t> compact;  // by the topology's index
  for (const fabric::Channel& channel : topology.channels()) {
    compact.push_back(made->channel(channel.from.value, channel.out.value));
  }
  std::vector<std::vector<std::uint32_t>> onward(compact.size());
  for (std::uint32_t i = 0; i < compact.size(); ++i) {
    auto& nexts = onward[compact[i]];
    dependencies.for_each({ChannelIndex{i}, 0}, [&](fabric::LaneChannel next) {
      nexts.push_back(compact[next.channel.value]);
    });
  }
  if (!made->arrange(onward)) return nullptr;
  for (std::uint32_t held = 0; held < onward.size(); ++held) {
    for (const std::uint32_t next : onward[held]) made->order_.put(held, next);
  }
  return made;
}

}  // namespace heddle::routing
