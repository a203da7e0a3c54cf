// SPDX-License-Identifier: BSD-3-Clause
// Everything the SM can say, one type each. The daemon renders them as text or JSON; tests compare
// values. The name in the log is the type's name, so it can be grepped for and documented.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"
#include "sm/snapshot.hpp"

namespace heddle::sm {

enum class Severity : std::uint8_t { Debug, Info, Warning, Error };

// A node as a person finds it: its description and its GUID.
struct NodeName {
  mad::Guid guid{};
  std::string description;
  friend bool operator==(const NodeName&, const NodeName&) = default;
};
struct PortName {
  NodeName node;
  mad::PortNumber port{};
  friend bool operator==(const PortName&, const PortName&) = default;
};

struct SweepStarted {
  std::uint64_t number{};
  bool full = true;
  std::string reason;
};
struct PhaseStarted {
  Phase phase{};
  std::uint64_t expected{};
};  // expected: requests, 0 unknown
struct SweepFinished {
  SweepStatistics statistics;
};
struct SubnetUp {
  std::uint64_t nodes{}, links{}, lids{};
  std::string engine;
};
struct StateChanged {
  mad::SMState from{}, to{};
  std::string reason;
};
struct LocalPortDown {
  std::string reason;
};

struct NodeAppeared {
  NodeName node;
  mad::NodeType type{};
};
struct NodeDisappeared {
  NodeName node;
};
struct LinkAppeared {
  PortName a, b;
};
struct LinkDisappeared {
  PortName a, b;
};
struct SwitchChanged {
  NodeName node;
};  // a light sweep saw PortStateChange

struct DuplicateGuid {
  mad::Guid guid{};
  std::string first_route, second_route;
};
struct CableLoopsBack {
  PortName a, b;
};
struct DeviceLies {
  NodeName node;
  std::string what;
};
struct DeviceSilent {
  std::string route;
  NodeName node;
  mad::AttributeId attribute{};
};
struct SetRefused {
  NodeName node;
  mad::AttributeId attribute{};
  std::uint32_t modifier{};
  mad::Status status{};
};
struct LidConflict {
  PortName first, second;
  mad::Lid lid{};
};
struct LidsExhausted {
  PortName port;
  mad::Lid last{};
};
struct SwitchTooSmall {
  NodeName node;
  std::uint16_t capacity{};
  mad::Lid needed{};
};
struct RouteTooLong {
  PortName behind;
};

struct EngineRejected {
  std::string engine, reason;
};
struct RoutesChosen {
  std::string engine;
  std::uint64_t routes{}, blocks_to_write{};
  unsigned max_hops{};
  unsigned vls{};  // data VLs that the routes need
  std::vector<std::string> notes;
};
struct RoutingFailed {
  std::string reason;
};
// The routes need the service levels for themselves, so those of the policy have no effect.
struct QosLevelsLeftOut {
  std::string engine;
  unsigned vls{};
};
// And so are SL to VL tables that the configuration has; arbitration is as it says.
struct QosTablesLeftOut {
  std::string engine;
  unsigned vls{};
};

struct RivalMasterSeen {
  mad::Guid guid{};
  std::uint8_t priority{};
};
// It ranks lower, was given time to hand over, and did not.
struct RivalMasterStays {
  mad::Guid guid{};
  std::uint8_t priority{};
};
struct HandedOver {
  mad::Guid guid{};
  std::uint8_t priority{};
};
struct HandoverRefused {
  mad::Guid guid{};
  std::uint8_t priority{};
};
// It is not on the list of those that may manage this fabric, or shows another SM_Key.
struct StrangeManagerIgnored {
  mad::Guid guid{};
  bool has_other_key = false;
};
// A Set that a manager that only watches does not send.
struct WouldWrite {
  NodeName node;
  mad::AttributeId attribute{};
  std::uint32_t modifier{};
  std::string change;          // in words; empty where there are none
  bool of_the_office = false;  // it only tells a port who is master
};
struct ShadowCompared {
  ShadowReport report;
};
// It sends traps faster than they can mean anything.
struct NoisyPortDamped {
  NodeName node;
  mad::Lid lid{};
};
struct NoisyPortQuarantined {
  NodeName node;
  mad::Lid lid{};
};
struct NoisyPortHeardAgain {
  NodeName node;
  mad::Lid lid{};
};
struct PKeyTableFull {
  PortName port;
  std::uint16_t capacity{};
  std::uint64_t left_out{};
};
// Ports of a switch do not check what a partition policy wants checked; the reason is that of one
// of them.
struct PKeysUnchecked {
  NodeName node;
  std::uint64_t ports{};
  std::string reason;
};
struct MulticastUnproven {
  std::string reason;
};
// Trees that close a credit loop with the routes or each other, whatever way they take.
struct MulticastMayLoop {
  mad::Lid first{};
  std::uint64_t count{};
};
struct JoinRefused {
  std::string reason;
};
// What subnet administration was asked since it was told last, and by whom most.
struct AdministrationLoad {
  struct Talker {
    NodeName node;
    mad::Lid lid{};
    std::uint64_t requests{}, put_off{};
  };
  base::Duration time{};
  std::uint64_t requests{}, put_off{};
  std::vector<Talker> top;
};
struct RegistrationsLost {
  std::string reason;
};
// Nothing that clients are promised from now on survives this process.
struct MemoryFails {
  std::string reason;
};
struct MemoryWhole {};
// Members of groups whose terms have changed, which keep the old ones until they join again: their
// ports have no way to be asked for it (IsClientReregistrationSupported), or nobody may be.
struct MembersNotAsked {
  std::uint64_t ports{};
  PortName first;
};
// Does not answer reports any more; its subscription has ended.
struct SubscriberLost {
  mad::Guid guid{};
  mad::Lid lid{};
};
// Its cable is up, so it is believed to be as it was.
struct SilentNodeKept {
  NodeName node;
  std::uint32_t misses{}, limit{};  // looks in vain, and how many make it gone
  std::uint64_t behind{};           // nodes that are reached through it alone
};
// By an M_Key that is not ours: nothing can be written there.
struct PortLocked {
  NodeName node;
  mad::Guid port{};
};
// A link between switches that comes and goes: no route uses it until it has stood for a while.
struct LinkHeldBack {
  PortName a, b;
  std::uint64_t losses{};
};
// Something is reached through it alone, so it is used all the same.
struct LinkFlapsButNeeded {
  PortName a, b;
  std::uint64_t losses{};
};
struct LinkUsedAgain {
  PortName a, b;
};
// About one end of a link: route-around, disable, enable.
struct LinkOrderCarriedOut {
  PortName port;
  std::string order;
};
struct LinkOrderRefused {
  PortName port;
  std::string order, reason;
};
// Old and new entries of these LIDs must not be mixed: they are emptied before they are written.
struct TablesEmptiedFirst {
  std::uint64_t changed{}, emptied{};  // LIDs
  bool credit_loop = false;            // a mixture could close one; else packets could go round
};
struct MadIgnored {
  std::string reason;
};

using EventValue = std::variant<
    SweepStarted, PhaseStarted, SweepFinished, SubnetUp, StateChanged, LocalPortDown, NodeAppeared,
    NodeDisappeared, LinkAppeared, LinkDisappeared, SwitchChanged, DuplicateGuid, CableLoopsBack,
    DeviceLies, DeviceSilent, SetRefused, LidConflict, LidsExhausted, SwitchTooSmall, RouteTooLong,
    EngineRejected, RoutesChosen, RoutingFailed, QosLevelsLeftOut, QosTablesLeftOut,
    RivalMasterSeen, RivalMasterStays, HandedOver, HandoverRefused, StrangeManagerIgnored,
    NoisyPortDamped, NoisyPortQuarantined, NoisyPortHeardAgain, WouldWrite, ShadowCompared,
    PKeyTableFull, PKeysUnchecked, MulticastUnproven, MulticastMayLoop, JoinRefused,
    AdministrationLoad, RegistrationsLost, MemoryFails, MemoryWhole, MembersNotAsked,
    SubscriberLost, SilentNodeKept, LinkHeldBack, LinkFlapsButNeeded, LinkUsedAgain, PortLocked,
    LinkOrderCarriedOut, LinkOrderRefused, TablesEmptiedFirst, MadIgnored>;

struct Event {
  EventValue value;
};

// "discovery", "LIDs", "routing", "tables", "links".
std::string_view phase_name(Phase phase);
// The type's name as written above.
std::string_view event_name(const Event& event);
Severity severity(const Event& event);
// One sentence for a person, names before GUIDs.
std::string sentence(const Event& event);
// The fields, in order, as (name, text): for JSON and structured text.
std::vector<std::pair<std::string_view, std::string>> fields(const Event& event);

}  // namespace heddle::sm
