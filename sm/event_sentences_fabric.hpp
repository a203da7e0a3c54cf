// SPDX-License-Identifier: BSD-3-Clause
// How events of the fabric, its nodes and links are told: one rendering each. Only for events.cpp.
#pragma once

#include "sm/event_words.hpp"

namespace heddle::sm::rendering {

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
struct Rendering<SilentNodeKept> {
  static constexpr std::string_view name = "SilentNodeKept";
  static Severity severity(const SilentNodeKept&) { return Severity::Warning; }
  static std::string sentence(const SilentNodeKept& e) {
    const std::string behind =
        e.behind == 0 ? "" : fmt::format(", and {} that are reached through it", e.behind);
    return fmt::format(
        "{} does not answer, but its cable is up: it is kept as it was{} ({} of {} looks in vain)",
        full_name(e.node), behind, e.misses, e.limit);
  }
  static Fields fields(const SilentNodeKept& e) {
    return {{"node", short_name(e.node)},
            {"misses", number(e.misses)},
            {"limit", number(e.limit)},
            {"behind", number(e.behind)}};
  }
};

template <>
struct Rendering<PortLocked> {
  static constexpr std::string_view name = "PortLocked";
  static Severity severity(const PortLocked&) { return Severity::Error; }
  static std::string sentence(const PortLocked& e) {
    return fmt::format(
        "{} (port GUID {}) is locked by an M_Key that is not ours: nothing is written there "
        "(former_m_keys may name it)",
        full_name(e.node), guid_text(e.port));
  }
  static Fields fields(const PortLocked& e) {
    return {{"node", short_name(e.node)}, {"port_guid", guid_text(e.port)}};
  }
};

template <>
struct Rendering<LinkHeldBack> {
  static constexpr std::string_view name = "LinkHeldBack";
  static Severity severity(const LinkHeldBack&) { return Severity::Warning; }
  static std::string sentence(const LinkHeldBack& e) {
    return fmt::format(
        "The link {} - {} was lost {} times: no route uses it until it has stood for a while",
        short_name(e.a), short_name(e.b), e.losses);
  }
  static Fields fields(const LinkHeldBack& e) {
    return {{"a", short_name(e.a)}, {"b", short_name(e.b)}, {"losses", number(e.losses)}};
  }
};

template <>
struct Rendering<LinkFlapsButNeeded> {
  static constexpr std::string_view name = "LinkFlapsButNeeded";
  static Severity severity(const LinkFlapsButNeeded&) { return Severity::Warning; }
  static std::string sentence(const LinkFlapsButNeeded& e) {
    return fmt::format(
        "The link {} - {} was lost {} times; it is used all the same, since nothing else leads to "
        "what is behind it",
        short_name(e.a), short_name(e.b), e.losses);
  }
  static Fields fields(const LinkFlapsButNeeded& e) {
    return {{"a", short_name(e.a)}, {"b", short_name(e.b)}, {"losses", number(e.losses)}};
  }
};

template <>
struct Rendering<LinkUsedAgain> {
  static constexpr std::string_view name = "LinkUsedAgain";
  static Severity severity(const LinkUsedAgain&) { return Severity::Info; }
  static std::string sentence(const LinkUsedAgain& e) {
    return fmt::format("The link {} - {} is as good as any other again", short_name(e.a),
                       short_name(e.b));
  }
  static Fields fields(const LinkUsedAgain& e) {
    return {{"a", short_name(e.a)}, {"b", short_name(e.b)}};
  }
};

template <>
struct Rendering<LinkOrderCarriedOut> {
  static constexpr std::string_view name = "LinkOrderCarriedOut";
  static Severity severity(const LinkOrderCarriedOut&) { return Severity::Info; }
  static std::string sentence(const LinkOrderCarriedOut& e) {
    return fmt::format("The order to {} {} has been carried out", e.order, short_name(e.port));
  }
  static Fields fields(const LinkOrderCarriedOut& e) {
    return {{"port", short_name(e.port)}, {"order", e.order}};
  }
};

template <>
struct Rendering<LinkOrderRefused> {
  static constexpr std::string_view name = "LinkOrderRefused";
  static Severity severity(const LinkOrderRefused&) { return Severity::Warning; }
  static std::string sentence(const LinkOrderRefused& e) {
    return fmt::format("The order to {} {} is not carried out: {}", e.order, short_name(e.port),
                       e.reason);
  }
  static Fields fields(const LinkOrderRefused& e) {
    return {{"port", short_name(e.port)}, {"order", e.order}, {"reason", e.reason}};
  }
};

template <>
struct Rendering<TablesEmptiedFirst> {
  static constexpr std::string_view name = "TablesEmptiedFirst";
  static Severity severity(const TablesEmptiedFirst&) { return Severity::Info; }
  static std::string sentence(const TablesEmptiedFirst& e) {
    return fmt::format(
        "{} LIDs get other ways; entries for {} of them are emptied before they are written, since "
        "old and new ones together could {}",
        e.changed, e.emptied, e.credit_loop ? "close a credit loop" : "send packets round");
  }
  static Fields fields(const TablesEmptiedFirst& e) {
    return {{"changed", number(e.changed)},
            {"emptied", number(e.emptied)},
            {"credit_loop", yes_no(e.credit_loop)}};
  }
};

}  // namespace heddle::sm::rendering
