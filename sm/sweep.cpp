// SPDX-License-Identifier: BSD-3-Clause
// The sweep, stage by stage: discovery, LIDs, routing, tables, links.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "sm/changes.hpp"
#include "sm/islands.hpp"
#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;

// How long members gather after a change of trees: twice as long as it took, and at least twice
// what it computes for each of their members.
constexpr base::Duration::rep kForAChange = 2;
constexpr base::Duration kForAMember = std::chrono::microseconds(2);
constexpr base::Duration kLongestGathering = std::chrono::milliseconds(250);

std::vector<LidRequest> lid_requests(const Picture& picture, const Options& options) {
  const auto& topology = *picture.frozen.topology;
  std::vector<LidRequest> requests;
  requests.reserve(topology.endports().size());
  for (const PortIndex port : picture.all_endports()) {
    const auto* info = picture.info(port);
    if (info == nullptr) continue;
    const auto node = topology.node_of(port);
    const bool takes_lmc = !topology.is_switch(node) ||
                           (topology.node(node).enhanced_port0 && options.lmc_on_enhanced_port0);
    LidRequest request;
    request.port = port;
    request.port_guid = topology.port(port).guid;
    request.lmc = takes_lmc ? options.lmc : std::uint8_t{0};
    if (!options.reassign_lids) {
      request.held = info->lid;
    }
    requests.push_back(request);
  }
  return requests;
}

PortName holder(const Picture& picture, const LidRequest& request) {
  PortName name = picture.name(request.port);
  if (!request.is_guest()) return name;
  name.node.guid = request.port_guid;
  name.node.description += " virtual port " + std::to_string(request.vport);
  return name;
}

// The highest LID that every switch can forward.
mad::Lid last_lid(const fabric::Topology& topology) {
  std::uint16_t last = mad::kLastUnicastLid.value;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const std::uint16_t cap = topology.node(fabric::SwitchIndex{s}).linear_fdb_cap;
    last = std::min<std::uint16_t>(last, cap > 0 ? static_cast<std::uint16_t>(cap - 1) : 0);
  }
  return {last};
}

// The levels depend on routes that are yet to be made: until then they stay.
void keep_sm_levels(Picture& picture) {
  for (const PortIndex port : picture.frozen.topology->endports()) {
    const mad::PortInfo* info = picture.info(port);
    if (info != nullptr) picture.intent.set_sm_level(port, info->master_sm_sl);
  }
}

}  // namespace

void Core::Machine::begin_phase(Phase which, Stage next) {
  end_phase();
  phase = which;
  phase_began = now;
  stage = next;
  settled_before_phase = settled_requests();
}

void Core::Machine::announce_phase(std::uint64_t expected) {
  say(PhaseStarted{*phase, expected});
}

std::uint64_t Core::Machine::settled_requests() const {
  return transactions.counters().answered + transactions.counters().unanswered;
}

void Core::Machine::begin_multicast() {
  stage = Stage::Multicast;
  Context with = context();
  // So that the next change finds only what differs to be compared.
  if (!revisiting) programming.note_tables(with);
  multicast_programming.renew(with, others_may_have_written, programming.doubted());
  // Whatever stands in any switch goes, and whoever it leads to is no member.
  if (!options.multicast) {
    heirlooms.assign(picture.frozen.topology->switch_count(), true);
    end_inheritance();
  }
  if (!heirlooms.empty()) {
    multicast_programming.inherit(std::exchange(heirlooms, {}), options.multicast);
  }
  multicast_programming.begin(with, std::exchange(role_changes, {}),
                              administration.registrations().groups, true);
}

// Members come or go whose trees may be changed between sweeps.
bool Core::Machine::has_joins() const {
  return !role_changes.empty() && multicast_programming.stands_on(picture.frozen.topology);
}

void Core::Machine::begin_joining() {
  if (outgrows_multicast_top()) return begin_sweep("the multicast tables must grow");
  stage = Stage::Joining;
  joining_began = now;
  Context with = context();
  multicast_programming.begin(with, std::exchange(role_changes, {}),
                              administration.registrations().groups, false);
}

void Core::Machine::finish_joining() {
  administration.set_multicast_tables(multicast_programming.tables(picture.frozen.topology));
  if (may_list_groups()) publish_groups();
  // Each change has whole trees proven. In a storm so many gather for the next one that most of the
  // time is left for the rest; their clients have their answers meanwhile.
  const auto members = static_cast<base::Duration::rep>(multicast_programming.members_proven());
  const base::Duration least = kForAMember * members;
  const base::Duration twice = kForAChange * (now - joining_began);  // others may use the processor
  joins_next = now + std::min(std::max(least, twice), kLongestGathering);
  stage = Stage::Resting;
}

// Entries above MulticastFDBTop do not count, where there is one.
bool Core::Machine::outgrows_multicast_top() const {
  const mad::Lid top = picture.intent.switches.multicast_fdb_top;
  return top != mad::kNoLid && std::any_of(role_changes.begin(), role_changes.end(),
                                           [top](const auto& change) { return change.mlid > top; });
}

void Core::Machine::begin_links() {
  begin_phase(Phase::Links, Stage::LinkFields);
  Context with = context();
  order_programming.begin(with, order_plan.switched_off, order_plan.switched_on);
  programming.write_links(with, LinkStep::Fields);
  announce_phase(transactions.queued() + programming.raises_to_come(with));
}

void Core::Machine::end_phase() {
  if (!phase) return;
  statistics.phase[static_cast<std::size_t>(*phase)] += now - phase_began;
  phase.reset();
}

void Core::Machine::prepare_sweep(bool full, std::string reason) {
  heeds_trap |= std::exchange(trapped, false);
  retries_at_change.reset();
  suspicion = {};
  revisiting = !full;
  lanes_failed = false;
  unready_since.reset();
  statistics = {};
  statistics.number = sweeps_finished + 1;
  sweep_began = now;
  // A quiet look at the fabric after the last sweep shows that it stood still while we wrote.
  const bool stood_still = confirmed && unconfirmed.empty();
  if (!stood_still && full) keys.doubt_tries();
  renew_doubts(stood_still);
  others_may_have_written = !tables_are_ours;
  tables_are_ours = false;
  transactions.begin_counting();
  fallen_before = std::exchange(fallen_switches, {});
  retries_at_look = 0;
  own_port_fell = false;
  guid_before = own_guid();
  programming.begin_sweep();
  ailing.begin_sweep();
  stranger_silent = false;
  virtual_ports.begin_sweep();
  shadow.begin_sweep();
  sweep_reason = std::move(reason);
  if (full) say(SweepStarted{statistics.number, true, sweep_reason});
}

// By which ways may something have been written to devices that it was not meant for?
void Core::Machine::renew_doubts(bool stood_still) {
  // One that ended in its discovery wrote nothing: the doubts are about the one before it.
  if (!stood_still && !has_written) return;
  // What died may come back and lead elsewhere. A full sweep reads everything.
  auto dead = has_written_all ? std::vector<Way>{} : dead_ways(picture, doubtful_ways);
  doubtful_ways = stood_still ? std::vector<Way>{} : ways_to_devices(picture, transactions);
  doubtful_ways.insert(doubtful_ways.end(), dead.begin(), dead.end());
  has_written = has_written_all = false;
}

void Core::Machine::begin_sweep(std::string reason) {
  due.reset();
  misled = false;
  if (election.forget_undecided()) tables_are_ours = false;
  prepare_sweep(true, std::move(reason));
  confirmed = false;
  unconfirmed.clear();
  swept = now;
  transactions.reset();
  election.lose_devices();
  // A sweep that got no further than the own port says nothing about what came or went.
  if (picture.lids) before = std::exchange(picture, {});
  picture = {};
  begin_phase(Phase::Discovery, Stage::Discovery);
  announce_phase(0);
  discovery = Discovery(before ? &before->observation : nullptr, others_may_have_written);
  Context with = context();
  discovery.begin(with);
  pump();
}

// What nobody suspects may be believed to be as the last sweep left it.
bool Core::Machine::may_revisit() const {
  const bool known = picture.lids && picture.own && !blind && picture.frozen.contradictions.empty();
  const bool routed = picture.routes || picture.frozen.topology->switch_count() == 0;
  return election.state() == mad::SMState::Master && tables_are_ours && troubled.empty() && known &&
         routed;
}

void Core::Machine::begin_revisit(const Suspicion& of) {
  statistics_before = statistics;
  prepare_sweep(false, of.reason);
  transactions.cancel();  // of a look around that saw enough
  before.reset();
  problems_before = std::exchange(picture.problems, {});
  picture.silent.clear();
  begin_phase(Phase::Discovery, Stage::Discovery);
  discovery = Discovery(&picture.observation, false);
  Context with = context();
  revisit.begin(with, of);
}

void Core::Machine::begin_sweep_of(Suspicion of) {
  may_revisit() ? begin_revisit(of) : begin_sweep(of.reason);
}

void Core::Machine::advance() {
  while (stage != Stage::Routing && (transactions.idle() || has_seen_enough())) {
    Context with = context();
    switch (stage) {
      case Stage::Resting:
        if (!begin_work()) return;
        break;
      case Stage::Discovery:
        if (discovery.recovers_keys(with)) break;
        if (!revisiting && discovery.reads_again(with, late_blocks)) break;
        if (revisiting && revisit.go_on(with, discovery)) break;
        if (!revisiting || !virtual_ports.look(with, revisit.visited())) finish_discovery();
        break;
      case Stage::Virtual:
        assign();
        pump();
        return;  // whoever computes routes begins now, while addresses are written
      case Stage::Addresses:
        write_addresses();
        break;
      case Stage::Lids:
        await_routes();
        break;
      case Stage::Lanes:
        go_on_with_lanes(with);
        break;
      case Stage::Tables:
        go_on_with_tables(with);
        break;
      case Stage::Multicast:
        if (!multicast_programming.go_on(with)) begin_links();
        break;
      case Stage::Fetching:
        stage = Stage::Resting;
        break;
      case Stage::Telling:
        finish_telling();
        break;
      case Stage::Aliasing:
        finish_aliasing();
        break;
      case Stage::Joining:
        if (!multicast_programming.go_on(with)) finish_joining();
        break;
      case Stage::LinkFields:
        stage = Stage::LinkArm;
        programming.write_links(with, LinkStep::Arm);
        break;
      case Stage::LinkArm:
        stage = Stage::LinkActivate;
        programming.write_links(with, LinkStep::Activate);
        break;
      case Stage::LinkActivate:
        stage = Stage::VirtualActivate;
        programming.recheck_beyond_raised(with);
        virtual_ports.raise(with);
        break;
      case Stage::VirtualActivate:
        finish_links();
        break;
      case Stage::Watching:
      case Stage::Polling:
        finish_watch();
        break;
      case Stage::Routing:
        return;
    }
    pump();
  }
}

// A false alarm: whoever cries wolf five times a second must not make the log unreadable.
void Core::Machine::finish_in_vain() {
  end_phase();
  tables_are_ours = true;
  picture.problems = std::move(problems_before);
  statistics = statistics_before;
  programming.end_in_vain();
  fallen_switches.merge(fallen_before);
  conclude_ailing(false);
  misled |= revisit.is_misled() || discovery.is_misled();
  show_managers();
  if (begin_hand_over()) return;
  rest(options.sweep_interval);
}

void Core::Machine::finish_discovery() {
  Context with = context();
  others_may_have_written = others_may_have_written || discovery.written_by_others();
  late_blocks.clear();
  silent_in_discovery = transactions.counters().fell_silent;
  lost_in_discovery = transactions.counters().lost_ways;
  if (revisiting) {
    const bool changed = revisit.changed() || virtual_ports.changed();
    if (!changed && !others_may_have_written) return finish_in_vain();
    say(SweepStarted{statistics.number, false, sweep_reason});
  }
  const bool knows_before = before && before->frozen.topology;
  if (revisiting) {
    // What nobody suspected is as it was.
  } else if (picture.own && knows_before && before->frozen.contradictions.empty()) {
    for (const auto& [node, looks] : ailing.all_unread()) patience.remind(node, looks, looked);
    patience.fill_gaps(with, *before);
  } else {
    patience.forget();
  }
  if (manager_was_cut_off()) {
    tables_are_ours = false;
    return begin_sweep("another SM was cut off for a while, and may have been master there");
  }
  picture.frozen = fabric::freeze(picture.observation, left_out(), &picture.frozen);
  if (revisiting && !is_coherent()) {
    tables_are_ours = !others_may_have_written;  // nothing was written yet
    confirmed = false;  // that all stood still before this does not settle what speaks against it
    return begin_sweep("the fabric contradicts itself");
  }
  // Of the last sweep, if at all: they do not fit this topology.
  picture.lids.reset();
  picture.routes.reset();
  discovery.conclude(with);
  if (!picture.own) return lose_port("the own port does not answer; it may have another M_Key");
  own_misses = 0;
  picture.sm_port = picture.frozen.port_of(picture.observation, *picture.own);
  const auto& own = picture.observation.port(*picture.own).info;
  const bool on_switch = picture.own->port.value == 0;
  if (!own || (!on_switch && own->port_state == mad::PortState::Down)) {
    return lose_port("the link of the SM's own port is down");
  }
  blind = false;
  const auto state_before = election.state();
  if (!options.shadow && !election.decide(with, own_guid())) {
    home.reset();  // somebody else's routes will stand
    return finish_sweep();
  }
  if (state_before != mad::SMState::Master) enter_office();
  report_changes();
  begin_virtual();
}

// As master: others' VPorts are not ours to enable.
void Core::Machine::begin_virtual() {
  stage = Stage::Virtual;
  ways_doubted = !revisiting && !still_lead_there(picture, doubtful_ways);
  Context with = context();
  virtual_ports.begin(with, !revisiting, others_may_have_written || ways_doubted);
}

// Few nodes of which something else is known than the view shows; nothing where they may be many.
LinkDamping::Nodes Core::Machine::changed_since_view() const {
  if (picture.observation.identity() != view_of) return std::nullopt;
  auto changed = picture.observation.changed_since(view_edition);
  if (changed.size() > picture.observation.size() / 4) return std::nullopt;
  return changed;
}

// Links that come and go.
std::vector<fabric::ObservedEnd> Core::Machine::held_back() {
  const sa::View* view = administration.view();
  if (view == nullptr || options.shadow) return {};
  const LinkDamping::Limits limits{options.flap_limit, options.flap_window, options.flap_hold};
  link_damping.note_losses(now, sweeps_finished, *view, picture.observation, changed_since_view());
  auto held = link_damping.judge(now, limits, picture.observation);
  const auto name = [&](LinkDamping::End end) {
    const auto node = picture.observation.find(end.node);
    return PortName{node ? picture.name(*node) : NodeName{end.node, ""}, end.port};
  };
  for (const auto& [link, level, losses] : link_damping.take_news()) {
    const PortName a = name(link.first), b = name(link.second);
    if (level == LinkDamping::Level::HeldBack) say(LinkHeldBack{a, b, losses});
    if (level == LinkDamping::Level::Needed) say(LinkFlapsButNeeded{a, b, losses});
    if (level == LinkDamping::Level::Used) say(LinkUsedAgain{a, b});
  }
  for (std::size_t i = 0; i + 1 < held.size(); i += 2) {
    picture.problems.push_back("the link " + text(picture.name(held[i])) + " - " +
                               text(picture.name(held[i + 1])) +
                               " is held back, because it comes and goes");
  }
  return held;
}

// With a part of the fabric: what did not change otherwise may have been written to.
bool Core::Machine::manager_was_cut_off() const {
  if (revisiting) return revisit.met_anothers() || revisit.cut_off_manager(picture);
  if (!before || !picture.own || others_may_have_written) return false;
  const auto managers = manager_nodes(*before);
  return !managers.empty() &&
         is_any_cut_off(picture, managers, fallen_since(before->observation, picture.observation));
}

// What was read again fits what was not.
bool Core::Machine::is_coherent() const {
  return picture.frozen.contradictions.empty() && !lead_elsewhere(picture, doubtful_ways);
}

// Told once: we look again soon, and a cable may be out for days.
void Core::Machine::lose_port(const std::string& reason) {
  own_misses = picture.own ? 0 : own_misses + 1;
  if (!std::exchange(blind, true)) say(LocalPortDown{reason});
  picture.problems.push_back(reason);
  finish_sweep();
}

LidAssignment Core::Machine::deal_lids() {
  const auto& topology = *picture.frozen.topology;
  auto requests = lid_requests(picture, options);
  virtual_ports.request_lids(options.reassign_lids, requests);
  auto dealt = assign_lids(topology.port_count(), requests, memory, last_lid(topology), &topology);
  if (dealt.left_out.empty()) return dealt;
  const auto free_of_limits =
      assign_lids(topology.port_count(), requests, memory, mad::kLastUnicastLid);
  tell_small_switches(free_of_limits.map.top());
  // Without a LID of its own the SM is of no use to anybody: it goes before all others.
  const auto own =
      std::find_if(requests.begin(), requests.end(),
                   [this](const LidRequest& request) { return request.port == picture.sm_port; });
  if (own != requests.end()) std::rotate(requests.begin(), own, own + 1);
  return assign_lids(topology.port_count(), requests, memory, last_lid(topology));
}

// LIDs ran out before the subnet's own end: these switches are why.
void Core::Machine::tell_small_switches(mad::Lid needed) {
  const auto& topology = *picture.frozen.topology;
  const mad::Lid last = last_lid(topology);
  if (last == mad::kLastUnicastLid) return;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const std::uint16_t capacity = topology.node(fabric::SwitchIndex{s}).linear_fdb_cap;
    if (capacity - 1 > last.value) continue;
    const NodeName name = picture.name(picture.frozen.node_of[s]);
    say(SwitchTooSmall{name, capacity, needed});
    picture.problems.push_back(text(name) + " can forward to LIDs up to " +
                               std::to_string(capacity - 1) + " only");
  }
}

// Virtual ports may be thousands: the first of them stands for all.
void Core::Machine::tell_left_out(std::span<const LidRequest> left_out) {
  const auto is_guest = [](const LidRequest& request) { return request.is_guest(); };
  const auto guests = std::count_if(left_out.begin(), left_out.end(), is_guest);
  bool told = false;
  for (const LidRequest& request : left_out) {
    if (request.is_guest() && std::exchange(told, true)) continue;
    const PortName name = holder(picture, request);
    say(LidsExhausted{name, last_lid(*picture.frozen.topology)});
    const bool stands_for_others = request.is_guest() && guests > 1;
    picture.problems.push_back(
        "no LID is left for " + text(name) +
        (stands_for_others ? " and " + std::to_string(guests - 1) + " more virtual ports" : ""));
  }
}

void Core::Machine::assign() {
  begin_phase(Phase::Lids, Stage::Addresses);
  has_written = true;
  has_written_all = !revisiting;
  Context with = context();
  virtual_ports.settle(with);
  auto assigned = deal_lids();
  for (const LidClash& clash : assigned.clashes) {
    say(LidConflict{holder(picture, clash.keeps), holder(picture, clash.moves), clash.lid});
  }
  for (const LidTwins& twins : assigned.twins) {
    picture.problems.push_back(
        "two ports have the port GUID " + base::hex(twins.first.port_guid.value) + ": " +
        text(holder(picture, twins.first)) + " and " + text(holder(picture, twins.second)) +
        "; one of them needs a GUID of its own");
  }
  tell_left_out(assigned.left_out);
  if (memory != assigned.memory) {
    memory = std::move(assigned.memory);
    lids_changed = true;
    keys.remember(memory);
    if (!options.shadow) outputs.emplace_back(StoreLids{memory});
  }
  options.reassign_lids = false;  // once: from now on the new ones are kept
  picture.lids = std::make_shared<const fabric::LidMap>(std::move(assigned.map));
  picture.routed_lids = picture.lids->has_guests()
                            ? std::make_shared<const fabric::LidMap>(picture.lids->without_guests())
                            : picture.lids;
  plan_ports();
  if (picture.frozen.topology->switch_count() > 0) ask_for_routes();
}

void Core::Machine::plan_ports() {
  picture.intent = fabric::plan_ports(picture.frozen.topology,
                                      picture.registers.of(picture.observation, picture.frozen),
                                      *picture.lids, port_settings(), std::move(picture.intent));
}

// What routes do not wait for.
void Core::Machine::complete_plan() {
  set_high_limits(options.lane_tables, *picture.frozen.topology, picture.intent);
  picture.intent.switches.life_time_value = options.packet_life_time;
  if (levels_in_use) keep_sm_levels(picture);
  if (has_multicast_fdb_top(picture)) {
    picture.intent.switches.multicast_fdb_top =
        multicast_fdb_top(administration.registrations().groups.highest_mlid());
    picture.intent.switches.keeps_multicast_fdb_top =
        !heirlooms.empty() || multicast_programming.inherits();
  }
}

// What ports are known by: LIDs, P_Keys, alias GUIDs.
void Core::Machine::write_addresses() {
  stage = Stage::Lids;
  complete_plan();
  memberships = known_memberships.of(options.partitions, picture.frozen.topology, picture.sm_port,
                                     virtual_ports.guests());
  if (const std::size_t cut = memberships->ports_cut_short(); cut > 0) {
    picture.problems.push_back("the partitions give too many P_Keys: of " + std::to_string(cut) +
                               " ports they do not count, or no switch checks them");
  }
  Context with = context();
  programming.write_lids(with, [this](PortIndex port, mad::Lid master, mad::Lid own) {
    return clients_know(port, master, own);
  });
  const auto enforcement =
      options.partitions ? options.partition_enforcement : partitions::Enforcement::Off;
  const bool doubt = others_may_have_written || ways_doubted;
  partition_programming.begin(with, memberships, enforcement, doubt);
  alias_programming.begin(with, administration.registrations().alias_guids, doubt);
  virtual_ports.write(with, memory, memberships);
  announce_phase(transactions.queued());
}

// What every switch holds, as the last sweep left it or as this one read it.
routing::InPlace Core::Machine::tables_in_place() const {
  if (in_place.tables != nullptr && !others_may_have_written) return in_place;
  return {picture.frozen.topology,
          std::make_shared<const fabric::ForwardingTables>(held_tables(picture)), nullptr};
}

void Core::Machine::ask_for_routes() {
  early_routes.reset();
  routing::Policy policy = options.routing;
  const bool one_lane = lanes_failed || lanes_refused;
  policy.max_vls = one_lane ? 1 : std::min(policy.max_vls, data_vls.of(picture));
  asked_by = policy;
  if (std::exchange(home_is_doubted, false) && home &&
      !routing::is_at_home(*home, *picture.frozen.topology, *picture.routed_lids, policy)) {
    home.reset();
  }
  const bool is_known = in_place.tables != nullptr && !others_may_have_written;
  routing::InPlace held;
  if (keeps_standing) {
    home = standing_routes(policy);
    // The same tables: they are put together once.
    const auto& found = home->selected;
    if (!is_known) held = {home->topology, {found, &found->routes.tables}, nullptr};
  }
  if (held.tables == nullptr) held = tables_in_place();
  old_routes_had_lanes = may_stand_on_lanes(held);
  outputs.emplace_back(ComputeRoutes{++ticket, picture.frozen.topology, picture.routed_lids,
                                     std::move(policy), home, std::move(held),
                                     picture.lids->has_guests() ? picture.lids : nullptr});
}

// They are computed while addresses are written.
void Core::Machine::await_routes() {
  partition_programming.set_enforcement(picture.intent);
  if (picture.frozen.topology->switch_count() == 0) return begin_multicast();
  begin_phase(Phase::Routing, Stage::Routing);
  announce_phase(0);
  if (early_routes) take_routes(*std::exchange(early_routes, std::nullopt));
}

// The members of groups that changed have been told, as far as they can be.
void Core::Machine::tell_outdated() {
  const auto& topology = *picture.frozen.topology;
  MembersNotAsked silent;
  for (const PortIndex port : topology.endports()) {
    if (outdated.empty()) break;
    const auto end = picture.frozen.end_of[port.value];
    const auto& info = picture.observation.port(end).info;
    const bool asked = options.reregister && info &&
                       (info->capability_mask & mad::kIsClientReregistrationSupported) != 0;
    if (asked || outdated.count(topology.port(port).guid) == 0) continue;
    if (silent.ports++ == 0) silent.first = picture.name(port);
  }
  if (silent.ports > 0) say(silent);
  outdated.clear();
}

void Core::Machine::finish_links() {
  tell_outdated();
  Context with = context();
  virtual_ports.tell_problems(with);
  const auto& left = programming.left_untold();
  untold = {left.begin(), left.end()};
  unheard = programming.unheard(with);
  for (const mad::Guid port : left) unheard.erase(port);
  link_problems.tell(picture);
  finish_sweep();
}

void Core::Machine::finish_sweep() {
  end_phase();
  const TransactionCounters& counters = transactions.counters();
  statistics.gets_sent = counters.gets_sent;
  statistics.sets_sent = options.shadow ? 0 : counters.sets_sent;
  statistics.retries = counters.retries;
  statistics.unanswered = counters.unanswered;
  statistics.late = counters.late;
  statistics.total = now - sweep_began;
  ++sweeps_finished;
  if (notary.failing()) {
    picture.problems.push_back("what clients register is not stored: " + notary.trouble());
  }
  publish_picture();
  tell_orders();
  groups_changed = true;
  publish_groups();
  // Of a group that came into being while the tables were written, too late to have its top raised.
  const mad::Lid top = picture.intent.switches.multicast_fdb_top;
  if (top != mad::kNoLid && administration.registrations().groups.highest_mlid() > top) {
    due = "the multicast tables must grow";
  }
  say(SweepFinished{statistics});
  if (options.shadow) {
    say(ShadowCompared{shadow.report()});
    return rest(options.full_sweep_interval);
  }
  if (picture.sm_port != fabric::kNoPort && election.state() == mad::SMState::Master &&
      picture.is_active(picture.sm_port)) {
    const auto& topology = *picture.frozen.topology;
    say(SubnetUp{topology.node_count(), topology.link_count(), topology.endports().size(),
                 picture.routes ? picture.routes->routes.engine : std::string("none")});
  }
  if (!revisiting) unready_since = steps;
  troubled.clear();
  conclude_ailing(true);
  misled |= (revisiting && revisit.is_misled()) || discovery.is_misled();
  if (!revisiting) watched = now;
  if (revisiting) unconfirmed.insert(revisit.visited().begin(), revisit.visited().end());
  suspect_locked_ports();
  const bool overtaken = overtaken_by_falls(!revisiting);
  const bool moved = programming.fabric_moved() || contradicts_itself_anew() || overtaken;
  if (moved) troubled = "the fabric changed during the last sweep";
  const bool unsettled = moved || !suspicion.cables.empty();
  if (unsettled && ++hurried <= kMaxHurried) return rest(kSoon);
  // Whoever stays silent must not make every sweep begin several times.
  if (!unsettled && counters.lost_ways < kManySilent) hurried = 0;
  if (begin_hand_over()) return;
  if (election.polls()) return rest(options.poll_interval);
  if (looks_again()) return rest(kSoon);
  rest(blind ? blind_pause() : options.sweep_interval);
}

// Who had to be asked more than once in a full sweep may be slow, or may have changed meanwhile in
// a way that nothing tells of: a look soon after it costs little. Once, until all is quiet: whoever
// never answers must not make every sweep follow the last one so soon. And where a known node is
// silent, a look more would shorten the patience with it.
bool Core::Machine::looks_again() {
  const bool repeated = transactions.counters().retries > 0;
  // Who wants no looks gets one only where the sweep left something undone.
  const bool never =
      options.sweep_interval == base::Duration::zero() && troubled.empty() && ailing.empty();
  if (never || revisiting || election.state() != mad::SMState::Master) return false;
  if (!repeated) looked_again = false;
  return repeated && patience.missed() == 0 && !std::exchange(looked_again, true);
}

// A device that was seen in two places has either a twin, which will be there the next time too, or
// was moved while we looked.
bool Core::Machine::contradicts_itself_anew() {
  std::set<mad::Guid> seen;
  for (const auto& contradiction : picture.frozen.contradictions) {
    seen.insert(picture.observation[contradiction.seen.node].info.node_guid);
  }
  const bool same = std::includes(seen_twice.begin(), seen_twice.end(), seen.begin(), seen.end());
  seen_twice = std::move(seen);
  return !same;
}

void Core::Machine::report_changes() {
  const auto old = std::exchange(topology_before, picture.frozen.topology);
  Context with = context();
  if (old) report_differences(with, *old);
}

}  // namespace heddle::sm
