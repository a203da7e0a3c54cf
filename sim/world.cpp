// SPDX-License-Identifier: BSD-3-Clause
#include "sim/world.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "mad/capability.hpp"
#include "sim/agent.hpp"
#include "sim/notices.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {
namespace {

// Of one MAD on one way: cables that duplicate everything, in a row, end here.
constexpr unsigned kMaxCopies = 8;

}  // namespace

World::Impl::Impl(Blueprint blueprint, WorldOptions wanted)
    : devices(std::move(blueprint)), options(wanted), prng(wanted.seed) {
  devices.training_takes_time = options.training_time > base::Duration::zero();
}

// --- the queue ----------------------------------------------------------------------------------

std::uint32_t World::Impl::take_slot() {
  if (free_.empty()) {
    flights_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  flights_[slot].passage = {};
  return slot;
}

void World::Impl::schedule(std::uint32_t slot, base::Duration delay) {
  Flight& flight = flights_[slot];
  flight.due = now + delay;
  flight.order = ++order_;
  if (delay == base::Duration::zero()) {
    at_once_.push_back(slot);
  } else {
    later_.push({flight.due, flight.order, slot});
  }
}

base::Instant World::Impl::next_event() const {
  base::Instant next = std::min(agenda.next(), later_.empty() ? base::kNever : later_.top().due);
  if (!at_once_.empty()) next = std::min(next, flights_[at_once_.front()].due);
  return next;
}

// The slot that is due first, taken from its queue; kNone when nothing is due by `until`.
std::uint32_t World::Impl::take_due(base::Instant until) {
  const Flight* soon = at_once_.empty() ? nullptr : &flights_[at_once_.front()];
  const Later* later = later_.empty() ? nullptr : &later_.top();
  const bool later_first =
      later != nullptr &&
      (soon == nullptr || std::tie(later->due, later->order) < std::tie(soon->due, soon->order));
  if (later_first) {
    const Later taken = *later;
    if (taken.due > until) return kNone;
    later_.pop();
    return taken.slot;
  }
  if (soon == nullptr || soon->due > until) return kNone;
  const std::uint32_t slot = at_once_.front();
  at_once_.pop_front();
  return slot;
}

void World::Impl::advance(base::Instant until) {
  while (true) {
    // A task comes before the flights of its instant.
    if (!agenda.empty() && agenda.next() <= until && agenda.next() == next_event()) {
      now = std::max(now, agenda.next());
      agenda.take()();
      follow_up();
      continue;
    }
    const std::uint32_t slot = take_due(until);
    if (slot == kNone) break;
    now = std::max(now, flights_[slot].due);
    run(slot);
  }
  now = std::max(now, until);
}

void World::Impl::run(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  if (!devices.nodes[devices.lines[flight.passage.at].node].powered) {
    account(Fate::Discarded, flight);
    free_.push_back(slot);
  } else if (flight.to_software) {
    deliver(flight);
    free_.push_back(slot);
  } else if (flight.is_smp) {
    answer(slot);
  } else {
    answer_packet(slot);
  }
  follow_up();
}

// --- sending ------------------------------------------------------------------------------------

void World::Impl::report(Sighting::What what, PortIndex port, const mad::Smp* smp) const {
  if (!watcher) return;
  const Line& line = devices.lines[port];
  watcher({what, now, line.node, line.number, smp});
}

bool World::Impl::account(Fate fate, const Flight& flight) {
  if (fate == Fate::Arrived) return true;
  const bool lost = fate == Fate::Lost;
  ++(lost ? counters.lost : counters.discarded);
  report(lost ? Sighting::What::Lost : Sighting::What::Discarded, flight.passage.at,
         flight.is_smp ? &flight.smp : nullptr);
  return false;
}

void World::Impl::send(EndpointId from, mad::Datagram datagram, base::Instant at) {
  HEDDLE_CHECK(from < devices.lines.size());
  now = std::max(now, at);
  ++counters.sent;
  if (datagram.peer.qpn != 0) {
    send_packet(from, std::move(datagram));
  } else if (const auto smp = mad::decode_smp(datagram.payload)) {
    send_smp(from, *smp, datagram.peer.lid);
  } else {
    ++counters.discarded;
    report(Sighting::What::Discarded, from, nullptr);
  }
}

void World::Impl::send_smp(EndpointId from, const mad::Smp& smp, mad::Lid dlid) {
  const std::uint32_t slot = take_slot();
  Flight& flight = flights_[slot];
  flight.is_smp = true;
  flight.smp = smp;
  flight.passage.at = from;
  const bool directed = smp.management_class == mad::ManagementClass::SubnDirectedRoute;
  if (!directed || dlid != mad::kPermissiveLid) {
    flight.passage.dlid = dlid;
    flight.passage.slid = devices.ports[from].info.lid;
  }
  report(Sighting::What::Sent, from, &flight.smp);
  // A LID-routed SMP with the permissive LID never leaves its own port.
  if (!directed && dlid == mad::kPermissiveLid) {
    flight.to_software = wants_software(flight);
    schedule(slot, thought(flight));
    return;
  }
  launch(slot);
}

void World::Impl::launch(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  if (!devices.nodes[devices.lines[flight.passage.at].node].powered) {
    account(Fate::Discarded, flight);
    free_.push_back(slot);
    return;
  }
  if (!account(carry_smp({devices, prng, options.loss}, flight.passage, flight.smp), flight)) {
    free_.push_back(slot);
    return;
  }
  flight.to_software = wants_software(flight);
  arrive(slot);
}

// The flight has passed its links; so have the copies that a cable made.
void World::Impl::arrive(std::uint32_t slot) {
  const unsigned copies = std::exchange(flights_[slot].passage.copies, 0u);
  schedule(slot, until_done(flights_[slot]));
  for (unsigned i = 0; i < std::min(copies, kMaxCopies); ++i) {
    const std::uint32_t copy = take_slot();
    flights_[copy] = flights_[slot];
    schedule(copy, until_done(flights_[copy]));
  }
}

base::Duration World::Impl::until_done(const Flight& flight) {
  const base::Duration alone = travel(flight.passage) + thought(flight);
  if (flight.to_software) return alone;
  Device& device = devices.nodes[devices.lines[flight.passage.at].node];
  const base::Instant done = std::max(now + alone, device.answers_after);
  device.queue_ends = std::max(device.queue_ends, done);
  return done - now;
}

// --- arriving -----------------------------------------------------------------------------------

bool World::Impl::wants_software(const Flight& flight) const {
  const mad::Smp& smp = flight.smp;
  const bool represses = smp.method == mad::Method::TrapRepress;
  if (smp.direction || (mad::is_response(smp.method) && !represses)) return true;
  const PortIndex port = devices.management_port(flight.passage.at);
  const bool has_sm = (devices.ports[port].info.capability_mask & mad::kIsSM) != 0;
  // Software that sends traps of its own hears that they arrived.
  if (represses) return has_sm && !device_has_trap(smp.transaction_id);
  return has_sm && (smp.attribute_id == mad::AttributeId::SMInfo ||
                    smp.method == mad::Method::Trap || smp.method == mad::Method::Send);
}

void World::Impl::answer(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  const NodeIndex node = devices.lines[flight.passage.at].node;
  const Misbehaviour& misbehaviour = devices.nodes[node].misbehaviour;
  const mad::Method method = flight.smp.method;
  if (method == mad::Method::TrapRepress) unrepressed_.erase(flight.smp.transaction_id.value);
  const bool answered = !misbehaviour.silent &&
                        answer_smp({devices, flight.passage.at, now}, flight.smp) == Answer::Reply;
  if (!answered) {
    ++counters.silent;
    report(Sighting::What::Discarded, flight.passage.at, &flight.smp);
    free_.push_back(slot);
    return;
  }
  if (method == mad::Method::Get) ++counters.gets;
  if (method == mad::Method::Set) ++counters.sets;
  if (flight.smp.status != mad::kStatusOk) ++counters.refused;
  if (misbehaviour.damage > 0 && prng.chance(misbehaviour.damage)) damage(flight.smp);
  report(Sighting::What::Answered, flight.passage.at, &flight.smp);
  turn_round(flight);
  launch(slot);
}

// The answer goes back the way the request came: the D bit for the directed part, the LIDs
// exchanged for the other.
void World::Impl::turn_round(Flight& flight) {
  Passage back;
  back.at = flight.passage.at;
  const NodeIndex node = devices.lines[back.at].node;
  if (devices.is_switch(node)) back.at = devices.nodes[node].first_port;
  const bool directed = flight.smp.management_class == mad::ManagementClass::SubnDirectedRoute;
  flight.smp.direction = directed;
  if (!directed || flight.smp.dr_dlid != mad::kPermissiveLid) {
    back.dlid = flight.passage.slid;
    back.slid = devices.ports[devices.management_port(back.at)].info.lid;
  }
  flight.passage = back;
}

// Somewhere in the attribute's data: the header's fields steer the answer home.
void World::Impl::damage(mad::Smp& smp) {
  const std::uint64_t bit = prng.below(mad::kSmpDataBytes * 8);
  smp.data[bit / 8] ^= std::byte{1} << (bit % 8);
}

void World::Impl::deliver(Flight& flight) {
  ++counters.delivered;
  const PortIndex endpoint = devices.management_port(flight.passage.at);
  report(Sighting::What::Delivered, endpoint, flight.is_smp ? &flight.smp : nullptr);
  deliveries.emplace_back();
  Delivery& delivery = deliveries.back();
  delivery.to = endpoint;
  if (!flight.is_smp) {
    delivery.datagram = std::move(flight.packet);
    delivery.datagram.peer.lid = flight.passage.slid;
    delivery.datagram.peer.path_bits = 0;
    return;
  }
  mad::Address peer;
  peer.lid = flight.smp.management_class == mad::ManagementClass::SubnDirectedRoute
                 ? mad::kPermissiveLid
                 : flight.passage.slid;
  delivery.datagram = mad::make_datagram(peer, flight.smp);
}

// --- the world from outside ---------------------------------------------------------------------

WorldOptions lifelike_options() {
  WorldOptions options;
  options.training_time = std::chrono::milliseconds(50);
  options.trap_interval = std::chrono::seconds(1);
  return options;
}

World::World(Blueprint blueprint, WorldOptions options)
    : impl_(std::make_unique<Impl>(std::move(blueprint), options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

std::optional<EndpointId> World::find_endpoint(std::string_view node, std::uint8_t port) const {
  const auto found = find_node(node);
  if (!found) return std::nullopt;
  const Devices& devices = impl_->devices;
  const Device& device = devices.nodes[*found];
  if (devices.is_switch(*found)) {
    return port == 0 ? std::optional(device.first_port) : std::nullopt;
  }
  if (port > device.port_count || device.port_count == 0) return std::nullopt;
  if (port != 0) return device.first_port + port;
  for (PortIndex at = device.first_port + 1; at <= device.first_port + device.port_count; ++at) {
    if (devices.lines[at].peer != kNone) return at;
  }
  return device.first_port + 1;
}

std::optional<EndpointId> World::default_endpoint() const {
  const Devices& devices = impl_->devices;
  for (PortIndex port = 0; port < devices.lines.size(); ++port) {
    const Line& line = devices.lines[port];
    if (devices.nodes[line.node].type == mad::NodeType::ChannelAdapter && line.peer != kNone) {
      return port;
    }
  }
  return std::nullopt;
}

mad::Guid World::port_guid(EndpointId endpoint) const {
  HEDDLE_CHECK(endpoint < impl_->devices.lines.size());
  return impl_->devices.port_guid(endpoint);
}

void World::set_is_sm(EndpointId endpoint, bool is_sm) {
  HEDDLE_CHECK(endpoint < impl_->devices.lines.size());
  std::uint32_t& mask = impl_->devices.ports[endpoint].info.capability_mask;
  const std::uint32_t before = std::exchange(mask, is_sm ? mask | mad::kIsSM : mask & ~mad::kIsSM);
  // The master itself needs no telling.
  const mad::PortInfo& info = impl_->devices.ports[endpoint].info;
  if (mask == before || owns_lid(info, info.master_sm_lid)) return;
  raise_local_changes(impl_->devices, endpoint, {});
  impl_->follow_up();
}

void World::send(EndpointId from, mad::Datagram datagram, base::Instant now) {
  impl_->send(from, std::move(datagram), now);
}

void World::advance(base::Instant now) {
  impl_->advance(now);
}

base::Instant World::next_event() const {
  return impl_->next_event();
}

std::vector<Delivery> World::take_deliveries() {
  return std::exchange(impl_->deliveries, {});
}

const WorldCounters& World::counters() const {
  return impl_->counters;
}

void World::set_watcher(Watcher watcher) {
  impl_->watcher = std::move(watcher);
}

const Devices& World::devices() const {
  return impl_->devices;
}

}  // namespace heddle::sim
