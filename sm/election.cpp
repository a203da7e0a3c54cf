// SPDX-License-Identifier: BSD-3-Clause
#include "sm/election.hpp"

#include <utility>

namespace heddle::sm {
namespace {

// AttributeModifier of Set(SMInfo), IBA vol. 1, 14.4.1.
enum class Control : std::uint32_t {
  Handover = 1,
  Acknowledge = 2,
  Disable = 3,
  Standby = 4,
  Discover = 5,
};

bool outranks(std::uint8_t priority_a, mad::Guid guid_a, std::uint8_t priority_b,
              mad::Guid guid_b) {
  return priority_a != priority_b ? priority_a > priority_b : guid_a < guid_b;
}

}  // namespace

void Election::change(Context& context, mad::SMState to, std::string reason) {
  if (state_ == to) return;
  const auto from = std::exchange(state_, to);
  context.events.say(StateChanged{from, to, std::move(reason)});
}

bool Election::decide(Context& context, mad::Guid own_guid) {
  if (state_ == mad::SMState::NotActive) return false;
  rival_seen_ = false;
  const OtherSM* better = nullptr;
  for (const OtherSM& other : context.picture.other_sms) {
    if (other.state == mad::SMState::NotActive) continue;
    const bool higher = outranks(other.priority, other.guid, context.options.priority, own_guid);
    const bool is_master = other.state == mad::SMState::Master;
    rival_seen_ |= is_master;
    if (is_master) context.events.say(RivalMasterSeen{other.guid, other.priority});
    // Whoever programs the fabric now keeps it until it hands over, whatever its rank.
    const bool yield = state_ == mad::SMState::Master ? is_master && higher : is_master || higher;
    if (yield && (better == nullptr || is_master)) better = &other;
  }
  if (better != nullptr && !std::exchange(handed_over_, false)) {
    master_ = *better;
    misses_ = 0;
    change(
        context, mad::SMState::Standby,
        better->state == mad::SMState::Master ? "another SM is master" : "another SM ranks higher");
    return false;
  }
  handed_over_ = false;
  master_.reset();
  change(context, mad::SMState::Master, "no SM ranks higher");
  return true;
}

void Election::poll(Context& context) {
  if (state_ != mad::SMState::Standby || !master_) return;
  Request request;
  request.device = master_->device;
  request.purpose = Purpose::Election;
  request.attribute = mad::AttributeId::SMInfo;
  context.transactions.submit(request);
}

void Election::on_answer(Context& context, const Answer& answer) {
  if (state_ != mad::SMState::Standby) return;
  if (!answer.answered || answer.status != mad::kStatusOk) {
    if (++misses_ < kPollMisses) return;
    change(context, mad::SMState::Discovering, "the master no longer answers");
    wish_ = "the master no longer answers";
    return;
  }
  misses_ = 0;
  const auto info = mad::decode<mad::SMInfo>(answer.data);
  if (info.sm_state == mad::SMState::Master) return;
  change(context, mad::SMState::Discovering, "the master gave up its office");
  wish_ = "the master gave up its office";
}

mad::Status Election::on_control(Context& context, std::uint32_t modifier,
                                 const mad::SMInfo& sender) {
  // The key is what shows that the sender is an SM of this subnet.
  if (sender.sm_key != context.options.sm_key) return mad::kStatusBadField;
  switch (static_cast<Control>(modifier)) {
    case Control::Handover:
      if (state_ != mad::SMState::Standby && state_ != mad::SMState::Master) break;
      handed_over_ = true;
      wish_ = "the master handed over";
      return mad::kStatusOk;
    case Control::Acknowledge:
      return mad::kStatusOk;
    case Control::Disable:
      if (state_ != mad::SMState::Standby) break;
      change(context, mad::SMState::NotActive, "the master disabled this SM");
      return mad::kStatusOk;
    case Control::Standby:
      if (state_ != mad::SMState::NotActive) break;
      change(context, mad::SMState::Discovering, "the master enabled this SM");
      wish_ = "the master enabled this SM";
      return mad::kStatusOk;
    case Control::Discover:
      if (state_ != mad::SMState::Standby && state_ != mad::SMState::Master) break;
      wish_ = "another SM asked for a discovery";
      return mad::kStatusOk;
  }
  return mad::kStatusBadField;
}

std::optional<std::string> Election::take_wish() {
  return std::exchange(wish_, std::nullopt);
}

}  // namespace heddle::sm
