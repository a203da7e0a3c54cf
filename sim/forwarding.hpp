// SPDX-License-Identifier: BSD-3-Clause
// How a packet gets from port to port: directed routes hop by hop (IBA vol. 1, 14.2.2), LIDs by the
// switches' own tables.
#pragma once

#include <cstdint>

#include "base/prng.hpp"
#include "base/time.hpp"
#include "mad/types.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

enum class Fate : std::uint8_t {
  Arrived,
  Lost,       // on a cable
  Discarded,  // by a device: no route, port down, hop pointer wrong
};

// SMPs travel on it, and nothing else.
inline constexpr std::uint8_t kManagementLane = 15;

// LRH, BTH, DETH, 256 bytes of MAD and the ICRC.
inline constexpr std::uint16_t kSmpWords = (8 + 12 + 8 + 256 + 4) / 4;

// Where a packet is and how it is addressed. Both LIDs are permissive on directed hops.
struct Passage {
  PortIndex at = 0;        // the port it leaves by its own software; the port it came in by
  bool from_wire = false;  // false: sent by the node itself
  mad::Lid slid = mad::kPermissiveLid;
  mad::Lid dlid = mad::kPermissiveLid;
  unsigned hops = 0;
  unsigned copies = 0;              // that cables made of it
  std::uint16_t words = kSmpWords;  // of four bytes, as PortXmitData counts them
  std::uint8_t lane = kManagementLane;
  mad::ServiceLevel sl{};
  mad::PKey p_key{};        // of a packet; SMPs have none
  base::Duration delay{0};  // more than the hops' own
};

// What lies between the devices.
struct Medium {
  Devices& devices;
  base::Prng& prng;
  double loss = 0;
};

// Carries an SMP from the node at passage.at, where it was just sent, to the agent that is to have
// it: passage.at is then the port it came in by. All links are seen as they are now. Moves the hop
// pointer and fills in the return path. SMPs pass ports in Initialize, Armed and Active.
Fate carry_smp(const Medium& medium, Passage& passage, mad::Smp& smp);

// The same for a packet on a data lane, by LID alone: it leaves through Active ports only and comes
// in by ports that are Armed or Active. Switches that enforce partitions drop what their tables do
// not admit.
Fate carry_packet(const Medium& medium, Passage& passage);

// The lane on which a packet leaves, by SLtoVLMappingTable for the port number it came in by (0:
// made by the node itself, and for adapters); 15 where the table wants it dropped. Tables that
// nobody wrote spread levels over eight lanes.
std::uint8_t lane_of(const Devices& devices, PortIndex out, std::uint8_t input,
                     mad::ServiceLevel sl);

// Whether the LID is one of the port's own.
bool owns_lid(const mad::PortInfo& info, mad::Lid lid);

}  // namespace heddle::sim
