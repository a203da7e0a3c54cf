// SPDX-License-Identifier: BSD-3-Clause
// Packets on QP1: sent by endpoints, answered by devices or handed to software.
#include <utility>

#include "sim/gmp.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {

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
}

void World::Impl::launch_packet(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  Passage& passage = flight.passage;
  passage.words = packet_words(flight.packet);
  passage.sl = flight.packet.peer.sl;
  const PortIndex from = passage.at;
  const bool powered = devices.nodes[devices.lines[from].node].powered;
  const Fate fate =
      powered ? carry_packet({devices, prng, options.loss}, passage) : Fate::Discarded;
  if (!account(fate, flight)) {
    free_.push_back(slot);
    return;
  }
  // What its receiver sees as the other end.
  if (flight.packet.peer.global_route) {
    flight.packet.peer.global_route->remote = {
        devices.ports[devices.management_port(from)].info.gid_prefix, devices.port_guid(from)};
  }
  flight.to_software = !is_for_device(flight.packet.payload);
  arrive(slot);
}

void World::Impl::answer_packet(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  const PortIndex port = flight.passage.at;
  const NodeIndex node = devices.lines[port].node;
  const bool answered = !devices.nodes[node].misbehaviour.silent &&
                        answer_gmp({devices, port, now}, flight.packet.payload) == Answer::Reply;
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
