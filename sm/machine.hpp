// SPDX-License-Identifier: BSD-3-Clause
// The inside of Core: composes the handlers and walks a sweep through its stages. Not for users of
// the machine, who include core.hpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sa/server.hpp"
#include "sm/ailing.hpp"
#include "sm/changes.hpp"
#include "sm/context.hpp"
#include "sm/core.hpp"
#include "sm/discovery.hpp"
#include "sm/election.hpp"
#include "sm/known_memberships.hpp"
#include "sm/link_damping.hpp"
#include "sm/link_problems.hpp"
#include "sm/look_ups.hpp"
#include "sm/memory.hpp"
#include "sm/notary.hpp"
#include "sm/patience.hpp"
#include "sm/programming.hpp"
#include "sm/programming_aliases.hpp"
#include "sm/programming_arbitration.hpp"
#include "sm/programming_lanes.hpp"
#include "sm/programming_multicast.hpp"
#include "sm/programming_orders.hpp"
#include "sm/programming_partitions.hpp"
#include "sm/revisit.hpp"
#include "sm/shadow.hpp"
#include "sm/subnet.hpp"
#include "sm/trap_damping.hpp"
#include "sm/virtual_ports.hpp"
#include "sm/watch.hpp"

namespace heddle::sm {

// Each stage but Resting and Routing is over when the transactions are idle. From Discovery to
// VirtualActivate it is one sweep, of the whole fabric or of what changed.
enum class Stage : std::uint8_t {
  Resting,  // until the next light sweep
  Discovery,
  Virtual,    // virtual ports are read
  Addresses,  // what LIDs and the like are to be is known; routes may be asked for
  Lids,       // and P_Keys, and alias GUIDs
  Routing,    // until RoutesReady
  Lanes,      // SL to VL tables
  Tables,
  Multicast,
  LinkFields,
  LinkArm,
  LinkActivate,
  VirtualActivate,
  Watching,  // a light sweep
  Polling,   // a standby asks the master
  Joining,   // multicast tables, between sweeps
  Fetching,  // tables that a query asks for
  Aliasing,  // GUID tables, between sweeps
  Telling,   // clients to register anew, between sweeps
};

// A fabric that never stands still must not be swept without pause.
inline constexpr unsigned kMaxHurried = 3;
// Fewer devices than this may fall silent in a sweep for reasons of their own.
inline constexpr std::uint64_t kManySilent = 3;

// A port that is down, or a fabric that moved under the sweep, is looked at again soon.
inline constexpr base::Duration kSoon = std::chrono::seconds(1);
// A list of all members costs as much as many joins do: when there are many, one tells of them all.
inline constexpr base::Duration kBetweenGroupLists = std::chrono::milliseconds(100);

struct Core::Machine final : Transactions::Sink, EventSink {
  Machine(Options chosen, std::vector<RememberedLids> remembered, std::string registrations);

  void step(base::Instant now, Input input);
  base::Instant deadline();

  // Transactions::Sink
  mad::SmpData data_for(const Request& request) override;
  void send(const mad::Smp& smp) override;
  // EventSink
  void say(EventValue value) override;

  // --- inputs (machine.cpp)
  void on(const Tick&) {}
  void on(const MadReceived& received);
  void on(const SendFailed& failed);
  void on(RoutesReady& ready);
  void on(LookedUp& looked_up);
  void on(const AnsweredElsewhere& answered) { administration.add_talkers(answered.talkers); }
  void on(const ResweepCommand& command);
  void on(const OptionsChanged& changed);
  void on(const OrdersChanged& changed);
  void on(const Stored& stored);
  void on(const Shared& shared);
  void on(const PeerSilent& silent);
  void on_request(const mad::Address& peer, const mad::Smp& request);
  void administer(const mad::Datagram& received);
  void look_up(const mad::Datagram& request);
  void carry_out_administration();
  void tell_load();
  void end_inheritance();
  void begin_fetching();
  void begin_aliasing();
  void finish_aliasing();
  bool has_to_tell() const;
  void begin_telling();
  void finish_telling();
  void on_fetched(const Answer& answer);
  void repress_trap(const mad::Address& peer, const mad::Smp& trap);
  void forward(const mad::Address& peer, const mad::Smp& trap);
  bool heeds_traps_of(mad::Lid from);
  void tell_of_quiet_ports();
  NodeName name_of(mad::Lid lid) const;
  mad::Guid port_guid_of(mad::Lid lid) const;  // 0 if nobody has it
  void dispatch(const Answer& answer);
  void pump();
  void use_keys();
  fabric::PortIndex issuer_of(const mad::Address& peer, const mad::Notice& notice) const;
  bool suspect_issuer(fabric::PortIndex issuer, bool of_itself);
  bool suspect_erring(fabric::PortIndex issuer);
  fabric::PortSettings port_settings() const;
  void take_routes(const RoutesReady& ready);
  void take_transition(const routing::Transition& transition);

  // --- the office of master (mastership.cpp)
  void hear_sm_info(const mad::Address& peer, const mad::Smp& request);
  void answer_who_asked_early();
  void answer_sm_info(const mad::Address& peer, const mad::Smp& request);
  bool begin_hand_over();
  void begin_polling();
  void finish_polling();
  void announce_rank();
  void begin_announcing(Context& with);
  void on_own_lid(const Answer& answer);
  void enter_office();
  std::shared_ptr<const routing::Home> standing_routes(const routing::Policy& policy) const;
  mad::SmpData sm_info_data(bool with_key);
  bool may_learn_sm_key(mad::MKey shown) const;

  // --- what outlives us (remembering.cpp)
  void restore(std::string registrations);
  void take_up_memory();
  void forget_clients();
  bool clients_know(fabric::PortIndex at, mad::Lid master, mad::Lid own) const;
  std::vector<base::Record> all_records();
  std::string registrations_text() const;
  void remember();
  void doubt_replica();
  void lay_down_office();

  // --- between sweeps (between_sweeps.cpp)
  void rest(base::Duration pause);
  void heed_trap();
  void heed_order();
  base::Instant order_date() const;
  base::Instant next_date() const;
  bool begin_work();
  void begin_watch();
  bool has_seen_enough() const;
  void finish_watch();
  void suspect_calm_links();
  void suspect_erring_nodes();
  void suspect_virtual_ports();
  void suspect_ailing();
  base::Duration blind_pause() const;
  bool overtaken_by_falls(bool in_full_sweep);
  bool suspect_link(fabric::PortIndex port);
  void suspect_locked_ports();

  // --- the sweep (sweep.cpp)
  void renew_doubts(bool stood_still);
  void begin_sweep(std::string reason);
  void begin_revisit(const Suspicion& of);
  bool may_revisit() const;
  bool manager_was_cut_off() const;
  bool is_coherent() const;
  void prepare_sweep(bool full, std::string reason);
  void begin_sweep_of(Suspicion of);
  void advance();  // to the next stage, as long as nothing is in flight
  void finish_discovery();
  LinkDamping::Nodes changed_since_view() const;
  std::vector<fabric::ObservedEnd> held_back();
  routing::InPlace tables_in_place() const;
  void finish_in_vain();
  void begin_virtual();
  void assign();
  void plan_ports();
  void complete_plan();
  void write_addresses();
  LidAssignment deal_lids();
  void tell_small_switches(mad::Lid needed);
  void tell_left_out(std::span<const LidRequest> left_out);
  void ask_for_routes();
  void await_routes();
  void begin_multicast();
  bool has_joins() const;
  void begin_joining();
  void finish_joining();
  bool outgrows_multicast_top() const;
  void begin_links();
  void tell_outdated();
  void finish_links();
  void finish_sweep();
  bool contradicts_itself_anew();
  bool looks_again();
  void lose_port(const std::string& reason);
  void begin_phase(Phase phase, Stage next);
  // Once its requests are queued; expected as in PhaseStarted.
  void announce_phase(std::uint64_t expected);
  std::uint64_t settled_requests() const;
  void end_phase();
  void report_changes();

  // --- what the next look begins with (readiness.cpp)
  void make_ready_for_looks();
  void accept_what_was_written();

  // --- the stages of tables (table_stages.cpp)
  void begin_tables();
  void go_on_with_lanes(Context& with);
  void go_on_with_tables(Context& with);
  bool may_stand_on_lanes(const routing::InPlace& held) const;
  void set_sm_levels();
  void finish_lanes();

  // --- what the fabric overtakes (overtaken.cpp)
  bool waits_after_change() const;
  bool may_cut_short() const;
  void cut_short();
  bool in_sweep() const;
  void look_at_own_port();
  void on_own_port(const Answer& answer);
  bool is_overtaken() const;
  bool loses_ways(std::uint64_t many) const;
  std::uint64_t too_many_to_lose() const;
  void begin_anew();
  void note_silence(const Request& request);
  void note_ailing(const Request& request, std::optional<fabric::ObservedIndex> node);
  void conclude_ailing(bool wrote);
  bool is_half_known(mad::Guid node, const Ailing::Failure& failure) const;
  bool has_switch_fallen() const;

  // --- orders about links (ordering.cpp)
  std::vector<fabric::ObservedEnd> left_out();  // held back, or by order
  void tell_orders();
  void tell_outcomes(OrderOutcomes outcomes);

  // --- what is shown (publishing.cpp)
  routing::InPlace in_place_of(const sa::Subnet& subnet) const;
  void publish_picture();
  void show_managers();
  void close_view();
  void renew_view(std::shared_ptr<const fabric::Registers> registers);
  bool has_groups_to_list() const;
  bool may_list_groups() const { return has_groups_to_list() && now >= lists_groups_next; }
  void publish_groups();

  Context context() { return {options, transactions, *this, picture, keys}; }
  mad::Guid own_guid() const;

  Options options;
  std::vector<RememberedLids> memory;
  Transactions transactions;
  Keys keys;
  Picture picture;
  std::optional<Picture> before;  // the last sweep's, while a full one reads everything anew
  mad::Guid guid_before{};        // own_guid() while the own node is yet to answer
  Discovery discovery{nullptr, false};
  Revisit revisit;
  bool revisiting = false;     // this sweep reads what changed, not everything
  Suspicion suspicion;         // what traps told of, and what the last sweep could not settle
  std::set<mad::Guid> erring;  // nodes that told of errors at their ports, to be looked at
  std::map<mad::Guid, base::Instant> errors_told;  // when they did last that was heeded
  bool looked_again = false;        // soon after a sweep, and nothing has been quiet since
  std::set<mad::Guid> unconfirmed;  // nodes that were read again since a light sweep saw nothing
  std::shared_ptr<const fabric::Topology> topology_before;  // of the last sweep
  base::Instant swept{};                                    // when the last full sweep began
  base::Instant watched{};   // when the last full or light sweep ended
  std::string sweep_reason;  // of this sweep
  LinkProblems link_problems;
  Programming programming;
  PartitionProgramming partition_programming;
  DataVls data_vls;
  LaneProgramming lane_programming;
  ArbitrationProgramming arbitration_programming;
  MulticastProgramming multicast_programming;
  AliasProgramming alias_programming;
  OrderProgramming order_programming;
  VirtualPorts virtual_ports;
  PortOrders orders;
  OrderPlan order_plan;         // of this sweep
  OrderOutcomes told_outcomes;  // when they were published last
  Watch watch;
  Election election;
  Shadow shadow;
  TrapDamping damping;
  LinkDamping link_damping;
  Patience patience;
  Ailing ailing;
  bool stranger_silent = false;  // in this sweep, one that is not known or kept by patience

  base::Instant now{};
  bool started = false;
  Stage stage = Stage::Resting;
  base::Instant wake{};         // when Resting ends
  base::Instant looked{};       // when the last sweep ended, light ones included
  bool trapped = false;         // a trap asks for a look as soon as we rest
  bool heeds_trap = false;      // the look that goes on, or sweep, began after one had
  base::Instant trap_heeded{};  // when the last such one ended
  bool look_was_cut = false;    // the last light sweep, by something more urgent
  // How often this sweep had repeated a request when a trap told that a link had changed.
  std::optional<std::uint64_t> retries_at_change;
  // TransactionCounters::fell_silent and ::lost_ways when the discovery of this sweep was over.
  std::uint64_t silent_in_discovery = 0;
  std::uint64_t lost_in_discovery = 0;
  // Switches that left something unanswered after the discovery of this sweep, and of the last one.
  std::set<mad::Guid> fallen_switches;
  std::set<mad::Guid> fallen_before;
  std::uint64_t retries_at_look = 0;    // TransactionCounters::retries at look_at_own_port()
  bool own_port_fell = false;           // its link was lost since this sweep read it
  bool blind = false;                   // the own port has no link
  std::uint32_t own_misses = 0;         // full sweeps in a row in which it did not answer at all
  std::size_t key_owners = 0;           // KeyRecovery::owners() at the end of the last sweep
  bool tables_are_ours = false;         // nobody else can have written one since our last sweep
  bool others_may_have_written = true;  // the same, as it was when this sweep began
  std::optional<std::string> due;       // a full sweep is wanted, and why
  std::optional<std::string> ordered;   // the same, by another SM: not at once after the last one
  base::Instant sweep_ended{};          // when the last full one did, and how long it took
  base::Duration sweep_took{};
  std::vector<Way> doubtful_ways;    // by which a sweep last wrote, unless all stood still
  bool ways_doubted = false;         // one of them led elsewhere
  bool misled = false;               // a look at single devices met others than were known
  base::Instant misled_again{};      // from when on everything may be read for that
  bool has_written = false;          // the last sweep, or may have: its discovery was over
  bool has_written_all = false;      // and it was a full one
  bool confirmed = false;            // a light sweep found nothing since the last full one
  unsigned hurried = 0;              // full sweeps in a row because the fabric moved under the last
  std::set<TableBlock> late_blocks;  // that sweeps which were broken off may write yet
  bool levels_in_use = false;        // MasterSMSL of the ports depends on where they are
  bool lanes_failed = false;         // no routes that need several VLs in this sweep
  bool lanes_refused = false;        // nor in those after it, until told otherwise
  bool old_routes_had_lanes = false;  // those in place may need several VLs
  bool tables_begun = false;          // this sweep has written the first step of its tables
  std::set<mad::Guid> seen_twice;     // nodes, in the last sweep: Frozen::contradictions
  std::string troubled;  // why the next light sweep must be a full one; empty: it need not

  bool keeps_standing = false;  // this sweep takes the routes over that it finds
  std::vector<bool> heirlooms;  // by SwitchIndex: whose multicast tables it takes over
  base::Instant inheritance_ends = base::kNever;  // when members must have registered
  std::shared_ptr<const routing::Home> home;      // what the routes stay close to
  bool home_is_doubted = false;                   // the next ones do not, but where it is the same
  routing::Policy asked_by;                       // of the routes that were asked for last
  std::optional<RoutesReady> early_routes;        // they came before they were waited for
  routing::InPlace in_place;                      // since the last sweep
  std::shared_ptr<const char> view_of;            // the observation that the view was made of
  fabric::Observation::Edition view_edition{};

  SweepStatistics statistics;
  // Of before a look at what is suspected: they stand if it was in vain.
  SweepStatistics statistics_before;
  std::vector<std::string> problems_before;
  std::vector<OtherSM> shown_managers;  // in the picture that was published last
  base::Instant sweep_began{};
  base::Instant phase_began{};
  std::optional<Phase> phase;
  std::uint64_t settled_before_phase = 0;
  std::uint64_t sweeps_finished = 0;
  std::uint64_t ticket = 0;
  std::uint64_t steps = 0;                     // that were taken
  std::optional<std::uint64_t> unready_since;  // the one that ended a full sweep
  std::uint32_t act_count = 0;
  std::uint64_t announced = 0;                                 // traps that told of our rank
  std::vector<std::pair<mad::Address, mad::Smp>> asked_early;  // for SMInfo
  sa::Server administration;                                   // answers while we are master
  LookUps look_ups;
  base::Instant told_load{};  // when the load of the administration was last told
  bool permanent_groups_due = true;
  base::Instant joining_began{};      // the change of trees, between sweeps
  base::Instant joins_next{};         // when trees may be changed again
  bool groups_changed = false;        // since they were last published
  base::Instant lists_groups_next{};  // when they may be again, if nothing else asks for it
  std::set<mad::Guid> outdated;       // ports whose clients must register anew: groups have changed
  std::set<mad::Guid> untold;         // ports whose clients are yet to be asked to do so
  std::set<mad::Guid> unheard;        // ports that were asked in vain, and will be again
  std::vector<fabric::PortIndex> being_told;  // at this moment
  base::Instant tells_next{};                 // when the next of them may be
  bool clients_are_known = false;             // all that have registered, from before the start
  Notary notary;
  Replica replica;                          // of the master whose standby we are
  std::optional<Office> office;             // whose records we started from
  mad::Lid former_master{};                 // who registered there is known; kNoLid: nobody
  std::uint64_t epoch = 0;                  // the highest that we know of
  std::vector<RememberedLids> lids_stored;  // or about to be
  bool lids_changed = false;
  bool keys_changed = false;
  unsigned hastens_polls = 0;  // this many polls do not wait for their interval
  bool peer_silent = false;    // so what it said may be old, unless it is gone
  bool polls_silent = false;   // this poll asks for it
  bool superseded = false;     // the next sweep begins by laying the office down
  bool laid_down = false;      // and nobody was found to stand by for since
  KnownMemberships known_memberships;
  std::shared_ptr<const partitions::Memberships> memberships;  // on the newest topology
  std::vector<multicast::RoleChange> role_changes;             // yet to be programmed
  std::vector<sa::Fetch> fetches;                              // yet to be asked for
  std::vector<sa::Fetch> fetching;                             // under way
  std::vector<sa::AliasWrite> alias_writes;                    // yet to be written
  std::vector<Output> outputs;
};

}  // namespace heddle::sm
