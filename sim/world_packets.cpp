// SPDX-License-Identifier: BSD-3-Clause
// Packets on QP1: sent by endpoints, answered by devices or handed to software.
#include <utility>

#include "sim/gmp.hpp"
#include "sim/notices.hpp"
#include "sim/p_keys.hpp"
#include "sim/virtual_ports.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {

void World::Impl::send_class_trap(PortIndex from, const mad::Datagram& trap) {
  if (!mad::is_unicast(devices.ports[from].info.lid)) return;
  ++counters.traps;
  send_packet(from, trap);
}

void World::Impl::send_packet(EndpointId from, mad::Datagram datagram) {
  const std::uint32_t slot = take_slot();
  Flight& flight = flights_[slot];
  flight.is_smp = false;
  flight.packet = std::move(datagram);
  flight.passage.at = from;
  flight.passage.dlid = flight.packet.peer.lid;
  const std::uint16_t base_lid = devices.ports[from].info.lid.value;
  flight.passage.slid =
      mad::Lid{static_cast<std::uint16_t>(base_lid + flight.packet.peer.path_bits)};
  report(Sighting::What::Sent, from, nullptr);
  launch_packet(slot);
  follow_up();
}

void World::Impl::launch_packet(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  Passage& passage = flight.passage;
  passage.words = packet_words(flight.packet);
  passage.sl = flight.packet.peer.sl;
  const PortIndex from = passage.at;
  passage.p_key = p_key_at(devices, from, flight.packet.peer.p_key_index);
  // An index without a key sends nothing at all.
  const bool can_send =
      devices.nodes[devices.lines[from].node].powered && passage.p_key != mad::PKey{};
  Fate fate = can_send ? carry_packet({devices, prng, options.loss}, passage) : Fate::Discarded;
  if (fate == Fate::Arrived && !(admit(flight) && turn_global_route(flight, from))) {
    fate = Fate::Discarded;
  }
  if (!account(fate, flight)) {
    free_.push_back(slot);
    return;
  }
  flight.to_software = !is_for_device(flight.packet.payload);
  arrive(slot);
}

// The GIDs of the global route, if there is one: the receiver's must be one of its own, and what it
// sees as the other end is the sender's, by the sender's index.
bool World::Impl::turn_global_route(Flight& flight, PortIndex from) {
  auto& route = flight.packet.peer.global_route;
  if (!route) return true;
  const auto source = gid_at(devices, devices.management_port(from), route->gid_index);
  if (!source) return false;
  const PortIndex port = devices.management_port(flight.passage.at);
  // A router takes what is for others.
  const bool is_router = devices.nodes[devices.lines[port].node].type == mad::NodeType::Router;
  const auto index = gid_index_of(devices, port, route->remote);
  if (!index && !is_router) return false;
  route->remote = *source;
  route->gid_index = static_cast<std::uint8_t>(index.value_or(0));
  return true;
}

// The receiver's checks of the keys. What passes names the key by the receiver's own table.
bool World::Impl::admit(Flight& flight) {
  const Passage& passage = flight.passage;
  mad::Address& peer = flight.packet.peer;
  const PortIndex port = devices.management_port(passage.at);
  mad::PortInfo& info = devices.ports[port].info;
  const auto violate = [](std::uint16_t& violations) {
    if (violations != 0xFFFF) ++violations;
  };
  RefusedPacket packet{passage.slid, passage.dlid, passage.p_key.value, passage.sl};
  const auto entry = admitting_entry(devices, port, passage.p_key);
  if (!entry) {
    violate(info.p_key_violations);
    raise_bad_p_key(devices, port, packet);
    return false;
  }
  // 0 stands for "did not say".
  if (peer.q_key != 0 && peer.q_key != mad::kManagementQKey) {
    violate(info.q_key_violations);
    packet.key = peer.q_key;
    raise_bad_q_key(devices, port, packet);
    return false;
  }
  peer.p_key_index = *entry;
  return true;
}

void World::Impl::answer_packet(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  const PortIndex port = flight.passage.at;
  const NodeIndex node = devices.lines[port].node;
  std::optional<mad::Gid> asker;
  if (flight.packet.peer.global_route) asker = flight.packet.peer.global_route->remote;
  const AgentContext context{devices, port, now, flight.passage.slid, asker};
  const bool answered = !devices.nodes[node].misbehaviour.silent &&
                        answer_gmp(context, flight.packet.payload) == Answer::Reply;
  if (!answered) {
    ++counters.silent;
    report(Sighting::What::Discarded, port, nullptr);
    free_.push_back(slot);
    return;
  }
  report(Sighting::What::Answered, port, nullptr);
  Passage back;
  back.at = devices.management_port(port);
  back.slid = flight.passage.dlid;
  back.dlid = flight.passage.slid;
  flight.packet.peer.lid = back.dlid;
  flight.passage = back;
  launch_packet(slot);
}

}  // namespace heddle::sim
