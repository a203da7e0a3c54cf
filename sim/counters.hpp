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
  // Computed: what is not multicast.
  PortUnicastXmitPkts,
  PortUnicastRcvPkts,
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

constexpr bool is_computed(Counter counter) {
  return counter == Counter::PortUnicastXmitPkts || counter == Counter::PortUnicastRcvPkts;
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

// What is not there is zero. Beside the counters it holds, for each register that was written,
// what has to be subtracted from its counter.
using SparseCounts = boost::container::flat_map<std::uint16_t, std::uint64_t>;

struct Devices;

// What really happened: never reset but by power, saturates at 2^64 - 1. `port` is a PortIndex.
// The computed counters cannot be counted.
void count(Devices& devices, std::uint32_t port, Counter counter, std::uint64_t amount = 1);
std::uint64_t count_of(const Devices& devices, std::uint32_t port, Counter counter);

// Registers start again from what is written into them, each by itself: PortCounters has narrow
// ones, every other attribute has wide ones.
enum class Register : std::uint8_t { Narrow, Wide };
std::uint64_t shown_in(const Devices& devices, std::uint32_t port, Counter counter, Register which,
                       unsigned bits);
void write_into(Devices& devices, std::uint32_t port, Counter counter, Register which,
                std::uint64_t value);

}  // namespace heddle::sim
