// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shared_lane.hpp"

namespace heddle::routing {

using fabric::ChannelIndex;

std::unique_ptr<SharedLane> SharedLane::make(const fabric::Topology& topology,
                                             const Selected& selected) {
  const Kinship* kin = selected.kin.get();
  const auto& certificate = kin != nullptr ? kin->certificate : selected.certificate;
  if (!certificate || selected.routes.lanes.vls != 1) return nullptr;
  if (kin != nullptr && kin->at_home.size() != topology.switch_count()) return nullptr;
  std::vector<std::uint32_t> compact;
  compact.reserve(topology.channels().size());
  for (const fabric::Channel& channel : topology.channels()) {
    const std::uint32_t from =
        kin != nullptr ? kin->at_home[channel.from.value].value : channel.from.value;
    if (from >= certificate->switch_count()) return nullptr;
    compact.push_back(certificate->channel(from, channel.out.value));
    if (compact.back() == Certificate::kNone) return nullptr;
  }
  std::unique_ptr<SharedLane> lane(new SharedLane(certificate, std::move(compact)));
  if (kin == nullptr) return lane;
  for (const auto& [held, next] : kin->added) {
    if (lane->order_.has(held, next)) continue;
    if (!lane->order_.add(held, next)) return nullptr;
    lane->order_.keep(held, next);
  }
  return lane;
}

bool SharedLane::has(ChannelIndex held, ChannelIndex next) const {
  return order_.has(compact_[held.value], compact_[next.value]);
}

bool SharedLane::take(ChannelIndex held, ChannelIndex next) {
  const std::uint32_t from = compact_[held.value], to = compact_[next.value];
  if (order_.has(from, to)) return true;
  if (!order_.add(from, to)) return false;
  on_trial_.emplace_back(from, to);
  return true;
}

void SharedLane::keep() {
  for (const auto& [from, to] : on_trial_) order_.keep(from, to);
  on_trial_.clear();
}

void SharedLane::undo(std::size_t upto) {
  for (; on_trial_.size() > upto; on_trial_.pop_back()) {
    order_.remove(on_trial_.back().first, on_trial_.back().second);
  }
}

}  // namespace heddle::routing
