// SPDX-License-Identifier: BSD-3-Clause
#include "sm/election.hpp"

#include <algorithm>
#include <iterator>
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

// A rival is given this many times the patience that a silent master is.
constexpr unsigned kPatienceWithRivals = 2;
constexpr unsigned kAnnouncements = 3;

bool outranks(std::uint8_t priority_a, mad::Guid guid_a, std::uint8_t priority_b,
              mad::Guid guid_b) {
  return priority_a != priority_b ? priority_a > priority_b : guid_a < guid_b;
}

const OtherSM* find_manager(const Picture& picture, mad::Guid guid) {
  const auto& managers = picture.other_sms;
  const auto found = std::find_if(managers.begin(), managers.end(),
                                  [&](const OtherSM& other) { return other.guid == guid; });
  return found != managers.end() ? &*found : nullptr;
}

void keep_higher(const OtherSM*& highest, const OtherSM& other) {
  const bool higher =
      highest == nullptr || outranks(other.priority, other.guid, highest->priority, highest->guid);
  if (higher) highest = &other;
}

}  // namespace

void Election::change(Context& context, mad::SMState to, std::string reason) {
  if (state_ == to) return;
  const auto from = std::exchange(state_, to);
  context.events.say(StateChanged{from, to, std::move(reason)});
}

// --- the decision -------------------------------------------------------------------------------

bool Election::may_take_part(Context& context, mad::Guid guid) {
  if (sm::may_take_part(context.options, guid)) return true;
  if (strangers_.insert(guid).second) context.events.say(StrangeManagerIgnored{guid});
  return false;
}

// One that only watches cannot tell: many a master keeps its key to itself.
bool Election::may_be_given_office(Context& context, const OtherSM& other) {
  if (!other.has_other_key) return true;
  if (strangers_.insert(other.guid).second) {
    context.events.say(StrangeManagerIgnored{other.guid, true});
  }
  return false;
}

bool Election::outranks_us(const Options& options, const OtherSM& other) const {
  return outranks(other.priority, other.guid, options.priority, own_guid_);
}

Election::Candidates Election::candidates(Context& context) {
  Candidates found;
  for (const OtherSM& other : context.picture.other_sms) {
    if (other.state == mad::SMState::NotActive || !may_take_part(context, other.guid)) continue;
    keep_higher(found.highest, other);
    if (other.state == mad::SMState::Master) keep_higher(found.master, other);
    const bool may_be_master =
        other.state == mad::SMState::Discovering || state_ != mad::SMState::Master;
    if (may_be_master) found.undecided.insert(other.guid);
    const bool stands_by = other.state == mad::SMState::Standby;
    if (stands_by && may_be_given_office(context, other)) keep_higher(found.standby, other);
  }
  return found;
}

bool Election::decide(Context& context, mad::Guid own_guid) {
  own_guid_ = own_guid;
  if (!std::exchange(decided_, true) && context.options.start_inactive) {
    giver_.reset();
    change(context, mad::SMState::NotActive, "the configuration says so");
  }
  if (state_ == mad::SMState::NotActive) return false;
  const Candidates others = candidates(context);
  rival_seen_ = others.master != nullptr;
  const bool in_office = state_ == mad::SMState::Master;
  if (!in_office) undecided_.clear();
  for (const mad::Guid guid : others.undecided) undecided_.emplace(guid, !in_office);
  master_.reset();
  successor_.reset();
  settle_gift(context, others);
  if (giver_) {
    take_office(context, "the master handed over");
    return true;
  }
  return state_ == mad::SMState::Master ? decide_in_office(context, others)
                                        : decide_anew(context, others);
}

// An office can be had only of who is there, while nobody else holds it. Whoever holds it has to
// hear of the gift: the giver may have written to its switches after it had read them.
void Election::settle_gift(Context& context, const Candidates& others) {
  if (!giver_) return;
  const bool is_there = find_manager(context.picture, *giver_) != nullptr;
  const bool is_held = others.master != nullptr && others.master->guid != *giver_;
  if (is_held && is_there && state_ != mad::SMState::Master) {
    control(context, others.master->device, static_cast<std::uint32_t>(Control::Handover));
  }
  if (!is_there || is_held) giver_.reset();
}

bool Election::forget_undecided() {
  return !std::exchange(undecided_, {}).empty();
}

bool Election::overlooked_writer(const Context& context) {
  bool overlooked = false;
  for (auto one = undecided_.begin(); one != undecided_.end();) {
    const auto [guid, before_us] = *one;
    const OtherSM* other = find_manager(context.picture, guid);
    const bool waits = other != nullptr && other->state == mad::SMState::Discovering;
    overlooked = overlooked || other == nullptr || (before_us && !waits);
    one = waits ? std::next(one) : undecided_.erase(one);
  }
  return overlooked;
}

// Two subnets have become one, most likely.
bool Election::decide_in_office(Context& context, const Candidates& others) {
  if (others.master == nullptr) {
    stubborn_ = {};
    return true;
  }
  const OtherSM& rival = *others.master;
  context.events.say(RivalMasterSeen{rival.guid, rival.priority});
  if (outranks_us(context.options, rival)) {
    if (!may_be_given_office(context, rival)) return true;
    successor_ = rival;
    return rival.guid == stubborn_;
  }
  if (rival.guid == stubborn_) return true;
  // It may not have met us.
  control(context, rival.device, static_cast<std::uint32_t>(Control::Discover));
  master_ = rival;
  reachable_ = true;
  misses_ = idle_ = 0;
  return false;
}

// Whoever programs the fabric now keeps it until it hands over, whatever its rank.
bool Election::decide_anew(Context& context, const Candidates& others) {
  if (others.master != nullptr) {
    follow(context, *others.master, "another SM is master");
    return false;
  }
  if (others.highest != nullptr && outranks_us(context.options, *others.highest)) {
    follow(context, *others.highest, "another SM ranks higher");
    return false;
  }
  take_office(context, "no SM ranks higher");
  return true;
}

void Election::take_office(Context& context, std::string reason) {
  succeeds_ = std::exchange(stood_by_, false) || giver_;
  change(context, mad::SMState::Master, std::move(reason));
  announcements_ = 0;
  const auto giver = std::exchange(giver_, std::nullopt);
  for (const OtherSM& other : context.picture.other_sms) {
    if (other.guid != giver) continue;
    control(context, other.device, static_cast<std::uint32_t>(Control::Acknowledge));
  }
}

void Election::follow(Context& context, const OtherSM& master, std::string reason) {
  master_ = master;
  reachable_ = true;
  misses_ = idle_ = 0;
  stood_by_ = true;
  change(context, mad::SMState::Standby, std::move(reason));
  const bool master_must_know =
      master.state == mad::SMState::Master && !outranks_us(context.options, master);
  announcements_ = master_must_know ? kAnnouncements : 0;
}

// --- what is asked of others --------------------------------------------------------------------

void Election::control(Context& context, DeviceId device, std::uint32_t modifier) {
  Request request;
  request.device = device;
  request.purpose = Purpose::Election;
  request.method = mad::Method::Set;
  request.attribute = mad::AttributeId::SMInfo;
  request.modifier = modifier;
  request.optional = true;
  context.transactions.submit(request);
}

bool Election::hand_over(Context& context) {
  if (state_ != mad::SMState::Master || polls()) return false;
  if (!successor_ && !context.options.sticky_master) {
    const OtherSM* standby = candidates(context).standby;
    const bool higher = standby != nullptr && outranks_us(context.options, *standby);
    if (higher) successor_ = *standby;
  }
  if (!successor_) return false;
  control(context, successor_->device, static_cast<std::uint32_t>(Control::Handover));
  return true;
}

void Election::poll(Context& context) {
  if (!master_) return;
  if (!reachable_) {
    return state_ == mad::SMState::Master ? on_rival(context, std::nullopt)
                                          : on_poll(context, std::nullopt);
  }
  Request request;
  request.device = master_->device;
  request.purpose = Purpose::Election;
  request.attribute = mad::AttributeId::SMInfo;
  request.optional = true;
  context.transactions.submit(request);
}

void Election::on_answer(Context& context, const Answer& answer) {
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  if (answer.request.method == mad::Method::Set) {
    const bool handover = answer.request.modifier == static_cast<std::uint32_t>(Control::Handover);
    if (handover && successor_) on_handed_over(context, answer);
    return;
  }
  if (!master_) return;
  const auto info = well ? std::optional(mad::decode<mad::SMInfo>(answer.data)) : std::nullopt;
  state_ == mad::SMState::Master ? on_rival(context, info) : on_poll(context, info);
}

void Election::seek(Context& context, std::string reason) {
  master_.reset();
  change(context, mad::SMState::Discovering, reason);
  wish_ = std::move(reason);
}

void Election::lay_down(Context& context, std::string reason) {
  if (state_ != mad::SMState::Master) return;
  successor_.reset();
  giver_.reset();
  stubborn_ = {};
  master_.reset();
  change(context, mad::SMState::Discovering, std::move(reason));
}

// Of a master that hands over we hear that it stands by; its successor needs some time.
void Election::on_poll(Context& context, const std::optional<mad::SMInfo>& master) {
  if (state_ != mad::SMState::Standby) return;
  if (!master) {
    if (++misses_ >= context.options.poll_misses) seek(context, "the master no longer answers");
    return;
  }
  misses_ = 0;
  if (master->sm_state == mad::SMState::Master) {
    idle_ = 0;
    return;
  }
  const bool ended = master->sm_state == mad::SMState::NotActive;
  if (ended || ++idle_ >= context.options.poll_misses) seek(context, "nobody is master");
}

void Election::on_rival(Context& context, const std::optional<mad::SMInfo>& rival) {
  const unsigned patience = context.options.poll_misses;
  if (!rival) {
    if (++misses_ < patience) return;
    wish_ = "the other master no longer answers";
  } else if (rival->sm_state != mad::SMState::Master) {
    wish_ = "the other master gave up its office";
  } else {
    misses_ = 0;
    if (++idle_ < kPatienceWithRivals * patience) return;
    stubborn_ = master_->guid;
    context.events.say(RivalMasterStays{master_->guid, master_->priority});
    wish_ = "another SM of lower rank keeps calling itself master";
  }
  master_.reset();
}

// A rival of higher rank that does not answer is followed, which shows whether it lives. One that
// refuses has another key: the fabric is none of its business.
void Election::on_handed_over(Context& context, const Answer& answer) {
  const OtherSM successor = *std::exchange(successor_, std::nullopt);
  const bool taken = answer.answered && answer.status == mad::kStatusOk;
  const bool is_rival = successor.state == mad::SMState::Master;
  if (taken) {
    unwilling_.erase(successor.guid);
    context.events.say(HandedOver{successor.guid, successor.priority});
  }
  if (taken || (is_rival && !answer.answered)) {
    return follow(context, successor, "another SM ranks higher");
  }
  if (is_rival && stubborn_ != successor.guid) {
    stubborn_ = successor.guid;
    wish_ = "another master refused to take the fabric";
  }
  if (unwilling_.insert(successor.guid).second) {
    context.events.say(HandoverRefused{successor.guid, successor.priority});
  }
}

// --- what others ask of us ----------------------------------------------------------------------

mad::Status Election::on_control(Context& context, std::uint32_t modifier,
                                 const mad::SMInfo& sender) {
  // The key is what shows that the sender is an SM of this subnet.
  if (sender.sm_key != context.options.sm_key || !may_take_part(context, sender.guid)) {
    return mad::kStatusBadField;
  }
  switch (static_cast<Control>(modifier)) {
    case Control::Handover:
      if (state_ == mad::SMState::NotActive) break;
      giver_ = sender.guid;
      wish_ = "the master handed over";
      return mad::kStatusOk;
    case Control::Acknowledge:
      return mad::kStatusOk;
    case Control::Disable:
      if (state_ != mad::SMState::Standby) break;
      master_.reset();
      giver_.reset();
      change(context, mad::SMState::NotActive, "the master disabled this SM");
      return mad::kStatusOk;
    case Control::Standby:
      if (state_ != mad::SMState::NotActive) break;
      seek(context, "the master enabled this SM");
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

bool Election::has_to_announce() const {
  return state_ == mad::SMState::Standby && announcements_ > 0;
}

}  // namespace heddle::sm
