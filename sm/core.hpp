// SPDX-License-Identifier: BSD-3-Clause
// The subnet manager as a machine: inputs in, outputs out. It owns no socket, clock, thread, lock,
// file or random device; whoever drives it passes the time and carries out what it asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/record.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "mad/datagram.hpp"
#include "multicast/tables.hpp"
#include "routing/home.hpp"
#include "routing/selection.hpp"
#include "routing/transition.hpp"
#include "sa/talkers.hpp"
#include "sa/view.hpp"
#include "sm/events.hpp"
#include "sm/group_list.hpp"
#include "sm/lid_assignment.hpp"
#include "sm/options.hpp"
#include "sm/orders.hpp"
#include "sm/snapshot.hpp"

namespace heddle::sm {

// --- inputs -------------------------------------------------------------------------------------

// A MAD arrived for the SM.
struct MadReceived {
  mad::Datagram datagram;
};
// A request of ours that nobody answered within the transport's time, given back.
struct SendFailed {
  mad::Datagram datagram;
};
// Only lets time pass: deadlines due by `now` fire. Every other input does that too.
struct Tick {};
// The answer to ComputeRoutes. A stale ticket is ignored.
struct RoutesReady {
  std::uint64_t ticket{};
  base::Result<std::shared_ptr<const routing::Selected>> selected;
  routing::Transition transition = {};  // to them from what is in place
  // What engines made, where `selected` has the LIDs of virtual ports besides; else null.
  std::shared_ptr<const routing::Selected> plain = nullptr;
};
// The answer to LookUp; none if the query deserves none.
struct LookedUp {
  std::uint64_t ticket{};
  std::optional<mad::Datagram> reply;
};
// Who asked, and how often, what was answered from queries_view() without a word to the machine.
struct AnsweredElsewhere {
  std::vector<sa::Talkers::Talker> talkers;
};
// Sweep the whole fabric now, whatever the last one found.
struct ResweepCommand {
  std::string reason;
};
// Replaces the options; what they change takes effect with the next sweep, which begins now.
struct OptionsChanged {
  std::shared_ptr<const Options> options;
};
// The answer to Store: everything up to this ticket survives us, or why it does not.
struct Stored {
  std::uint64_t ticket{};
  std::string trouble = {};  // empty: there is none
};
// What the master remembers, told to a standby. Of an epoch that is over nothing is taken. A master
// learns a later epoch by it; if it is all there is, somebody else has been made master since.
struct Shared {
  std::uint64_t epoch{};
  bool whole = false;  // all there is; else what has changed
  std::vector<base::Record> records;
};
// Whoever told us so is not heard any more: a standby asks the fabric at once whether the master is
// there, and again soon. The fabric's answer counts.
struct PeerSilent {};

// Replaces all orders about links. A sweep begins now.
struct OrdersChanged {
  PortOrders orders;
};

using Input =
    std::variant<Tick, MadReceived, SendFailed, RoutesReady, LookedUp, AnsweredElsewhere,
                 ResweepCommand, OptionsChanged, OrdersChanged, Stored, Shared, PeerSilent>;

// --- outputs ------------------------------------------------------------------------------------

struct SendMad {
  mad::Datagram datagram;
};
// Long work that leaves the machine: select_near_home(*topology, *lids, policy, home.get(), ...),
// and plan_transition(*topology, *lids, *selected, in_place). The daemon runs it on a worker, the
// simulator inline; either returns RoutesReady with the same ticket.
struct ComputeRoutes {
  std::uint64_t ticket{};
  std::shared_ptr<const fabric::Topology> topology;
  std::shared_ptr<const fabric::LidMap> lids;
  routing::Policy policy;
  std::shared_ptr<const routing::Home> home = nullptr;  // null: there is none
  routing::InPlace in_place = {};                       // without tables: none are
  // Null: there are none. Else `lids` and the LIDs of virtual ports, which the transition goes by;
  // engines know nothing of them.
  std::shared_ptr<const fabric::LidMap> with_guests = nullptr;
};
// The work, done at once.
RoutesReady carry_out(const ComputeRoutes& work, const base::ParallelFor& parallel);
// A query whose answer may be large: sa::look_up(*view, key, request). Like routes it is worked out
// elsewhere and comes back as LookedUp, so that everybody else need not wait for it.
struct LookUp {
  std::uint64_t ticket{};
  std::shared_ptr<const sa::View> view;
  mad::SMKey key;
  mad::Datagram request;
};
// Replaces the durable memory of LIDs. Failure to store must not stop the fabric.
struct StoreLids {
  std::vector<RememberedLids> lids;  // by port GUID, ascending
};
// With Options::durable: what is to survive us, all of it or what has changed, to be written at
// once and in this order (sm/memory.hpp says what the records are). It leads to a Stored; one for
// several tickets will do. What clients are promised meanwhile waits for that.
struct Store {
  std::uint64_t ticket{};
  std::uint64_t epoch{};  // of this master's office: no store takes anything of an earlier one
  bool whole = false;
  std::vector<base::Record> records;
};
// The newest picture of the fabric.
struct Publish {
  std::shared_ptr<const Snapshot> snapshot;
};

// The multicast groups, after each sweep and when members have come or gone since.
struct PublishGroups {
  std::shared_ptr<const GroupList> groups;
  std::shared_ptr<const multicast::Tables> tables;  // that stand in the switches; may be null
};

// What became of the orders about links, when that has changed.
struct PublishOrders {
  std::shared_ptr<const OrderOutcomes> outcomes;
};

using Output = std::variant<SendMad, ComputeRoutes, LookUp, StoreLids, Store, Publish,
                            PublishGroups, PublishOrders, Event>;

// --- the machine --------------------------------------------------------------------------------

class Core {
 public:
  // `remembered` is what the LID memory held at start, in any order. Invalid or contradicting
  // entries are skipped, never fatal. `registrations` is what registrations() said when the last
  // run ended in good order, or the records that were stored as text; empty if nothing is known of
  // them: every client is asked to register anew then. The first sweep begins with the first step.
  Core(Options options, std::vector<RememberedLids> remembered, std::string registrations = {});
  ~Core();
  Core(Core&&) noexcept;
  Core& operator=(Core&&) noexcept;

  // `now` never goes back. Fires what is due, then handles the input.
  void step(base::Instant now, Input input);

  // When step(now, Tick) must be called at the latest; kNever when nothing is pending.
  base::Instant deadline() const;

  // Everything asked for since the last call, in order. The order matters: carry it out so.
  std::vector<Output> take_outputs();

  // Sweeps finished since the start, and whether one is running.
  std::uint64_t sweeps_finished() const;
  bool sweeping() const;
  // True while nothing is in flight and no sweep is running.
  bool quiet() const;
  mad::SMState state() const;
  // What clients have registered with subnet administration, for the next run. Empty while another
  // manager is master.
  std::string registrations() const;
  // What short queries (sa/desk.hpp) may be answered from until the next step, and the key of the
  // trusted. Whoever carries out outputs must change to it first: an answer may tell of what only
  // the new view shows. Null while the machine itself must be asked.
  std::shared_ptr<const sa::View> queries_view() const;
  mad::SMKey sa_key() const;
  // Requests of the running phase answered or given up, for a progress display.
  std::uint64_t progress() const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace heddle::sm
