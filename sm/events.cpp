// SPDX-License-Identifier: BSD-3-Clause
#include "sm/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sm/event_sentences_fabric.hpp"
#include "sm/event_words.hpp"

namespace heddle::sm {

// --- one rendering per event, of those that are not of the fabric -------------------------------

namespace rendering {

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
struct Rendering<QosTablesLeftOut> {
  static constexpr std::string_view name = "QosTablesLeftOut";
  static Severity severity(const QosTablesLeftOut&) { return Severity::Warning; }
  static std::string sentence(const QosTablesLeftOut& e) {
    return fmt::format(
        "The routes of {} are only safe on their own {} VLs: ports get their SL to VL tables, not "
        "those of the configuration",
        e.engine, e.vls);
  }
  static Fields fields(const QosTablesLeftOut& e) {
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
    const std::string_view what =
        e.has_other_key ? "shows another sm_key: the fabric is not handed over to it"
                        : "is not one of allowed_sm_guids: it has no part in the election";
    return fmt::format("The subnet manager on port {} {}", guid_text(e.guid), what);
  }
  static Fields fields(const StrangeManagerIgnored& e) {
    return {{"guid", guid_text(e.guid)},
            {"reason", e.has_other_key ? "sm_key" : "allowed_sm_guids"}};
  }
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
struct Rendering<PKeysUnchecked> {
  static constexpr std::string_view name = "PKeysUnchecked";
  static Severity severity(const PKeysUnchecked&) { return Severity::Warning; }
  static std::string sentence(const PKeysUnchecked& e) {
    return fmt::format(
        "{} does not check all P_Keys that [partitions] enforcement wants checked, at {} of its "
        "ports: {}",
        full_name(e.node), e.ports, e.reason);
  }
  static Fields fields(const PKeysUnchecked& e) {
    return {{"node", short_name(e.node)},
            {"guid", guid_text(e.node.guid)},
            {"ports", number(e.ports)},
            {"reason", e.reason}};
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
struct Rendering<MulticastMayLoop> {
  static constexpr std::string_view name = "MulticastMayLoop";
  static Severity severity(const MulticastMayLoop&) { return Severity::Warning; }
  static std::string sentence(const MulticastMayLoop& e) {
    return fmt::format(
        "{} multicast trees, first of all that of 0x{:04x}, may close a credit loop with the "
        "routes: no tree was found that does not",
        e.count, e.first.value);
  }
  static Fields fields(const MulticastMayLoop& e) {
    return {{"first", fmt::format("0x{:04x}", e.first.value)}, {"count", number(e.count)}};
  }
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
struct Rendering<MemoryFails> {
  static constexpr std::string_view name = "MemoryFails";
  static Severity severity(const MemoryFails&) { return Severity::Error; }
  static std::string sentence(const MemoryFails& e) {
    return fmt::format("What clients register is not stored, and would be lost by a crash: {}",
                       e.reason);
  }
  static Fields fields(const MemoryFails& e) { return {{"reason", e.reason}}; }
};

template <>
struct Rendering<MemoryWhole> {
  static constexpr std::string_view name = "MemoryWhole";
  static Severity severity(const MemoryWhole&) { return Severity::Info; }
  static std::string sentence(const MemoryWhole&) {
    return "What clients have registered is stored again, all of it";
  }
  static Fields fields(const MemoryWhole&) { return {{"whole", yes_no(true)}}; }
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

}  // namespace rendering

using rendering::Fields;
using rendering::Rendering;

std::string text(const ShadowReport& report) {
  std::string text;
  for (const auto& [attribute, count] : report.writes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                        rendering::attribute_name(attribute));
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
