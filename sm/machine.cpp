// SPDX-License-Identifier: BSD-3-Clause
#include "sm/machine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "mad/notice.hpp"
#include "mad/sm_info.hpp"
#include "sa/registrations_text.hpp"
#include "sa/request.hpp"
#include "sm/guest_routes.hpp"

namespace heddle::sm {
namespace {

// However often a node tells of errors at its ports, it is looked at no oftener than this.
constexpr base::Duration kBetweenErrorLooks = std::chrono::seconds(5);

TransactionLimits limits_of(const Options& options) {
  return {options.window, options.window_per_device, options.smallest_timeout,
          options.largest_timeout, options.attempts};
}

// What a trap is about, and so what there is to look at (IBA vol. 1, 14.2.5.1).
enum class Concern : std::uint8_t { Anything, Link, Errors, Itself, Refusal };

Concern concern_of(const mad::Notice& notice) {
  if (!notice.is_generic) return Concern::Anything;  // its number is a vendor's
  switch (mad::TrapNumber{notice.trap_number}) {
    case mad::TrapNumber::LinkStateChange:
      return Concern::Link;
    case mad::TrapNumber::LocalLinkIntegrity:
    case mad::TrapNumber::ExcessiveBufferOverrun:
    case mad::TrapNumber::FlowControlUpdateWatchdog:
      return Concern::Errors;
    case mad::TrapNumber::LocalChanges:
    case mad::TrapNumber::SystemImageGuidChange:
    // Whoever was asked with a wrong M_Key must be asked with the right one before its lease ends.
    case mad::TrapNumber::BadMKey:
      return Concern::Itself;
    case mad::TrapNumber::BadPKey:
    case mad::TrapNumber::BadQKey:
    case mad::TrapNumber::SwitchBadPKey:
      return Concern::Refusal;
    default:
      return Concern::Anything;
  }
}

}  // namespace

std::string text(const NodeName& node) {
  const std::string guid = base::hex(node.guid.value);
  return node.description.empty() ? guid : node.description + " (" + guid + ")";
}

std::string text(const PortName& port) {
  return text(port.node) + " port " + std::to_string(port.port.value);
}

Core::Machine::Machine(Options chosen, std::vector<RememberedLids> remembered,
                       std::string registrations)
    : options(std::move(chosen)), memory(std::move(remembered)), transactions(limits_of(options)) {
  use_keys();
  if (options.reassign_lids) memory.clear();
  keys.remember(memory);
  administration.set_key(options.sm_key);
  administration.limit(options.sa_rate);
  administration.set_trust(options.trust);
  administration.set_multicast(options.multicast);
  administration.set_packet_life_time(options.subnet_timeout);
  administration.set_remembered(options.durable);
  restore(std::move(registrations));
}

void Core::Machine::step(base::Instant moment, Input input) {
  HEDDLE_CHECK(!started || moment >= now);
  now = moment;
  ++steps;
  patience.advance(now);
  if (!std::exchange(started, true)) {
    told_load = now;
    begin_sweep("start");
  }
  std::visit([this](auto& value) { on(value); }, input);
  answer_who_asked_early();
  look_at_own_port();
  pump();
  if (is_overtaken()) begin_anew();
  if (may_cut_short() && waits_after_change()) cut_short();
  advance();
  if (now >= inheritance_ends) end_inheritance();
  carry_out_administration();
  if (role_changes.empty() && fetches.empty() && alias_writes.empty()) return;
  advance();
  carry_out_administration();
}

// Whoever has not registered by now is no member.
void Core::Machine::end_inheritance() {
  inheritance_ends = base::kNever;
  const auto left = multicast_programming.release(administration.registrations().groups);
  role_changes.insert(role_changes.end(), left.begin(), left.end());
}

base::Instant Core::Machine::deadline() {
  if (!started) return base::Instant{};
  if (stage == Stage::Addresses) return now;
  base::Instant next = transactions.deadline();
  // What an election still asks for has to be over before anything else begins.
  const bool rests = stage == Stage::Resting && transactions.idle();
  if (rests && unready_since) return now;
  if (rests) next = has_to_tell() ? std::min(wake, tells_next) : wake;
  if (rests && has_joins()) next = std::min(next, joins_next);
  if (rests && has_groups_to_list()) next = std::min(next, lists_groups_next);
  if (administration.view() != nullptr) next = std::min(next, notary.deadline());
  return std::min({next, administration.deadline(), inheritance_ends});
}

mad::SmpData Core::Machine::data_for(const Request& request) {
  if (request.purpose == Purpose::Election) return sm_info_data(true);
  if (request.purpose == Purpose::Partitions) return partition_programming.data_for(request);
  if (request.purpose == Purpose::Lanes) return lane_programming.data_for(request);
  if (request.purpose == Purpose::Arbitration)
    return arbitration_programming.data_for(context(), request);
  if (request.purpose == Purpose::Multicast) return multicast_programming.data_for(request);
  if (request.purpose == Purpose::Aliases) return alias_programming.data_for(request);
  if (request.purpose == Purpose::Orders) return order_programming.data_for(context(), request);
  if (request.purpose == Purpose::Virtual) return virtual_ports.data_for(request);
  return programming.data_for(context(), request);
}

void Core::Machine::send(const mad::Smp& smp) {
  if (options.shadow && smp.method == mad::Method::Set) return say(shadow.note(picture, smp));
  outputs.emplace_back(SendMad{mad::make_datagram(mad::Address{}, smp)});
}

void Core::Machine::say(EventValue value) {
  outputs.emplace_back(Event{std::move(value)});
}

void Core::Machine::pump() {
  for (;;) {
    transactions.pump(now, *this);
    const auto given_up = transactions.take_given_up();
    const auto supposed = shadow.take_answers();
    if (given_up.empty() && supposed.empty()) return;
    for (const Answer& answer : given_up) dispatch(answer);
    for (const mad::Smp& smp : supposed) {
      if (const auto answer = transactions.on_response(now, smp)) dispatch(*answer);
    }
  }
}

void Core::Machine::dispatch(const Answer& answer) {
  if (!answer.answered) note_silence(answer.request);
  Context with = context();
  switch (answer.request.purpose) {
    case Purpose::Discovery:
      return revisiting ? revisit.on_answer(with, discovery, answer)
                        : discovery.on_answer(with, answer);
    case Purpose::Lids:
    case Purpose::Tables:
    case Purpose::Links:
      return programming.on_answer(with, answer);
    case Purpose::Partitions:
      return partition_programming.on_answer(with, answer);
    case Purpose::Lanes:
      return lane_programming.on_answer(with, answer);
    case Purpose::Arbitration:
      return arbitration_programming.on_answer(with, answer);
    case Purpose::Multicast:
      return multicast_programming.on_answer(with, answer);
    case Purpose::Aliases:
      return alias_programming.on_answer(with, answer);
    case Purpose::Orders:
      return order_programming.on_answer(with, answer);
    case Purpose::Virtual:
      return virtual_ports.on_answer(with, answer);
    case Purpose::Watch:
      return watch.on_answer(with, answer);
    case Purpose::Election:
      if (answer.request.attribute == mad::AttributeId::PortInfo) return on_own_lid(answer);
      return election.on_answer(with, answer);
    case Purpose::OwnPort:
      return on_own_port(answer);
    case Purpose::Administration:
      return on_fetched(answer);
  }
}

// A subnet has one administration, its master's; whoever asks another must look up its LID again.
void Core::Machine::administer(const mad::Datagram& received) {
  if (election.state() != mad::SMState::Master) return;
  if (!administration.admit(now, received)) return;
  if (notary.is_full()) return administration.put_off(received);
  const bool long_one = administration.view() != nullptr && sa::may_take_long(received) &&
                        administration.may_ask(received);
  if (long_one) return look_up(received);
  administration.on_mad(now, received);
}

void Core::Machine::look_up(const mad::Datagram& request) {
  const auto begun = look_ups.begin(request.peer.lid);
  if (!begun) return administration.put_off(request);
  outputs.emplace_back(LookUp{*begun, administration.shared_view(), options.sm_key, request});
}

// The answer may be 32 MiB: it is passed on, not copied.
void Core::Machine::on(LookedUp& looked_up) {
  if (!look_ups.finish(looked_up.ticket)) return;
  if (election.state() != mad::SMState::Master || !looked_up.reply) return;
  mad::Datagram& reply = *looked_up.reply;
  const bool room = look_ups.let_out(now, reply.payload.size());
  outputs.emplace_back(SendMad{room ? std::move(reply) : sa::busy_instead(reply, sa::kFirstHint)});
}

// Of those that asked most: by name where there is one.
void Core::Machine::tell_load() {
  const auto asked = administration.take_statistics();
  const auto since = std::exchange(told_load, now);
  if (asked.requests == 0) return;
  AdministrationLoad load{now - since, asked.requests, asked.put_off, {}};
  for (const auto& talker : asked.top) {
    load.top.push_back({name_of(talker.lid), talker.lid, talker.requests, talker.put_off});
  }
  say(std::move(load));
}

void Core::Machine::carry_out_administration() {
  administration.pump(now);
  remember();
  for (mad::Datagram& datagram : administration.take_outgoing()) {
    outputs.emplace_back(SendMad{std::move(datagram)});
  }
  for (std::string& reason : administration.take_refusals()) say(JoinRefused{std::move(reason)});
  const auto more = administration.take_fetches();
  fetches.insert(fetches.end(), more.begin(), more.end());
  const auto writes = administration.take_alias_writes();
  alias_writes.insert(alias_writes.end(), writes.begin(), writes.end());
  const auto changes = administration.take_role_changes();
  role_changes.insert(role_changes.end(), changes.begin(), changes.end());
  groups_changed |= !changes.empty();
  for (const sa::Subscription& lost : administration.take_lost()) {
    say(SubscriberLost{lost.subscriber.guid, lost.report_to.lid});
  }
}

void Core::Machine::begin_fetching() {
  stage = Stage::Fetching;
  fetching = std::exchange(fetches, {});
  for (std::uint32_t i = 0; i < fetching.size(); ++i) {
    const auto device = picture.device(picture.frozen.end_of[fetching[i].port.value]);
    if (!device) {
      administration.on_fetched(now, fetching[i], std::nullopt);
      continue;
    }
    Request request;
    request.device = *device;
    request.purpose = Purpose::Administration;
    request.attribute = fetching[i].attribute;
    request.modifier = fetching[i].modifier;
    request.detail = i;
    request.optional = true;
    transactions.submit(request);
  }
}

void Core::Machine::begin_aliasing() {
  stage = Stage::Aliasing;
  Context with = context();
  alias_programming.begin(with, std::exchange(alias_writes, {}));
}

void Core::Machine::finish_aliasing() {
  stage = Stage::Resting;
  administration.on_aliases_written(now, alias_programming.take_outcomes());
}

// While the own port has no link nobody can be told.
bool Core::Machine::has_to_tell() const {
  return options.reregister && !untold.empty() && administration.view() != nullptr &&
         picture.frozen.topology != nullptr;
}

// All at once would all come back at once. A tenth of a second's worth, and then the next.
void Core::Machine::begin_telling() {
  constexpr base::Duration kPause = std::chrono::milliseconds(100);
  stage = Stage::Telling;
  tells_next = now + kPause;
  Context with = context();
  std::size_t left =
      options.reregister_rate == 0 ? untold.size() : std::max(options.reregister_rate / 10, 1u);
  being_told.clear();
  for (; left > 0 && !untold.empty(); --left) {
    const auto port = administration.view()->find(*untold.begin());
    untold.erase(untold.begin());
    if (port == fabric::kNoPort) continue;
    programming.tell_clients(with, port);
    virtual_ports.tell_clients(with, port);
    being_told.push_back(port);
  }
}

// A port that was found in another state will not be found so by the next look.
void Core::Machine::finish_telling() {
  stage = Stage::Resting;
  const Context with = context();
  for (const fabric::PortIndex port : being_told) {
    if (programming.tells_clients(with, port)) {
      unheard.insert(picture.frozen.topology->port(port).guid);
    }
  }
  if (programming.fabric_moved() || overtaken_by_falls(false)) {
    if (troubled.empty()) troubled = "a port changed its state";
  } else if (suspicion.empty()) {
    return;
  }
  wake = now;
}

void Core::Machine::on_fetched(const Answer& answer) {
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  administration.on_fetched(now, fetching[answer.request.detail],
                            well ? std::optional(answer.data) : std::nullopt);
}

void Core::Machine::on(const MadReceived& received) {
  if (sa::is_subnet_administration(received.datagram.payload)) {
    return administer(received.datagram);
  }
  const auto smp = mad::decode_smp(received.datagram.payload);
  if (!smp) return say(MadIgnored{"not a subnet management packet of a known version"});
  if (!mad::is_response(smp->method)) return on_request(received.datagram.peer, *smp);
  if (smp->method == mad::Method::TrapRepress) return election.on_repressed();
  const bool answers = smp->method == mad::Method::GetResp;
  if (const auto answer = answers ? transactions.on_response(now, *smp) : std::nullopt) {
    dispatch(*answer);
  }
}

void Core::Machine::on(const SendFailed& failed) {
  if (const auto smp = mad::decode_smp(failed.datagram.payload)) {
    transactions.on_send_failed(now, *smp);
  }
}

// Who asks for a sweep by hand may doubt everything, the tables that we believe to stand included.
void Core::Machine::on(const ResweepCommand& command) {
  due = command.reason;
  home_is_doubted = true;
  lanes_refused = false;
  tables_are_ours = false;
}

void Core::Machine::on(const OptionsChanged& changed) {
  const bool is_shadow = options.shadow;
  Options old = options;
  old.partitions = changed.options->partitions;
  options = *changed.options;
  options.shadow = is_shadow;  // what was only thought of, or done, cannot be taken back
  // Partitions are the master's to program; the next one has them when it is master.
  if (election.state() == mad::SMState::Standby && old == options) return;
  transactions.set_limits(limits_of(options));
  use_keys();
  administration.set_key(options.sm_key);
  administration.limit(options.sa_rate);
  administration.set_trust(options.trust);
  administration.set_multicast(options.multicast);
  administration.set_packet_life_time(options.subnet_timeout);
  permanent_groups_due = true;
  lanes_refused = false;
  home_is_doubted = true;
  due = "the configuration changed";
}

void Core::Machine::use_keys() {
  keys.set(options);
  keys_changed = true;
  transactions.set_keys(keys.for_strangers());
}

void Core::Machine::on_request(const mad::Address& peer, const mad::Smp& request) {
  switch (request.attribute_id) {
    case mad::AttributeId::SMInfo:
      return hear_sm_info(peer, request);
    case mad::AttributeId::Notice:
      if (request.method == mad::Method::Trap) return repress_trap(peer, request);
      break;
    default:
      break;
  }
  say(MadIgnored{"a request that is not for a subnet manager"});
}

mad::Guid Core::Machine::own_guid() const {
  if (!picture.own) return guid_before;
  const auto& node = picture.observation[picture.own->node];
  return node.port_guid(picture.own->port);
}

// Whoever repeats a trap until it is repressed gets its answer; what it tells is a reason to look.
void Core::Machine::repress_trap(const mad::Address& peer, const mad::Smp& trap) {
  mad::Smp repress = trap;
  repress.method = mad::Method::TrapRepress;
  repress.m_key = keys.of(port_guid_of(peer.lid));
  repress.status = mad::kStatusOk;
  outputs.emplace_back(SendMad{mad::make_datagram(peer, repress)});
  if (election.state() != mad::SMState::Master || !heeds_traps_of(peer.lid)) return;
  forward(peer, trap);
  const auto notice = mad::decode<mad::Notice>(trap.data);
  const Concern concern = concern_of(notice);
  const fabric::PortIndex issuer = issuer_of(peer, notice);
  bool followed = false;
  if (issuer != fabric::kNoPort) {
    if (concern == Concern::Refusal) return;  // a packet's end: no look would show any of it
    if (concern == Concern::Errors && !suspect_erring(issuer)) return;
    if (concern == Concern::Link) followed = suspect_issuer(issuer, false);
    if (concern == Concern::Itself) suspect_issuer(issuer, true);
  }
  trapped = true;
  if (concern == Concern::Link && !followed && !retries_at_change) {
    retries_at_change = transactions.counters().retries;
  }
  if (stage == Stage::Resting) heed_trap();
}

bool Core::Machine::heeds_traps_of(mad::Lid from) {
  const auto verdict = damping.on_trap(now, from);
  if (verdict.is_new && verdict.level == TrapDamping::Level::Damped) {
    say(NoisyPortDamped{name_of(from), from});
  } else if (verdict.is_new) {
    say(NoisyPortQuarantined{name_of(from), from});
  }
  return verdict.heeded;
}

void Core::Machine::tell_of_quiet_ports() {
  for (const mad::Lid lid : damping.take_quiet(now)) say(NoisyPortHeardAgain{name_of(lid), lid});
}

mad::Guid Core::Machine::port_guid_of(mad::Lid lid) const {
  const sa::View* view = administration.view();
  const auto port = view != nullptr ? view->find(lid) : fabric::kNoPort;
  return port == fabric::kNoPort ? mad::Guid{} : view->topology().port(port).guid;
}

// Empty if nobody has that LID.
NodeName Core::Machine::name_of(mad::Lid lid) const {
  const sa::View* view = administration.view();
  const auto port = view != nullptr ? view->find(lid) : fabric::kNoPort;
  if (port == fabric::kNoPort) return {};
  const auto& node = view->topology().node(view->topology().node_of(port));
  return {node.guid, node.description};
}

// The port that a trap is of, which is the one that it came from; kNoPort if that is not so.
fabric::PortIndex Core::Machine::issuer_of(const mad::Address& peer,
                                           const mad::Notice& notice) const {
  const sa::View* view = administration.view();
  if (view == nullptr) return fabric::kNoPort;
  const fabric::PortIndex issuer = view->find(notice.issuer_lid);
  return issuer == view->find(peer.lid) ? issuer : fabric::kNoPort;
}

// A trap that tells of its issuer is looked into there; any other asks for a look around. True if
// the sweep that runs takes it in.
bool Core::Machine::suspect_issuer(fabric::PortIndex issuer, bool of_itself) {
  const auto& topology = administration.view()->topology();
  const auto& named = topology.node(topology.node_of(issuer));
  const mad::Guid node = named.guid;
  const bool reads = revisiting && stage == Stage::Discovery && !of_itself;
  if (reads && revisit.suspect(context(), node)) return true;
  suspicion.nodes.insert(node);
  if (suspicion.reason.empty()) {
    suspicion.reason = text(NodeName{node, named.description}) +
                       (of_itself ? " told of a change in itself" : " told of a change of a link");
  }
  if (of_itself) suspicion.entirely.insert(node);
  return reads;
}

// A bad cable makes its ports tell of errors for days, and mostly nothing has changed. False if
// that node was looked at a moment ago.
bool Core::Machine::suspect_erring(fabric::PortIndex issuer) {
  const auto& topology = administration.view()->topology();
  std::erase_if(errors_told,
                [&](const auto& told) { return now >= told.second + kBetweenErrorLooks; });
  const mad::Guid node = topology.node(topology.node_of(issuer)).guid;
  if (!errors_told.emplace(node, now).second) return false;
  erring.insert(node);
  return true;
}

// What a trap tells goes on to whoever subscribed to it. Its issuer is the port it came from.
void Core::Machine::forward(const mad::Address& peer, const mad::Smp& trap) {
  const auto notice = mad::decode<mad::Notice>(trap.data);
  const fabric::PortIndex issuer = issuer_of(peer, notice);
  if (issuer == fabric::kNoPort) return;
  administration.report(now, notice, administration.view()->gid(issuer));
}

void Core::Machine::on(RoutesReady& ready) {
  if (ready.ticket != ticket) return;
  if (stage == Stage::Routing) return take_routes(ready);
  const bool comes_early = stage == Stage::Addresses || stage == Stage::Lids;
  if (comes_early) early_routes = std::move(ready);
}

void Core::Machine::take_routes(const RoutesReady& ready) {
  keeps_standing = false;  // a sweep that was broken off before this is followed by one that does
  Context with = context();
  if (!ready.selected) {
    say(RoutingFailed{ready.selected.error().message});
    if (home && home->found) home.reset();  // what was found is of this very moment
    picture.problems.push_back("no routing: " + ready.selected.error().message);
    end_phase();
    return finish_sweep();
  }
  picture.routes = *ready.selected;
  take_transition(ready.transition);
  const auto plain = ready.plain ? ready.plain : picture.routes;
  const bool from_home = home && home->selected == plain;
  const bool from_standing = home && home->found;
  if ((picture.routes->fresh || from_standing) && !from_home) {
    home = std::make_shared<const routing::Home>(
        routing::Home{picture.frozen.topology, picture.routed_lids, asked_by, plain});
  }
  for (const auto& rejected : picture.routes->rejected) {
    say(EngineRejected{rejected.engine, rejected.reason});
  }
  const unsigned vls = picture.routes->routes.lanes.vls;
  if (vls > 1 && options.qos_policy) {
    say(QosLevelsLeftOut{picture.routes->routes.engine, vls});
  }
  begin_phase(Phase::Tables, Stage::Lanes);
  tables_begun = false;
  if (vls > 1 && options.lane_tables) {
    say(QosTablesLeftOut{picture.routes->routes.engine, vls});
  }
  lane_programming.begin(with, others_may_have_written || ways_doubted);
  arbitration_programming.begin(with, others_may_have_written || ways_doubted);
}

fabric::PortSettings Core::Machine::port_settings() const {
  fabric::PortSettings settings;
  settings.subnet_prefix = options.subnet_prefix;
  settings.m_key = [this](mad::Guid port) { return keys.of(port); };
  settings.m_key_protect_bits = options.m_key_protection;
  settings.m_key_lease_period = options.m_key_lease;
  settings.sm_lid =
      picture.sm_port == fabric::kNoPort ? mad::kNoLid : picture.lids->base(picture.sm_port);
  settings.sm_sl = options.sm_sl;
  settings.subnet_timeout = options.subnet_timeout;
  settings.links.max_operational_vls = options.max_operational_vls;
  settings.links.head_of_queue_life = options.head_of_queue_life;
  settings.links.leaf_head_of_queue_life = options.leaf_head_of_queue_life;
  settings.links.vl_stall_count = options.vl_stall_count;
  settings.links.leaf_vl_stall_count = options.leaf_vl_stall_count;
  settings.links.wishes = options.link_wishes;
  return settings;
}

RoutesReady carry_out(const ComputeRoutes& work, const base::ParallelFor& parallel) {
  auto selected =
      routing::select_near_home(*work.topology, *work.lids, work.policy, work.home.get(), parallel,
                                work.in_place.selected.get());
  RoutesReady ready{work.ticket, std::move(selected), {}, nullptr};
  if (!ready.selected) return ready;
  routing::InPlace in_place = work.in_place;
  if (work.with_guests) {
    ready.plain = *ready.selected;
    ready.selected = routes_with_guests(ready.plain, *work.with_guests);
    in_place.selected = nullptr;  // whose tables they are says nothing about guests
  }
  const fabric::LidMap& lids = work.with_guests ? *work.with_guests : *work.lids;
  ready.transition =
      routing::plan_transition(*work.topology, lids, **ready.selected, in_place, parallel);
  return ready;
}

// A shadow writes nothing, so for it nothing is ever mixed.
void Core::Machine::take_transition(const routing::Transition& transition) {
  if (options.shadow) return programming.set_transition({});
  const std::size_t emptied = transition.emptied_count();
  if (emptied > 0) say(TablesEmptiedFirst{transition.changed, emptied, transition.clashing > 0});
  programming.set_transition(transition);
}

// --- Core ---------------------------------------------------------------------------------------

Core::Core(Options options, std::vector<RememberedLids> remembered, std::string registrations)
    : machine_(std::make_unique<Machine>(std::move(options), std::move(remembered),
                                         std::move(registrations))) {}
Core::~Core() = default;
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;

void Core::step(base::Instant now, Input input) {
  machine_->step(now, std::move(input));
}
base::Instant Core::deadline() const {
  return machine_->deadline();
}
std::vector<Output> Core::take_outputs() {
  return std::exchange(machine_->outputs, {});
}
std::uint64_t Core::sweeps_finished() const {
  return machine_->sweeps_finished;
}
bool Core::sweeping() const {
  return machine_->stage != Stage::Resting;
}
bool Core::quiet() const {
  return machine_->stage == Stage::Resting && !machine_->has_to_tell();
}
mad::SMState Core::state() const {
  return machine_->election.state();
}
std::string Core::registrations() const {
  if (state() != mad::SMState::Master || machine_->administration.view() == nullptr) return {};
  return machine_->registrations_text();
}
std::shared_ptr<const sa::View> Core::queries_view() const {
  return state() == mad::SMState::Master ? machine_->administration.shared_view() : nullptr;
}
mad::SMKey Core::sa_key() const {
  return machine_->options.sm_key;
}
std::uint64_t Core::progress() const {
  return machine_->settled_requests() - machine_->settled_before_phase;
}

}  // namespace heddle::sm
