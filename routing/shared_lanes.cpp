// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shared_lanes.hpp"

namespace heddle::routing {

using fabric::ChannelIndex;

std::unique_ptr<SharedLanes> SharedLanes::make(const fabric::Topology& topology,
                                               const Selected& selected) {
  return selected.lanes != nullptr ? of_lanes(topology, selected) : of_one_lane(topology, selected);
}

std::unique_ptr<SharedLanes> SharedLanes::of_one_lane(const fabric::Topology& topology,
                                                      const Selected& selected) {
  const Kinship* kin = selected.kin.get();
  const auto& certificate = kin != nullptr ? kin->certificate : selected.certificate;
  if (!certificate || selected.routes.lanes.vls != 1) return nullptr;
  if (kin != nullptr && kin->at_home.size() != topology.switch_count()) return nullptr;
  std::unique_ptr<SharedLanes> made(new SharedLanes(certificate, certificate->order()));
  made->ends_.reserve(topology.channels().size());
  for (const fabric::Channel& channel : topology.channels()) {
    const std::uint32_t from =
        kin != nullptr ? kin->at_home[channel.from.value].value : channel.from.value;
    if (from >= certificate->switch_count()) return nullptr;
    const std::uint32_t lane = certificate->channel(from, channel.out.value);
    if (lane == Certificate::kNone) return nullptr;
    made->ends_.push_back({lane, channel.to, channel.out, channel.in});
  }
  made->kin_ = selected.kin;
  return made->add_repaired() ? std::move(made) : nullptr;
}

bool SharedLanes::add_repaired() {
  if (kin_ == nullptr) return true;
  for (const auto& [held, next] : kin_->added) {
    if (order_.has(held, next)) continue;
    if (!order_.add(held, next)) return false;
    order_.keep(held, next);
  }
  return true;
}

void SharedLanes::begin_anew() {
  order_ = *routes_;
  on_trial_.clear();
  add_repaired();  // as it did before
}

std::unique_ptr<SharedLanes> SharedLanes::of_lanes(const fabric::Topology& topology,
                                                   const Selected& selected) {
  const auto& certificate = selected.lanes;
  if (certificate->vls() != selected.routes.lanes.vls) return nullptr;
  std::unique_ptr<SharedLanes> made(new SharedLanes(certificate, certificate->order()));
  made->ends_.reserve(topology.channels().size());
  for (const fabric::Channel& channel : topology.channels()) {
    if (channel.from.value >= certificate->switch_count()) return nullptr;
    const std::uint32_t lane = certificate->first_lane(channel.from.value, channel.out.value);
    if (lane == LaneCertificate::kNone) return nullptr;
    made->ends_.push_back({lane, channel.to, channel.out, channel.in});
  }
  made->vls_ = certificate->vls();
  made->maps_ = selected.routes.lanes.maps;
  if (made->vls_ > 1 && !made->maps_.uniform()) made->find_lanes_held(topology);
  return made;
}

// Whichever port of a switch a packet came in by.
void SharedLanes::find_lanes_held(const fabric::Topology& topology) {
  held_.resize(ends_.size() * fabric::kServiceLevels);
  for (std::uint32_t c = 0; c < ends_.size(); ++c) {
    const fabric::Channel& channel = topology.channels()[c];
    const auto add = [&](mad::PortNumber in) {
      const fabric::VlMap& map = maps_.at(channel.from, in, channel.out);
      for (unsigned level = 0; level < fabric::kServiceLevels; ++level) {
        auto& held = held_[c * fabric::kServiceLevels + level];
        held = static_cast<std::uint16_t>(held | 1u << map[level]);
      }
    };
    add(mad::PortNumber{0});
    for (const fabric::Channel& other : topology.channels_from(channel.from)) {
      if (other.out != channel.out) add(other.out);  // a link is one port for both ways
    }
  }
}

std::uint16_t SharedLanes::lanes_held(ChannelIndex channel, unsigned level) const {
  if (vls_ == 1) return 1;
  if (!held_.empty()) return held_[channel.value * fabric::kServiceLevels + level];
  return static_cast<std::uint16_t>(1u << maps_.everywhere()[level]);
}

// False as soon as visit(held, next) is, or a lane is none of those that were proven.
template <class Visit>
bool SharedLanes::all_dependencies(ChannelIndex held, ChannelIndex next, Visit visit) const {
  const Ends& from = ends_[held.value];
  const Ends& to = ends_[next.value];
  for (unsigned level = 0; level < fabric::kServiceLevels; ++level) {
    if ((levels_ >> level & 1) == 0) continue;
    const unsigned vl = vls_ == 1 ? 0 : maps_.at(from.to, from.in, to.out)[level];
    if (vl >= vls_) return false;
    unsigned lanes = lanes_held(held, level);
    for (unsigned by = 0; lanes != 0; lanes >>= 1, ++by) {
      if ((lanes & 1) == 0) continue;
      if (by >= vls_ || !visit(from.lane + by, to.lane + vl)) return false;
    }
  }
  return true;
}

bool SharedLanes::has(ChannelIndex held, ChannelIndex next) const {
  return all_dependencies(
      held, next, [&](std::uint32_t from, std::uint32_t to) { return order_.has(from, to); });
}

bool SharedLanes::take(ChannelIndex held, ChannelIndex next) {
  const std::size_t before = on_trial_.size();
  const bool taken = all_dependencies(held, next, [&](std::uint32_t from, std::uint32_t to) {
    if (order_.has(from, to)) return true;
    if (!order_.add(from, to)) return false;
    on_trial_.emplace_back(from, to);
    return true;
  });
  if (!taken) undo(before);
  return taken;
}

void SharedLanes::keep() {
  for (const auto& [from, to] : on_trial_) order_.keep(from, to);
  on_trial_.clear();
}

void SharedLanes::undo(std::size_t upto) {
  for (; on_trial_.size() > upto; on_trial_.pop_back()) {
    order_.remove(on_trial_.back().first, on_trial_.back().second);
  }
}

}  // namespace heddle::routing
