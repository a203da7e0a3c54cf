// SPDX-License-Identifier: BSD-3-Clause
#include "sm/transactions.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace heddle::sm {
namespace {

// So many devices before its turn.
constexpr std::size_t kFetchedAhead = 4;

// The transaction id's low half, the part that is ours, from its low end: slot, attempt,
// generation.
constexpr unsigned kSlotBits = 13;
constexpr unsigned kAttemptBits = 5;
constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;
constexpr std::uint32_t kAttemptMask = ((1u << kAttemptBits) - 1) << kSlotBits;
constexpr std::uint32_t kGenerations = 1u << (32 - kSlotBits - kAttemptBits);

constexpr std::uint32_t kAnswersToGrow = 16;
constexpr std::uint32_t kOptionalAttempts = 2;

// The sign of life that a device is asked for. Questions beyond a port ask for NodeInfo, so the two
// cannot be taken for one another.
constexpr auto kSignOfLife = mad::AttributeId::NodeDescription;

}  // namespace

Transactions::Transactions(TransactionLimits limits) : limits_(limits) {
  pacing_.set_limits(limits.window, limits.smallest_timeout, limits.largest_timeout);
}

DeviceId Transactions::add_device(const mad::DirectedRoute& route) {
  Device device;
  device.routes.push_back(route);
  device.allowed = limits_.window_per_device;
  devices_.push_back(std::move(device));
  return DeviceId{static_cast<std::uint32_t>(devices_.size() - 1)};
}

void Transactions::add_route(DeviceId id, const mad::DirectedRoute& route) {
  auto& routes = devices_[id.value].routes;
  // A route of full length cannot ask beyond a port; it serves only as long as there is no other.
  if (route.hop_count >= mad::kMaxHops) return;
  if (routes.front().hop_count >= mad::kMaxHops) routes.clear();
  const bool known = std::find(routes.begin(), routes.end(), route) != routes.end();
  if (!known && routes.size() < kMaxRoutes) routes.push_back(route);
}

void Transactions::set_routes(DeviceId id, std::vector<mad::DirectedRoute> routes) {
  HEDDLE_CHECK(!routes.empty());
  Device& device = devices_[id.value];
  device.routes = std::move(routes);
  if (device.routes.size() > kMaxRoutes) device.routes.resize(kMaxRoutes);
  ++device.turn;
  device.strikes = 0;
  device.lost_in = 0;
}

void Transactions::cancel() {
  for (Device& device : devices_) {
    device.head = device.tail = kNone;
    device.ready = false;
  }
  pending_.clear();
  free_pending_ = kNone;
  ready_.clear();
  repeat_.clear();
  given_up_.clear();
  due_ = {};
  queued_ = 0;
  for (std::uint32_t s = 0; s < slots_.size(); ++s) {
    if (slots_[s].live) release(s);
  }
}

void Transactions::reset() {
  cancel();
  devices_.clear();
}

void Transactions::set_limits(TransactionLimits limits) {
  limits_ = limits;
  pacing_.set_limits(limits.window, limits.smallest_timeout, limits.largest_timeout);
}

void Transactions::submit(const Request& request) {
  Device& device = devices_[request.device.value];
  if (device.locked && request.method == mad::Method::Set) return;
  ++queued_;
  if (device.tail != kNone && extend(pending_[device.tail], request)) {
    return make_ready(request.device);
  }
  std::uint32_t entry = free_pending_;
  if (entry == kNone) {
    entry = static_cast<std::uint32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    free_pending_ = pending_[entry].next;
  }
  pending_[entry] = {request, 0, 0, kNone};
  (device.tail == kNone ? device.head : pending_[device.tail].next) = entry;
  device.tail = entry;
  make_ready(request.device);
}

// True if the request is the next one of that run, and was added to it.
bool Transactions::extend(Pending& run, const Request& request) {
  Request expected = run.request;
  expected.modifier += run.more + 1;
  if (run.more == 0) run.detail_up = request.detail == expected.detail ? 0 : 1;
  expected.detail += run.detail_up * (run.more + 1);
  if (!(expected == request)) return false;
  ++run.more;
  return true;
}

// The queue must not be empty.
Request Transactions::take_head(Device& device) {
  const std::uint32_t entry = device.head;
  Pending& pending = pending_[entry];
  const Request request = pending.request;
  --queued_;
  if (pending.more > 0) {
    --pending.more;
    ++pending.request.modifier;
    pending.request.detail += pending.detail_up;
    return request;
  }
  device.head = pending.next;
  if (device.head == kNone) device.tail = kNone;
  pending.next = free_pending_;
  free_pending_ = entry;
  return request;
}

void Transactions::make_ready(DeviceId id) {
  Device& device = devices_[id.value];
  if (device.ready || device.head == kNone || device.in_flight >= device.allowed) return;
  device.ready = true;
  ready_.push_back(id);
}

std::uint32_t Transactions::transaction_of(std::uint32_t slot) const {
  return slots_[slot].generation << (kSlotBits + kAttemptBits) |
         (slots_[slot].sendings << kSlotBits & kAttemptMask) | slot;
}

// Whatever the attempt: the answer to an earlier one is as good as to the last.
Transactions::Slot* Transactions::find(std::uint32_t transaction) {
  const std::uint32_t slot = transaction & kSlotMask;
  if (slot >= slots_.size() || !slots_[slot].live) return nullptr;
  const bool same = ((transaction_of(slot) ^ transaction) & ~kAttemptMask) == 0;
  return same ? &slots_[slot] : nullptr;
}

std::optional<Answer> Transactions::on_response(base::Instant now, const mad::Smp& response) {
  Slot* slot = find(static_cast<std::uint32_t>(response.transaction_id.value));
  if (slot == nullptr) {
    ++counters_.late;
    return std::nullopt;
  }
  const auto s = static_cast<std::uint32_t>(slot - slots_.data());
  if (slot->probing && response.attribute_id == kSignOfLife) {
    vouch(s);
    return std::nullopt;
  }
  if (slot->request.attribute != response.attribute_id ||
      slot->request.modifier != response.attribute_modifier) {
    ++counters_.late;
    return std::nullopt;
  }
  // A busy device did answer, but not our question: the timeout asks again, later.
  if (response.status == mad::kStatusBusy) return std::nullopt;
  return finish(now, s, response);
}

std::optional<Answer> Transactions::finish(base::Instant now, std::uint32_t s,
                                           const mad::Smp& response) {
  const Slot& slot = slots_[s];
  Device& device = devices_[slot.request.device.value];
  // Which attempt was answered tells how long it took, unless it was not the last one.
  if (static_cast<std::uint32_t>(response.transaction_id.value) == transaction_of(s)) {
    pacing_.on_answer(now - slot.sent);
  }
  // A route that has died is no measure of what the fabric loses. An answer may still come from it.
  pacing_.on_success(std::max(slot.sendings - slot.elsewhere, 1u));
  device.strikes = 0;
  if (slot.request.beyond.value == 0) device.heard_in = count_;
  if (++device.good % kAnswersToGrow == 0 && device.allowed < limits_.window_per_device) {
    ++device.allowed;
  }
  ++counters_.answered;
  Answer answer{slot.request, true, response.status, response.data, slot.sendings > 1};
  release(s);
  return answer;
}

void Transactions::on_send_failed(base::Instant, const mad::Smp& request) {
  const auto transaction = static_cast<std::uint32_t>(request.transaction_id.value);
  const Slot* slot = find(transaction);
  if (slot == nullptr || slot->overdue) return;
  const auto s = static_cast<std::uint32_t>(slot - slots_.data());
  // An earlier attempt that the transport gives back now has been repeated long ago.
  if (transaction_of(s) == transaction) time_out(s);
}

void Transactions::release(std::uint32_t s) {
  Slot& slot = slots_[s];
  --in_flight_;
  slot.live = false;
  slot.overdue = false;
  if (++slot.generation == kGenerations) slot.generation = 1;
  free_slots_.push_back(s);
  --devices_[slot.request.device.value].in_flight;
  make_ready(slot.request.device);
}

void Transactions::time_out(std::uint32_t s) {
  Slot& slot = slots_[s];
  const bool asked_beyond = slot.request.beyond.value != 0 && !slot.probing;
  // Silence beyond a port is no sign of too much haste.
  if (!asked_beyond) {
    Device& device = devices_[slot.request.device.value];
    device.allowed = std::max(device.allowed / 2, 1u);
    device.good = 0;
    pacing_.on_loss();
  }
  if (slot.attempt < attempts_for(slot)) return repeat(s);
  if (!asked_beyond) return take_next_route(s);
  // Either nobody is there or the route has died on the way: the device with the port knows.
  slot.probing = slot.rounds == kNotVouched;
  if (!slot.probing && slot.rounds-- == 1) return give_up(s);
  slot.attempt = 0;
  repeat(s);
}

// The device with the port has answered, so the route lives: other routes to the same port are not
// worth the time. The harder it was to hear, the less the silence beyond it proves.
void Transactions::vouch(std::uint32_t s) {
  Slot& slot = slots_[s];
  devices_[slot.request.device.value].strikes = 0;
  slot.probing = false;
  if (std::exchange(slot.untried, false)) {
    slot.attempt = 0;
    return repeat(s);
  }
  slot.rounds = std::min(slot.attempt - 1, kMaxRounds);
  if (slot.rounds == 0) return give_up(s);
  slot.attempt = 0;
  repeat(s);
}

// Patience with a fabric that loses much is for the first route and the first round: what comes
// after them is a second chance, and a dead device must not hold up a sweep for minutes.
std::uint32_t Transactions::attempts_for(const Slot& slot) const {
  if (slot.request.optional) return std::min(kOptionalAttempts, limits_.attempts);
  if (devices_[slot.request.device.value].strikes >= kStrikes) return limits_.attempts;
  const std::uint32_t patient = pacing_.attempts(limits_.attempts);
  const bool first = slot.routes_tried == 0 && slot.rounds == kNotVouched;
  return first ? patient : std::max(patient / 2, limits_.attempts);
}

void Transactions::repeat(std::uint32_t s) {
  slots_[s].overdue = true;
  repeat_.push_back(s);
}

void Transactions::take_next_route(std::uint32_t s) {
  Slot& slot = slots_[s];
  Device& device = devices_[slot.request.device.value];
  const bool enough = slot.request.optional || device.strikes >= kStrikes;
  if (!slot.request.optional && std::exchange(device.lost_in, count_) != count_) {
    ++counters_.lost_ways;
  }
  if (++slot.routes_tried >= device.routes.size() || enough) return give_up(s);
  // The next route takes its turn, for the requests behind this one too. Requests that failed
  // together on one route change it once, or two of them would come back to where they were.
  if (slot.turn == device.turn) {
    std::rotate(device.routes.begin(), device.routes.begin() + 1, device.routes.end());
    ++device.turn;
  }
  slot.elsewhere = slot.sendings;
  slot.attempt = 0;
  // A question beyond a port would wait twice on each route that has died.
  slot.untried = slot.probing;
  slot.rounds = kNotVouched;
  repeat(s);
}

void Transactions::give_up(std::uint32_t s) {
  const Request request = slots_[s].request;
  Device& device = devices_[request.device.value];
  given_up_.push_back({request, false, {}, {}});
  count_unanswered(request);
  // Silence beyond a port says nothing about the device that has the port, unless that is silent
  // too.
  const bool asked_itself = request.beyond.value == 0 || slots_[s].probing;
  const bool device_is_silent = asked_itself && !request.optional;
  if (device_is_silent && ++device.strikes == 1) ++counters_.fell_silent;
  if (device_is_silent && device.strikes >= kStrikes) give_up_queue(device);
  release(s);
}

void Transactions::count_unanswered(const Request& request) {
  if (!request.optional) ++counters_.unanswered;
}

void Transactions::give_up_queue(Device& device) {
  while (device.head != kNone) {
    const Request request = take_head(device);
    given_up_.push_back({request, false, {}, {}});
    count_unanswered(request);
  }
}

std::vector<Answer> Transactions::take_given_up() {
  return std::exchange(given_up_, {});
}

void Transactions::drop_stale_deadlines() {
  while (!due_.empty()) {
    const Slot* slot = find(due_.top().transaction);
    if (slot != nullptr && !slot->overdue) return;
    due_.pop();
  }
}

std::vector<Request> Transactions::sets_in_flight() const {
  std::vector<Request> found;
  for (const Slot& slot : slots_) {
    if (slot.live && slot.request.method == mad::Method::Set) found.push_back(slot.request);
  }
  return found;
}

base::Instant Transactions::deadline() {
  drop_stale_deadlines();
  return due_.empty() ? base::kNever : due_.top().when;
}

void Transactions::pump(base::Instant now, Sink& sink) {
  for (drop_stale_deadlines(); !due_.empty() && due_.top().when <= now; drop_stale_deadlines()) {
    const std::uint32_t slot = due_.top().transaction & kSlotMask;
    due_.pop();
    // A repeated request has a later deadline in the queue as well; the earlier one is void.
    if (slots_[slot].due <= now) time_out(slot);
  }
  for (const std::uint32_t slot : std::exchange(repeat_, {})) {
    if (!slots_[slot].overdue) continue;  // the answer came after all
    ++counters_.retries;
    transmit(now, slot, sink);
  }
  while (in_flight_ < pacing_.window() && !ready_.empty()) {
    const DeviceId id = ready_.front();
    ready_.pop_front();
    devices_[id.value].ready = false;
    fetch_next();
    if (devices_[id.value].head != kNone) start_next(now, id, sink);
  }
}

// Requests lie where they were put when a phase began, each somewhere else: that of the next device
// is on its way from memory while others are sent.
void Transactions::fetch_next() const {
  if (ready_.size() < kFetchedAhead) return;
  const Device& device = devices_[ready_[kFetchedAhead - 1].value];
  if (device.head == kNone) return;
  __builtin_prefetch(&pending_[device.head]);
  __builtin_prefetch(device.routes.data());
}

void Transactions::start_next(base::Instant now, DeviceId id, Sink& sink) {
  Device& device = devices_[id.value];
  const Request request = take_head(device);
  if (free_slots_.empty()) {
    HEDDLE_CHECK(slots_.size() <= kSlotMask);
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t s = free_slots_.back();
  free_slots_.pop_back();
  slots_[s].request = request;
  slots_[s].live = true;
  slots_[s].attempt = 0;
  slots_[s].sendings = slots_[s].elsewhere = 0;
  slots_[s].routes_tried = 0;
  slots_[s].probing = slots_[s].untried = false;
  slots_[s].rounds = kNotVouched;
  ++device.in_flight;
  ++in_flight_;
  make_ready(id);
  transmit(now, s, sink);
}

void Transactions::transmit(base::Instant now, std::uint32_t s, Sink& sink) {
  Slot& slot = slots_[s];
  ++slot.attempt;
  ++slot.sendings;
  slot.sent = now;
  slot.overdue = false;
  const Request& request = slot.request;
  const Device& device = devices_[request.device.value];
  slot.turn = device.turn;
  mad::DirectedRoute route = device.routes.front();
  if (request.beyond.value != 0 && !slot.probing) route = route.then(request.beyond);
  mad::Smp smp;
  smp.method = request.method;
  smp.attribute_id = slot.probing ? kSignOfLife : request.attribute;
  smp.attribute_modifier = request.modifier;
  smp.transaction_id = {transaction_of(s)};
  const bool to_stranger = request.beyond.value != 0 && !slot.probing;
  smp.m_key = to_stranger ? keys_[std::min<std::size_t>(request.key, keys_.size() - 1)]
                          : key(request.device);
  smp.dr_slid = mad::kPermissiveLid;
  smp.dr_dlid = mad::kPermissiveLid;
  smp.hop_count = route.hop_count;
  smp.initial_path = route.ports;
  if (request.method == mad::Method::Get) {
    ++counters_.gets_sent;
  } else {
    ++counters_.sets_sent;
    smp.data = sink.data_for(request);
  }
  slot.due = now + pacing_.timeout(slot.attempt);
  due_.push({slot.due, transaction_of(s)});
  sink.send(smp);
}

}  // namespace heddle::sm
