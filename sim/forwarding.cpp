// SPDX-License-Identifier: BSD-3-Clause
#include "sim/forwarding.hpp"

#include "sim/notices.hpp"
#include "sim/p_keys.hpp"
#include "sim/virtual_ports.hpp"
#include "sim/world.hpp"

namespace heddle::sim {
namespace {

// Stands for the packet life time: tables that go round in circles end here.
constexpr unsigned kMaxHopsEver = 1024;

enum class Verdict : std::uint8_t { Local, Out, ByDlid, Discard };

struct Decision {
  Verdict verdict = Verdict::Discard;
  std::uint8_t out = 0;
  mad::Lid dlid{};  // with ByDlid
};

constexpr bool admits_smp(mad::PortState state) {
  return state == mad::PortState::Init || state == mad::PortState::Armed ||
         state == mad::PortState::Active;
}

Fate discard(Devices& devices, PortIndex out, Counter reason) {
  count(devices, out, Counter::PortXmitDiscards);
  count(devices, out, reason);
  return Fate::Discarded;
}

// What a bad cable does to a packet on its way.
void suffer(const Medium& medium, Passage& passage, const Cable& cable) {
  passage.delay += cable.delay;
  if (cable.reorder > 0 && medium.prng.chance(cable.reorder)) {
    const auto most = static_cast<std::uint64_t>(kReorderHold.count());
    passage.delay += base::Duration(static_cast<std::int64_t>(1 + medium.prng.below(most)));
  }
  if (cable.duplicate > 0 && medium.prng.chance(cable.duplicate)) ++passage.copies;
}

// The receiver saw a packet whose check sums are wrong, or nothing that it could call one.
Fate spoil(const Medium& medium, PortIndex receiver) {
  count(medium.devices, receiver, Counter::SymbolErrorCounter);
  count(medium.devices, receiver, Counter::PortRcvErrors);
  count(medium.devices, receiver, Counter::PortLocalPhysicalErrors);
  return Fate::Lost;
}

// The service level's and lane's share; SMPs have none, so the usual packet costs nothing here.
void count_lane(Devices& devices, PortIndex out, PortIndex in, const Passage& passage) {
  count(devices, out, element(Counter::PortXmitDataSL, passage.sl.value), passage.words);
  count(devices, in, element(Counter::PortRcvDataSL, passage.sl.value), passage.words);
  count(devices, in, element(Counter::PortVLOpPackets, passage.lane));
  count(devices, in, element(Counter::PortVLOpData, passage.lane), passage.words);
}

// Whether the switch's port lets the packet pass; a refusal is counted and told of.
bool enforce(Devices& devices, const Passage& passage, PortIndex port, Counter reason) {
  if (admitting_entry(devices, port, passage.p_key)) return true;
  count(devices, port, reason);
  std::uint16_t& violations = devices.ports[port].info.p_key_violations;
  if (violations != 0xFFFF) ++violations;
  raise_switch_bad_p_key(devices, port,
                         {passage.slid, passage.dlid, passage.p_key.value, passage.sl});
  return false;
}

Fate cross(const Medium& medium, Passage& passage, PortIndex out, bool data) {
  Devices& devices = medium.devices;
  const Line& line = devices.lines[out];
  if (line.peer == kNone) return discard(devices, out, Counter::PortInactiveDiscards);
  const Line& peer = devices.lines[line.peer];
  const bool open =
      data ? line.state == mad::PortState::Active &&
                 (peer.state == mad::PortState::Armed || peer.state == mad::PortState::Active)
           : admits_smp(line.state) && admits_smp(peer.state);
  if (!open) return discard(devices, out, Counter::PortInactiveDiscards);
  if (++passage.hops > kMaxHopsEver) {
    return discard(devices, out, Counter::PortSwLifetimeLimitDiscards);
  }
  if (data) {
    const bool by_input = passage.from_wire && devices.is_switch(line.node);
    const std::uint8_t input = by_input ? devices.lines[passage.at].number : std::uint8_t{0};
    passage.lane = lane_of(devices, out, input, passage.sl);
    if (passage.lane == kManagementLane) {
      count(devices, out, Counter::PortXmitDiscards);
      return Fate::Discarded;
    }
  }
  Traffic& sent = devices.traffic[out];
  sent.xmit_data += passage.words;
  ++sent.xmit_packets;
  const PortIndex in = line.peer;
  passage.at = in;
  passage.from_wire = true;
  const Cable& cable = devices.cables[line.cable];
  if (medium.loss > 0 || cable.loss > 0) {
    if (medium.prng.chance(medium.loss + cable.loss)) return spoil(medium, in);
  }
  if (cable.troubled) suffer(medium, passage, cable);
  Traffic& received = devices.traffic[in];
  received.rcv_data += passage.words;
  ++received.rcv_packets;
  if (data) count_lane(devices, out, in, passage);
  return Fate::Arrived;
}

void count_unroutable(Devices& devices, PortIndex in) {
  count(devices, in, Counter::PortRcvSwitchRelayErrors);
  count(devices, in, Counter::PortDLIDMappingErrors);
}

// Outbound (IBA vol. 1, C14-9). A step counts the hop pointer up.
Decision outbound(mad::Smp& smp, std::uint8_t in_port, bool from_wire, bool is_switch) {
  std::uint8_t& pointer = smp.hop_pointer;
  const std::uint8_t count = smp.hop_count;
  if (count != 0 && pointer == 0) {
    if (from_wire && !is_switch) return {};
    pointer = 1;
    return {Verdict::Out, smp.initial_path[1].value, {}};
  }
  if (pointer != 0 && pointer < count) {
    if (!is_switch || !from_wire) return {};
    smp.return_path[pointer] = mad::PortNumber{in_port};
    ++pointer;
    return {Verdict::Out, smp.initial_path[pointer].value, {}};
  }
  if (pointer == count) {
    if (count != 0) smp.return_path[pointer] = mad::PortNumber{in_port};
    ++pointer;
    if (smp.dr_dlid == mad::kPermissiveLid) return {Verdict::Local, 0, {}};
    return is_switch ? Decision{Verdict::ByDlid, 0, smp.dr_dlid} : Decision{};
  }
  return pointer == count + 1 ? Decision{Verdict::Local, 0, {}} : Decision{};
}

// On the way back (IBA vol. 1, C14-13). A step counts the hop pointer down.
Decision inbound(mad::Smp& smp, bool from_wire, bool is_switch) {
  std::uint8_t& pointer = smp.hop_pointer;
  const std::uint8_t count = smp.hop_count;
  if (count != 0 && pointer == count + 1) {
    if (from_wire && !is_switch) return {};
    --pointer;
    return {Verdict::Out, smp.return_path[pointer].value, {}};
  }
  if (pointer >= 2 && pointer <= count) {
    if (!is_switch) return {};
    --pointer;
    return {Verdict::Out, smp.return_path[pointer].value, {}};
  }
  if (pointer == 1) {
    pointer = 0;
    if (smp.dr_slid == mad::kPermissiveLid) return {Verdict::Local, 0, {}};
    return is_switch ? Decision{Verdict::ByDlid, 0, smp.dr_slid} : Decision{};
  }
  return pointer == 0 ? Decision{Verdict::Local, 0, {}} : Decision{};
}

// The port itself, a port to leave by, or nothing, for a packet with a LID.
Decision by_lid(const Devices& devices, const Passage& passage) {
  const NodeIndex node = devices.lines[passage.at].node;
  const PortIndex own = devices.management_port(passage.at);
  if (devices.is_switch(node)) {
    const std::uint8_t out = devices.route(devices.switch_at(node), passage.dlid);
    if (out == 0)
      return {owns_lid(devices, own, passage.dlid) ? Verdict::Local : Verdict::Discard, 0, {}};
    return {out == mad::kNoPortNumber.value ? Verdict::Discard : Verdict::Out, out, {}};
  }
  if (owns_lid(devices, own, passage.dlid)) return {Verdict::Local, 0, {}};
  if (passage.from_wire) return {};
  return {Verdict::Out, devices.lines[passage.at].number, {}};
}

Decision decide_smp(const Devices& devices, Passage& passage, mad::Smp& smp) {
  if (passage.dlid != mad::kPermissiveLid) {
    const Decision decision = by_lid(devices, passage);
    const bool directed = smp.management_class == mad::ManagementClass::SubnDirectedRoute;
    if (decision.verdict != Verdict::Local || !directed) return decision;
    // The LID-routed part ends here; a directed one may begin.
    passage.dlid = mad::kPermissiveLid;
  }
  const Line& line = devices.lines[passage.at];
  const bool is_switch = devices.is_switch(line.node);
  return smp.direction ? inbound(smp, passage.from_wire, is_switch)
                       : outbound(smp, line.number, passage.from_wire, is_switch);
}

// The line to leave by, or nothing when the node may not send through that port.
PortIndex way_out(const Devices& devices, const Passage& passage, std::uint8_t out) {
  const NodeIndex node = devices.lines[passage.at].node;
  if (out == 0 || out > devices.nodes[node].port_count) return kNone;
  const PortIndex port = devices.port_at(node, out);
  return devices.is_switch(node) || port == passage.at ? port : kNone;
}

}  // namespace

bool owns_lid(const mad::PortInfo& info, mad::Lid lid) {
  return info.lid != mad::kNoLid && lid.value >= info.lid.value &&
         lid.value < info.lid.value + (1u << info.lmc);
}

std::uint8_t lane_of(const Devices& devices, PortIndex out, std::uint8_t input,
                     mad::ServiceLevel sl) {
  const unsigned level = sl.value & 0xF;
  const auto& tables = devices.ports[out].tables;
  if (!tables) return static_cast<std::uint8_t>(level % 8);
  const auto found = tables->sl_to_vl.find(input);
  if (found == tables->sl_to_vl.end()) return static_cast<std::uint8_t>(level % 8);
  const auto pair = std::to_integer<unsigned>(found->second[level / 2]);
  return static_cast<std::uint8_t>(level % 2 == 0 ? pair >> 4 : pair & 0xF);
}

Fate carry_smp(const Medium& medium, Passage& passage, mad::Smp& smp) {
  if (smp.hop_count > mad::kMaxHops &&
      smp.management_class == mad::ManagementClass::SubnDirectedRoute) {
    return Fate::Discarded;
  }
  const Devices& devices = medium.devices;
  while (true) {
    const Decision decision = decide_smp(devices, passage, smp);
    if (decision.verdict == Verdict::Local) return Fate::Arrived;
    if (decision.verdict == Verdict::Discard) return Fate::Discarded;
    if (decision.verdict == Verdict::ByDlid) {
      const NodeIndex node = devices.lines[passage.at].node;
      passage.slid = devices.ports[devices.nodes[node].first_port].info.lid;
      passage.dlid = decision.dlid;
      continue;
    }
    const PortIndex out = way_out(devices, passage, decision.out);
    if (out == kNone) return Fate::Discarded;
    const Fate fate = cross(medium, passage, out, false);
    if (fate != Fate::Arrived) return fate;
  }
}

Fate carry_packet(const Medium& medium, Passage& passage) {
  Devices& devices = medium.devices;
  while (true) {
    const PortIndex in = passage.at;
    const bool relayed = passage.from_wire && devices.is_switch(devices.lines[in].node);
    if (relayed && devices.ports[in].info.partition_enforcement_inbound &&
        !enforce(devices, passage, in, Counter::PortRcvConstraintErrors)) {
      return Fate::Discarded;
    }
    const Decision decision = by_lid(devices, passage);
    if (decision.verdict == Verdict::Local) return Fate::Arrived;
    const PortIndex out =
        decision.verdict == Verdict::Out ? way_out(devices, passage, decision.out) : kNone;
    if (out == kNone) {
      if (relayed) count_unroutable(devices, in);
      return Fate::Discarded;
    }
    if (devices.is_switch(devices.lines[out].node) &&
        devices.ports[out].info.partition_enforcement_outbound &&
        !enforce(devices, passage, out, Counter::PortXmitConstraintErrors)) {
      return Fate::Discarded;
    }
    const Fate fate = cross(medium, passage, out, true);
    if (fate != Fate::Arrived) return fate;
  }
}

}  // namespace heddle::sim
