// SPDX-License-Identifier: BSD-3-Clause
#include "sm/events.hpp"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "mad/names.hpp"

namespace heddle::sm {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string>>;

// --- words --------------------------------------------------------------------------------------

std::string guid_text(mad::Guid guid) {
  return base::hex(guid.value);
}

// A node as a person calls it; its GUID only when it has no name.
std::string short_name(const NodeName& node) {
  return node.description.empty() ? guid_text(node.guid) : node.description;
}

std::string full_name(const NodeName& node) {
  if (node.description.empty()) return fmt::format("node {}", guid_text(node.guid));
  return fmt::format("{} ({})", node.description, guid_text(node.guid));
}

std::string short_name(const PortName& port) {
  return fmt::format("{}/{}", short_name(port.node), port.port.value);
}

std::string full_name(const PortName& port) {
  return fmt::format("{} port {}", full_name(port.node), port.port.value);
}

std::string_view node_type_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ChannelAdapter:
      return "channel adapter";
    case mad::NodeType::Switch:
      return "switch";
    case mad::NodeType::Router:
      return "router";
  }
  return "unknown node";
}

std::string_view state_name(mad::SMState state) {
  switch (state) {
    case mad::SMState::NotActive:
      return "not active";
    case mad::SMState::Discovering:
      return "discovering";
    case mad::SMState::Standby:
      return "standby";
    case mad::SMState::Master:
      return "master";
  }
  return "unknown";
}

std::string attribute_name(mad::AttributeId id) {
  const std::string_view name = mad::name_of(id);
  if (!name.empty()) return std::string(name);
  return fmt::format("attribute {}", base::hex(static_cast<std::uint16_t>(id), 4));
}

// What the status says, as far as the common bits go (IBA vol. 1, 13.4.7).
std::string_view status_meaning(mad::Status status) {
  switch (status.value & 0x1F) {
    case 0x01:
      return "busy";
    case 0x02:
      return "redirected";
    case 0x04:
      return "bad version";
    case 0x08:
      return "method not supported";
    case 0x0C:
      return "method and attribute not supported";
    case 0x1C:
      return "invalid field";
    default:
      return "refused";
  }
}

std::string seconds(base::Duration duration) {
  return fmt::format("{:.3f}",
                     std::chrono::duration_cast<std::chrono::duration<double>>(duration).count());
}

std::string yes_no(bool value) {
  return value ? "true" : "false";
}

template <class Number>
std::string number(Number value) {
  return fmt::format("{}", value);
}

void add(Fields& out, std::string_view name, std::string_view guid_name, const NodeName& node) {
  out.emplace_back(name, node.description);
  out.emplace_back(guid_name, guid_text(node.guid));
}

Fields node_fields(const NodeName& node) {
  Fields out;
  add(out, "node", "guid", node);
  return out;
}

// Both ends of a link or cable.
Fields pair_fields(const PortName& a, const PortName& b) {
  return {{"a", short_name(a)},
          {"a_guid", guid_text(a.node.guid)},
          {"b", short_name(b)},
          {"b_guid", guid_text(b.node.guid)}};
}

// --- one rendering per event --------------------------------------------------------------------

// Name, severity, sentence and fields of one event, side by side: to add an event is to add one
// such struct.
template <class T>
struct Rendering;

template <>
struct Rendering<SweepStarted> {
  static constexpr std::string_view name = "SweepStarted";
  static Severity severity(const SweepStarted&) { return Severity::Info; }
  static std::string sentence(const SweepStarted& e) {
    return fmt::format("{} {} begins: {}", e.full ? "Full sweep" : "Sweep of what changed,",
                       e.number, e.reason);
  }
  static Fields fields(const SweepStarted& e) {
    return {{"number", number(e.number)}, {"full", yes_no(e.full)}, {"reason", e.reason}};
  }
};

template <>
struct Rendering<PhaseStarted> {
  static constexpr std::string_view name = "PhaseStarted";
  static Severity severity(const PhaseStarted&) { return Severity::Debug; }
  static std::string sentence(const PhaseStarted& e) {
    if (e.expected == 0) return fmt::format("Phase {} begins", phase_name(e.phase));
    return fmt::format("Phase {} begins: {} requests", phase_name(e.phase), e.expected);
  }
  static Fields fields(const PhaseStarted& e) {
    return {{"phase", std::string(phase_name(e.phase))}, {"expected", number(e.expected)}};
  }
};

template <>
struct Rendering<SweepFinished> {
  static constexpr std::string_view name = "SweepFinished";
  // Sweeps that found nothing to do come every few seconds for years.
  static Severity severity(const SweepFinished& e) {
    const bool quiet = e.statistics.number > 1 && e.statistics.sets_sent == 0;
    return quiet ? Severity::Debug : Severity::Info;
  }
  static std::string sentence(const SweepFinished& e) {
    const SweepStatistics& s = e.statistics;
    return fmt::format("Sweep {} took {} s: {} Get, {} Set, {} repeated, {} unanswered", s.number,
                       seconds(s.total), s.gets_sent, s.sets_sent, s.retries, s.unanswered);
  }
  static Fields fields(const SweepFinished& e) {
    const SweepStatistics& s = e.statistics;
    return {{"number", number(s.number)},   {"seconds", seconds(s.total)},
            {"gets", number(s.gets_sent)},  {"sets", number(s.sets_sent)},
            {"retries", number(s.retries)}, {"unanswered", number(s.unanswered)},
            {"late", number(s.late)}};
  }
};

template <>
struct Rendering<SubnetUp> {
  static constexpr std::string_view name = "SubnetUp";
  static Severity severity(const SubnetUp&) { return Severity::Info; }
  static std::string sentence(const SubnetUp& e) {
    const std::string routed = e.engine.empty() ? "" : fmt::format(", routed by {}", e.engine);
    return fmt::format("The subnet is up: {} nodes, {} links, {} LIDs{}", e.nodes, e.links, e.lids,
                       routed);
  }
  static Fields fields(const SubnetUp& e) {
    return {{"nodes", number(e.nodes)},
            {"links", number(e.links)},
            {"lids", number(e.lids)},
            {"engine", e.engine}};
  }
};

template <>
struct Rendering<StateChanged> {
  static constexpr std::string_view name = "StateChanged";
  static Severity severity(const StateChanged&) { return Severity::Info; }
  static std::string sentence(const StateChanged& e) {
    return fmt::format("This subnet manager went from {} to {}: {}", state_name(e.from),
                       state_name(e.to), e.reason);
  }
  static Fields fields(const StateChanged& e) {
    return {{"from", std::string(state_name(e.from))},
            {"to", std::string(state_name(e.to))},
            {"reason", e.reason}};
  }
};

template <>
struct Rendering<LocalPortDown> {
  static constexpr std::string_view name = "LocalPortDown";
  static Severity severity(const LocalPortDown&) { return Severity::Warning; }
  static std::string sentence(const LocalPortDown& e) {
    return fmt::format("The subnet manager's own port has no link: {}", e.reason);
  }
  static Fields fields(const LocalPortDown& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<NodeAppeared> {
  static constexpr std::string_view name = "NodeAppeared";
  static Severity severity(const NodeAppeared&) { return Severity::Info; }
  static std::string sentence(const NodeAppeared& e) {
    return fmt::format("New {}: {}", node_type_name(e.type), full_name(e.node));
  }
  static Fields fields(const NodeAppeared& e) {
    Fields out = node_fields(e.node);
    out.emplace_back("type", node_type_name(e.type));
    return out;
  }
};

template <>
struct Rendering<NodeDisappeared> {
  static constexpr std::string_view name = "NodeDisappeared";
  static Severity severity(const NodeDisappeared&) { return Severity::Warning; }
  static std::string sentence(const NodeDisappeared& e) {
    return fmt::format("{} is gone", full_name(e.node));
  }
  static Fields fields(const NodeDisappeared& e) { return node_fields(e.node); }
};

template <>
struct Rendering<LinkAppeared> {
  static constexpr std::string_view name = "LinkAppeared";
  static Severity severity(const LinkAppeared&) { return Severity::Info; }
  static std::string sentence(const LinkAppeared& e) {
    return fmt::format("New link: {} - {}", short_name(e.a), short_name(e.b));
  }
  static Fields fields(const LinkAppeared& e) { return pair_fields(e.a, e.b); }
};

template <>
struct Rendering<LinkDisappeared> {
  static constexpr std::string_view name = "LinkDisappeared";
  static Severity severity(const LinkDisappeared&) { return Severity::Warning; }
  static std::string sentence(const LinkDisappeared& e) {
    return fmt::format("The link {} - {} is gone", short_name(e.a), short_name(e.b));
  }
  static Fields fields(const LinkDisappeared& e) { return pair_fields(e.a, e.b); }
};

template <>
struct Rendering<SwitchChanged> {
  static constexpr std::string_view name = "SwitchChanged";
  static Severity severity(const SwitchChanged&) { return Severity::Info; }
  static std::string sentence(const SwitchChanged& e) {
    return fmt::format("A port of {} changed its state", full_name(e.node));
  }
  static Fields fields(const SwitchChanged& e) { return node_fields(e.node); }
};

template <>
struct Rendering<DuplicateGuid> {
  static constexpr std::string_view name = "DuplicateGuid";
  static Severity severity(const DuplicateGuid&) { return Severity::Error; }
  static std::string sentence(const DuplicateGuid& e) {
    return fmt::format(
        "Two devices have the GUID {}: one by route {}, another by route {}; only the first is "
        "managed until one of them gets a GUID of its own",
        guid_text(e.guid), e.first_route, e.second_route);
  }
  static Fields fields(const DuplicateGuid& e) {
    return {{"guid", guid_text(e.guid)},
            {"first_route", e.first_route},
            {"second_route", e.second_route}};
  }
};

template <>
struct Rendering<CableLoopsBack> {
  static constexpr std::string_view name = "CableLoopsBack";
  static Severity severity(const CableLoopsBack&) { return Severity::Warning; }
  static std::string sentence(const CableLoopsBack& e) {
    return fmt::format("A cable leads from {} back to the same node, port {}; it carries nothing",
                       full_name(e.a), e.b.port.value);
  }
  static Fields fields(const CableLoopsBack& e) { return pair_fields(e.a, e.b); }
};

template <>
struct Rendering<DeviceLies> {
  static constexpr std::string_view name = "DeviceLies";
  static Severity severity(const DeviceLies&) { return Severity::Warning; }
  static std::string sentence(const DeviceLies& e) {
    return fmt::format("{} says what cannot be: {}", full_name(e.node), e.what);
  }
  static Fields fields(const DeviceLies& e) {
    Fields out = node_fields(e.node);
    out.emplace_back("what", e.what);
    return out;
  }
};

template <>
struct Rendering<DeviceSilent> {
  static constexpr std::string_view name = "DeviceSilent";
  static Severity severity(const DeviceSilent&) { return Severity::Warning; }
  static std::string sentence(const DeviceSilent& e) {
    const bool known = e.node.guid != mad::Guid{} || !e.node.description.empty();
    return fmt::format("{} does not answer {} by route {}", known ? full_name(e.node) : "A device",
                       attribute_name(e.attribute), e.route);
  }
  static Fields fields(const DeviceSilent& e) {
    Fields out = node_fields(e.node);
    out.emplace_back("attribute", attribute_name(e.attribute));
    out.emplace_back("route", e.route);
    return out;
  }
};

template <>
struct Rendering<SetRefused> {
  static constexpr std::string_view name = "SetRefused";
  static Severity severity(const SetRefused&) { return Severity::Warning; }
  static std::string sentence(const SetRefused& e) {
    return fmt::format("{} refused Set({}) with modifier {}: {} (status {})", full_name(e.node),
                       attribute_name(e.attribute), base::hex(e.modifier, 8),
                       status_meaning(e.status), base::hex(e.status.value, 4));
  }
  static Fields fields(const SetRefused& e) {
    Fields out = node_fields(e.node);
    out.emplace_back("attribute", attribute_name(e.attribute));
    out.emplace_back("modifier", base::hex(e.modifier, 8));
    out.emplace_back("status", base::hex(e.status.value, 4));
    return out;
  }
};

template <>
struct Rendering<LidConflict> {
  static constexpr std::string_view name = "LidConflict";
  static Severity severity(const LidConflict&) { return Severity::Warning; }
  static std::string sentence(const LidConflict& e) {
    return fmt::format("{} and {} both hold LID {}; {} keeps it", short_name(e.first),
                       short_name(e.second), e.lid.value, short_name(e.first));
  }
  static Fields fields(const LidConflict& e) {
    return {{"lid", number(e.lid.value)},
            {"first", short_name(e.first)},
            {"first_guid", guid_text(e.first.node.guid)},
            {"second", short_name(e.second)},
            {"second_guid", guid_text(e.second.node.guid)}};
  }
};

template <>
struct Rendering<LidsExhausted> {
  static constexpr std::string_view name = "LidsExhausted";
  static Severity severity(const LidsExhausted&) { return Severity::Error; }
  static std::string sentence(const LidsExhausted& e) {
    return fmt::format("No LID is left for {}: all up to {} are given out; lower lids.lmc",
                       full_name(e.port), e.last.value);
  }
  static Fields fields(const LidsExhausted& e) {
    return {{"port", short_name(e.port)},
            {"guid", guid_text(e.port.node.guid)},
            {"last", number(e.last.value)}};
  }
};

template <>
struct Rendering<SwitchTooSmall> {
  static constexpr std::string_view name = "SwitchTooSmall";
  static Severity severity(const SwitchTooSmall&) { return Severity::Error; }
  static std::string sentence(const SwitchTooSmall& e) {
    return fmt::format(
        "{} forwards only {} LIDs, and LID {} is in use; what lies above is not reached through it",
        full_name(e.node), e.capacity, e.needed.value);
  }
  static Fields fields(const SwitchTooSmall& e) {
    Fields out = node_fields(e.node);
    out.emplace_back("capacity", number(e.capacity));
    out.emplace_back("needed", number(e.needed.value));
    return out;
  }
};

template <>
struct Rendering<RouteTooLong> {
  static constexpr std::string_view name = "RouteTooLong";
  static Severity severity(const RouteTooLong&) { return Severity::Warning; }
  static std::string sentence(const RouteTooLong& e) {
    return fmt::format("What lies behind {} is further away than a directed route reaches",
                       full_name(e.behind));
  }
  static Fields fields(const RouteTooLong& e) {
    return {{"behind", short_name(e.behind)}, {"guid", guid_text(e.behind.node.guid)}};
  }
};

template <>
struct Rendering<EngineRejected> {
  static constexpr std::string_view name = "EngineRejected";
  static Severity severity(const EngineRejected&) { return Severity::Warning; }
  static std::string sentence(const EngineRejected& e) {
    return fmt::format("Routing engine {} is not used: {}", e.engine, e.reason);
  }
  static Fields fields(const EngineRejected& e) {
    return {{"engine", e.engine}, {"reason", e.reason}};
  }
};

template <>
struct Rendering<RoutesChosen> {
  static constexpr std::string_view name = "RoutesChosen";
  static Severity severity(const RoutesChosen&) { return Severity::Info; }
  static std::string sentence(const RoutesChosen& e) {
    return fmt::format("Routes by {}{}: {} routes, at most {} hops, {} table blocks to write{}{}",
                       e.engine, e.vls > 1 ? fmt::format(" on {} VLs", e.vls) : "", e.routes,
                       e.max_hops, e.blocks_to_write, e.notes.empty() ? "" : "; ",
                       fmt::join(e.notes, "; "));
  }
  static Fields fields(const RoutesChosen& e) {
    return {{"engine", e.engine},
            {"routes", number(e.routes)},
            {"max_hops", number(e.max_hops)},
            {"vls", number(e.vls)},
            {"blocks_to_write", number(e.blocks_to_write)},
            {"notes", fmt::format("{}", fmt::join(e.notes, "; "))}};
  }
};

template <>
struct Rendering<RoutingFailed> {
  static constexpr std::string_view name = "RoutingFailed";
  static Severity severity(const RoutingFailed&) { return Severity::Error; }
  static std::string sentence(const RoutingFailed& e) {
    return fmt::format("The fabric cannot be routed, its tables stay as they are: {}", e.reason);
  }
  static Fields fields(const RoutingFailed& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<QosLevelsLeftOut> {
  static constexpr std::string_view name = "QosLevelsLeftOut";
  static Severity severity(const QosLevelsLeftOut&) { return Severity::Warning; }
  static std::string sentence(const QosLevelsLeftOut& e) {
    return fmt::format(
        "The routes of {} are only safe on their own {} VLs: paths have their service levels, not "
        "those of the qos policy",
        e.engine, e.vls);
  }
  static Fields fields(const QosLevelsLeftOut& e) {
    return {{"engine", e.engine}, {"vls", number(e.vls)}};
  }
};

template <>
struct Rendering<RivalMasterSeen> {
  static constexpr std::string_view name = "RivalMasterSeen";
  static Severity severity(const RivalMasterSeen&) { return Severity::Warning; }
  static std::string sentence(const RivalMasterSeen& e) {
    return fmt::format("Another subnet manager claims this fabric: port {} with priority {}",
                       guid_text(e.guid), e.priority);
  }
  static Fields fields(const RivalMasterSeen& e) {
    return {{"guid", guid_text(e.guid)}, {"priority", number(e.priority)}};
  }
};

template <>
struct Rendering<RivalMasterStays> {
  static constexpr std::string_view name = "RivalMasterStays";
  static Severity severity(const RivalMasterStays&) { return Severity::Error; }
  static std::string sentence(const RivalMasterStays& e) {
    return fmt::format(
        "The subnet manager on port {} with priority {} keeps calling itself master, though this "
        "one ranks higher: both will write to the fabric until one is stopped",
        guid_text(e.guid), e.priority);
  }
  static Fields fields(const RivalMasterStays& e) {
    return {{"guid", guid_text(e.guid)}, {"priority", number(e.priority)}};
  }
};

template <>
struct Rendering<HandedOver> {
  static constexpr std::string_view name = "HandedOver";
  static Severity severity(const HandedOver&) { return Severity::Info; }
  static std::string sentence(const HandedOver& e) {
    return fmt::format(
        "The fabric was handed over to the subnet manager on port {}, which has priority {}",
        guid_text(e.guid), e.priority);
  }
  static Fields fields(const HandedOver& e) {
    return {{"guid", guid_text(e.guid)}, {"priority", number(e.priority)}};
  }
};

template <>
struct Rendering<HandoverRefused> {
  static constexpr std::string_view name = "HandoverRefused";
  static Severity severity(const HandoverRefused&) { return Severity::Warning; }
  static std::string sentence(const HandoverRefused& e) {
    return fmt::format(
        "The subnet manager on port {} with priority {} ranks higher but did not take the fabric "
        "over: this one stays master",
        guid_text(e.guid), e.priority);
  }
  static Fields fields(const HandoverRefused& e) {
    return {{"guid", guid_text(e.guid)}, {"priority", number(e.priority)}};
  }
};

template <>
struct Rendering<StrangeManagerIgnored> {
  static constexpr std::string_view name = "StrangeManagerIgnored";
  static Severity severity(const StrangeManagerIgnored&) { return Severity::Error; }
  static std::string sentence(const StrangeManagerIgnored& e) {
    return fmt::format(
        "The subnet manager on port {} is not one of allowed_sm_guids: it has no part in the "
        "election",
        guid_text(e.guid));
  }
  static Fields fields(const StrangeManagerIgnored& e) { return {{"guid", guid_text(e.guid)}}; }
};

template <>
struct Rendering<WouldWrite> {
  static constexpr std::string_view name = "WouldWrite";
  static Severity severity(const WouldWrite& e) {
    return e.of_the_office ? Severity::Debug : Severity::Info;
  }
  static std::string sentence(const WouldWrite& e) {
    return fmt::format("Would write {} {:#x} of {}{}{}", attribute_name(e.attribute), e.modifier,
                       full_name(e.node), e.change.empty() ? "" : ": ", e.change);
  }
  static Fields fields(const WouldWrite& e) {
    return {{"node", short_name(e.node)},
            {"guid", guid_text(e.node.guid)},
            {"attribute", attribute_name(e.attribute)},
            {"modifier", number(e.modifier)},
            {"change", e.change}};
  }
};

template <>
struct Rendering<ShadowCompared> {
  static constexpr std::string_view name = "ShadowCompared";
  static Severity severity(const ShadowCompared&) { return Severity::Info; }
  static std::string sentence(const ShadowCompared& e) {
    return "Nothing was written. As master this subnet manager would write " + text(e.report);
  }
  static Fields fields(const ShadowCompared& e) {
    return {{"sets", number(e.report.sets())},
            {"of_the_office", number(e.report.of_the_office)},
            {"what", text(e.report)}};
  }
};

template <>
struct Rendering<NoisyPortDamped> {
  static constexpr std::string_view name = "NoisyPortDamped";
  static Severity severity(const NoisyPortDamped&) { return Severity::Warning; }
  static std::string sentence(const NoisyPortDamped& e) {
    return fmt::format("{} (LID {}) sends traps without end: from now on few of them are heeded",
                       full_name(e.node), e.lid.value);
  }
  static Fields fields(const NoisyPortDamped& e) {
    return {{"node", short_name(e.node)}, {"lid", number(e.lid.value)}};
  }
};

template <>
struct Rendering<NoisyPortQuarantined> {
  static constexpr std::string_view name = "NoisyPortQuarantined";
  static Severity severity(const NoisyPortQuarantined&) { return Severity::Error; }
  static std::string sentence(const NoisyPortQuarantined& e) {
    return fmt::format(
        "{} (LID {}) does not stop sending traps: none is heeded any more until it is quiet for a "
        "minute",
        full_name(e.node), e.lid.value);
  }
  static Fields fields(const NoisyPortQuarantined& e) {
    return {{"node", short_name(e.node)}, {"lid", number(e.lid.value)}};
  }
};

template <>
struct Rendering<NoisyPortHeardAgain> {
  static constexpr std::string_view name = "NoisyPortHeardAgain";
  static Severity severity(const NoisyPortHeardAgain&) { return Severity::Info; }
  static std::string sentence(const NoisyPortHeardAgain& e) {
    return fmt::format("{} (LID {}) is quiet: its traps are heeded again", full_name(e.node),
                       e.lid.value);
  }
  static Fields fields(const NoisyPortHeardAgain& e) {
    return {{"node", short_name(e.node)}, {"lid", number(e.lid.value)}};
  }
};

template <>
struct Rendering<PKeyTableFull> {
  static constexpr std::string_view name = "PKeyTableFull";
  static Severity severity(const PKeyTableFull&) { return Severity::Error; }
  static std::string sentence(const PKeyTableFull& e) {
    return fmt::format(
        "The P_Key table of {} holds {} keys; for {} more that it belongs to there is no room",
        full_name(e.port), e.capacity, e.left_out);
  }
  static Fields fields(const PKeyTableFull& e) {
    return {{"port", short_name(e.port)},
            {"guid", guid_text(e.port.node.guid)},
            {"capacity", number(e.capacity)},
            {"left_out", number(e.left_out)}};
  }
};

template <>
struct Rendering<MulticastUnproven> {
  static constexpr std::string_view name = "MulticastUnproven";
  static Severity severity(const MulticastUnproven&) { return Severity::Error; }
  static std::string sentence(const MulticastUnproven& e) {
    return fmt::format("Multicast tables were not written, because they are wrong: {}", e.reason);
  }
  static Fields fields(const MulticastUnproven& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<JoinRefused> {
  static constexpr std::string_view name = "JoinRefused";
  static Severity severity(const JoinRefused&) { return Severity::Warning; }
  static std::string sentence(const JoinRefused& e) {
    return fmt::format("A port may not join a multicast group: {}", e.reason);
  }
  static Fields fields(const JoinRefused& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<RegistrationsLost> {
  static constexpr std::string_view name = "RegistrationsLost";
  static Severity severity(const RegistrationsLost&) { return Severity::Warning; }
  static std::string sentence(const RegistrationsLost& e) {
    return fmt::format("What clients had registered is lost, so they are asked again: {}",
                       e.reason);
  }
  static Fields fields(const RegistrationsLost& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<AdministrationLoad> {
  static constexpr std::string_view name = "AdministrationLoad";
  static Severity severity(const AdministrationLoad& e) {
    return e.put_off != 0 ? Severity::Warning : Severity::Debug;
  }
  static std::string talkers(const AdministrationLoad& e) {
    std::vector<std::string> words;
    for (const auto& talker : e.top) {
      const std::string who = talker.node == NodeName{} ? "a port" : short_name(talker.node);
      words.push_back(fmt::format("{} (LID {}) {}", who, talker.lid.value, talker.requests));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }
  static std::string sentence(const AdministrationLoad& e) {
    return fmt::format(
        "Subnet administration was asked {} times in {} s, {} of them were put off{}{}", e.requests,
        seconds(e.time), e.put_off == 0 ? "none" : number(e.put_off),
        e.top.empty() ? "" : "; most by ", talkers(e));
  }
  static Fields fields(const AdministrationLoad& e) {
    return {{"requests", number(e.requests)},
            {"seconds", seconds(e.time)},
            {"put_off", number(e.put_off)},
            {"top", talkers(e)}};
  }
};

template <>
struct Rendering<MembersNotAsked> {
  static constexpr std::string_view name = "MembersNotAsked";
  static Severity severity(const MembersNotAsked&) { return Severity::Warning; }
  static std::string sentence(const MembersNotAsked& e) {
    return fmt::format(
        "{} ports are in groups whose terms have changed and cannot be asked to register anew: "
        "they "
        "keep the old terms until they join again; the first is {}",
        e.ports, full_name(e.first));
  }
  static Fields fields(const MembersNotAsked& e) {
    return {{"ports", number(e.ports)}, {"first", short_name(e.first)}};
  }
};

template <>
struct Rendering<SubscriberLost> {
  static constexpr std::string_view name = "SubscriberLost";
  static Severity severity(const SubscriberLost&) { return Severity::Warning; }
  static std::string sentence(const SubscriberLost& e) {
    return fmt::format("Port {} (LID {}) does not answer reports; its subscription has ended",
                       guid_text(e.guid), e.lid.value);
  }
  static Fields fields(const SubscriberLost& e) {
    return {{"port_guid", guid_text(e.guid)}, {"lid", number(e.lid.value)}};
  }
};

template <>
struct Rendering<MadIgnored> {
  static constexpr std::string_view name = "MadIgnored";
  static Severity severity(const MadIgnored&) { return Severity::Debug; }
  static std::string sentence(const MadIgnored& e) {
    return fmt::format("A MAD was ignored: {}", e.reason);
  }
  static Fields fields(const MadIgnored& e) { return {{"reason", e.reason}}; }
};

}  // namespace

std::string text(const ShadowReport& report) {
  std::string text;
  for (const auto& [attribute, count] : report.writes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, attribute_name(attribute));
  }
  if (text.empty()) return "nothing";
  if (report.of_the_office == report.sets()) return text + ", all to name the new master";
  if (report.of_the_office == 0) return text;
  return fmt::format("{}; {} of them only name the new master", text, report.of_the_office);
}

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::Discovery:
      return "discovery";
    case Phase::Lids:
      return "LIDs";
    case Phase::Routing:
      return "routing";
    case Phase::Tables:
      return "tables";
    case Phase::Links:
      return "links";
  }
  return "unknown";
}

std::string_view event_name(const Event& event) {
  return std::visit([]<class T>(const T&) { return Rendering<T>::name; }, event.value);
}

Severity severity(const Event& event) {
  return std::visit([]<class T>(const T& value) { return Rendering<T>::severity(value); },
                    event.value);
}

std::string sentence(const Event& event) {
  return std::visit([]<class T>(const T& value) { return Rendering<T>::sentence(value); },
                    event.value);
}

Fields fields(const Event& event) {
  return std::visit([]<class T>(const T& value) { return Rendering<T>::fields(value); },
                    event.value);
}

}  // namespace heddle::sm
