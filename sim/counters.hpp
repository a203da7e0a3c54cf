// SPDX-License-Identifier: BSD-3-Clause
// What each port counts (IBA vol. 1, 16.1.3 and 16.1.4, and A10.4 for congestion). All counters are
// kept in 64 bits; attributes that show fewer bits saturate.
//
// What moves with every packet is dense; everything else is kept only where it is not zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/container/flat_map.hpp>

namespace heddle::sim {

// Counters that are per lane or service level are rows of 16 from the first on; see element().
enum class Counter : std::uint16_t {
  // Dense, in Traffic:
  PortXmitData,  // words of four bytes
  PortRcvData,
  PortXmitPkts,
  PortRcvPkts,
  // Sparse:
  PortMulticastXmitPkts,
  PortMulticastRcvPkts,
  SymbolErrorCounter,
  LinkErrorRecoveryCounter,
  LinkDownedCounter,
  PortRcvErrors,
  PortRcvRemotePhysicalErrors,
  PortRcvSwitchRelayErrors,
  PortXmitDiscards,
  PortXmitConstraintErrors,
  PortRcvConstraintErrors,
  LocalLinkIntegrityErrors,
  ExcessiveBufferOverrunErrors,
  VL15Dropped,
  PortXmitWait,
  QP1Dropped,
  PortLocalPhysicalErrors,
  PortMalformedPktErrors,
  PortBufferOverrunErrors,
  PortDLIDMappingErrors,
  PortVLMappingErrors,
  PortLoopingErrors,
  PortInactiveDiscards,
  PortNeighborMTUDiscards,
  PortSwLifetimeLimitDiscards,
  PortSwHOQLifetimeLimitDiscards,
  PortOpRcvPkts,
  PortOpRcvData,
  PortXmitFlowPkts,
  PortRcvFlowPkts,
  PortPktRcvFECN,
  PortPktRcvBECN,
  PortXmitTimeCong,
  SyncHeaderErrorCounter,
  UnknownBlockCounter,
  PortFECCorrectableBlockCtr,
  PortFECUncorrectableBlockCtr,
  PortFECCorrectedSymbolCtr,
  PortVLOpPackets = 0x100,
  PortVLOpData = 0x110,
  PortVLXmitFlowCtlUpdateErrors = 0x120,
  PortVLXmitWait = 0x130,
  SWPortVLCongestion = 0x140,
  PortSLRcvFECN = 0x150,
  PortSLRcvBECN = 0x160,
  PortVLXmitTimeCong = 0x170,
  PortXmitDataSL = 0x180,
  PortRcvDataSL = 0x190,
  ErrorDetectionCounterLane = 0x1A0,  // these four: twelve lanes
  FECCorrectableBlockCtrLane = 0x1B0,
  FECUncorrectableBlockCtrLane = 0x1C0,
  FECCorrectableSymbolCtrLane = 0x1D0,
};

constexpr Counter element(Counter first, unsigned index) {
  return static_cast<Counter>(static_cast<unsigned>(first) + index);
}

// By the name that the PMA's attributes give it: "SymbolErrorCounter", "PortXmitDataSL[3]" or
// "PortXmitDataSL3". An attribute in front ("PortCounters.SymbolErrorCounter") is allowed.
std::optional<Counter> find_counter(std::string_view name);
std::string_view name_of(Counter counter);  // of a row: the row's name

struct Traffic {
  std::uint64_t xmit_data = 0;
  std::uint64_t rcv_data = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t rcv_packets = 0;
};

// What is not there is zero. With kNarrow added: what the counter stood at when the attribute of
// few bits was last written, so that it restarts while the 64 bits run on.
using SparseCounts = boost::container::flat_map<std::uint16_t, std::uint64_t>;

struct Devices;

// Saturates at 2^64 - 1. `port` is a PortIndex.
void count(Devices& devices, std::uint32_t port, Counter counter, std::uint64_t amount = 1);
std::uint64_t count_of(const Devices& devices, std::uint32_t port, Counter counter);
void set_count(Devices& devices, std::uint32_t port, Counter counter, std::uint64_t value);

// The same through an attribute that shows `bits` bits and counts for itself.
std::uint64_t narrow_count_of(const Devices& devices, std::uint32_t port, Counter counter,
                              unsigned bits);
void set_narrow_count(Devices& devices, std::uint32_t port, Counter counter, std::uint64_t value);

}  // namespace heddle::sim
