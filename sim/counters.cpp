// SPDX-License-Identifier: BSD-3-Clause
#include "sim/counters.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kFull = std::numeric_limits<std::uint64_t>::max();

struct Name {
  std::string_view text;
  Counter counter;
  unsigned elements = 1;
};

constexpr std::array kNames{
    Name{"PortXmitData", Counter::PortXmitData},
    Name{"PortRcvData", Counter::PortRcvData},
    Name{"PortXmitPkts", Counter::PortXmitPkts},
    Name{"PortRcvPkts", Counter::PortRcvPkts},
    Name{"PortUnicastXmitPkts", Counter::PortUnicastXmitPkts},
    Name{"PortUnicastRcvPkts", Counter::PortUnicastRcvPkts},
    Name{"PortMulticastXmitPkts", Counter::PortMulticastXmitPkts},
    Name{"PortMulticastRcvPkts", Counter::PortMulticastRcvPkts},
    Name{"SymbolErrorCounter", Counter::SymbolErrorCounter},
    Name{"LinkErrorRecoveryCounter", Counter::LinkErrorRecoveryCounter},
    Name{"LinkDownedCounter", Counter::LinkDownedCounter},
    Name{"PortRcvErrors", Counter::PortRcvErrors},
    Name{"PortRcvRemotePhysicalErrors", Counter::PortRcvRemotePhysicalErrors},
    Name{"PortRcvSwitchRelayErrors", Counter::PortRcvSwitchRelayErrors},
    Name{"PortXmitDiscards", Counter::PortXmitDiscards},
    Name{"PortXmitConstraintErrors", Counter::PortXmitConstraintErrors},
    Name{"PortRcvConstraintErrors", Counter::PortRcvConstraintErrors},
    Name{"LocalLinkIntegrityErrors", Counter::LocalLinkIntegrityErrors},
    Name{"ExcessiveBufferOverrunErrors", Counter::ExcessiveBufferOverrunErrors},
    Name{"VL15Dropped", Counter::VL15Dropped},
    Name{"PortXmitWait", Counter::PortXmitWait},
    Name{"QP1Dropped", Counter::QP1Dropped},
    Name{"PortLocalPhysicalErrors", Counter::PortLocalPhysicalErrors},
    Name{"PortMalformedPktErrors", Counter::PortMalformedPktErrors},
    Name{"PortBufferOverrunErrors", Counter::PortBufferOverrunErrors},
    Name{"PortDLIDMappingErrors", Counter::PortDLIDMappingErrors},
    Name{"PortVLMappingErrors", Counter::PortVLMappingErrors},
    Name{"PortLoopingErrors", Counter::PortLoopingErrors},
    Name{"PortInactiveDiscards", Counter::PortInactiveDiscards},
    Name{"PortNeighborMTUDiscards", Counter::PortNeighborMTUDiscards},
    Name{"PortSwLifetimeLimitDiscards", Counter::PortSwLifetimeLimitDiscards},
    Name{"PortSwHOQLifetimeLimitDiscards", Counter::PortSwHOQLifetimeLimitDiscards},
    Name{"PortOpRcvPkts", Counter::PortOpRcvPkts},
    Name{"PortOpRcvData", Counter::PortOpRcvData},
    Name{"PortXmitFlowPkts", Counter::PortXmitFlowPkts},
    Name{"PortRcvFlowPkts", Counter::PortRcvFlowPkts},
    Name{"PortPktRcvFECN", Counter::PortPktRcvFECN},
    Name{"PortPktRcvBECN", Counter::PortPktRcvBECN},
    Name{"PortXmitTimeCong", Counter::PortXmitTimeCong},
    Name{"SyncHeaderErrorCounter", Counter::SyncHeaderErrorCounter},
    Name{"UnknownBlockCounter", Counter::UnknownBlockCounter},
    Name{"PortFECCorrectableBlockCtr", Counter::PortFECCorrectableBlockCtr},
    Name{"PortFECUncorrectableBlockCtr", Counter::PortFECUncorrectableBlockCtr},
    Name{"PortFECCorrectedSymbolCtr", Counter::PortFECCorrectedSymbolCtr},
    Name{"PortVLOpPackets", Counter::PortVLOpPackets, 16},
    Name{"PortVLOpData", Counter::PortVLOpData, 16},
    Name{"PortVLXmitFlowCtlUpdateErrors", Counter::PortVLXmitFlowCtlUpdateErrors, 16},
    Name{"PortVLXmitWait", Counter::PortVLXmitWait, 16},
    Name{"SWPortVLCongestion", Counter::SWPortVLCongestion, 16},
    Name{"PortSLRcvFECN", Counter::PortSLRcvFECN, 16},
    Name{"PortSLRcvBECN", Counter::PortSLRcvBECN, 16},
    Name{"PortVLXmitTimeCong", Counter::PortVLXmitTimeCong, 15},
    Name{"PortXmitDataSL", Counter::PortXmitDataSL, 16},
    Name{"PortRcvDataSL", Counter::PortRcvDataSL, 16},
    Name{"ErrorDetectionCounterLane", Counter::ErrorDetectionCounterLane, 12},
    Name{"FECCorrectableBlockCtrLane", Counter::FECCorrectableBlockCtrLane, 12},
    Name{"FECUncorrectableBlockCtrLane", Counter::FECUncorrectableBlockCtrLane, 12},
    Name{"FECCorrectableSymbolCtrLane", Counter::FECCorrectableSymbolCtrLane, 12},
};

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return b > kFull - a ? kFull : a + b;
}

// Null for counters that are not dense.
std::uint64_t Traffic::*dense(Counter counter) {
  switch (counter) {
    case Counter::PortXmitData:
      return &Traffic::xmit_data;
    case Counter::PortRcvData:
      return &Traffic::rcv_data;
    case Counter::PortXmitPkts:
      return &Traffic::xmit_packets;
    case Counter::PortRcvPkts:
      return &Traffic::rcv_packets;
    default:
      return nullptr;
  }
}

std::uint64_t sparse(const Devices& devices, PortIndex port, unsigned key) {
  const auto& counts = devices.ports[port].counts;
  if (!counts) return 0;
  const auto found = counts->find(static_cast<std::uint16_t>(key));
  return found == counts->end() ? 0 : found->second;
}

std::uint64_t& sparse(Devices& devices, PortIndex port, unsigned key) {
  auto& counts = devices.ports[port].counts;
  if (!counts) counts = std::make_unique<SparseCounts>();
  return (*counts)[static_cast<std::uint16_t>(key)];
}

unsigned key_of(Counter counter) {
  return static_cast<unsigned>(counter);
}

unsigned offset_key(Counter counter, Register which) {
  return key_of(counter) + (which == Register::Narrow ? 0x1000 : 0x2000);
}

}  // namespace

std::optional<Counter> find_counter(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  for (const Name& row : kNames) {
    if (name == row.text && row.elements == 1) return row.counter;
  }
  for (const Name& row : kNames) {
    if (row.elements == 1 || !name.starts_with(row.text)) continue;
    std::string_view index = name.substr(row.text.size());
    if (index.starts_with('[') && index.ends_with(']')) index = index.substr(1, index.size() - 2);
    const auto number = base::parse_number(index);
    if (number && *number < row.elements) {
      return element(row.counter, static_cast<unsigned>(*number));
    }
  }
  return std::nullopt;
}

std::string_view name_of(Counter counter) {
  const auto row = std::find_if(kNames.begin(), kNames.end(), [&](const Name& candidate) {
    return key_of(counter) - key_of(candidate.counter) < candidate.elements;
  });
  return row == kNames.end() ? std::string_view{} : row->text;
}

void count(Devices& devices, std::uint32_t port, Counter counter, std::uint64_t amount) {
  if (const auto member = dense(counter)) {
    std::uint64_t& value = devices.traffic[port].*member;
    value = sum(value, amount);
  } else {
    std::uint64_t& value = sparse(devices, port, key_of(counter));
    value = sum(value, amount);
  }
}

std::uint64_t count_of(const Devices& devices, std::uint32_t port, Counter counter) {
  if (const auto member = dense(counter)) return devices.traffic[port].*member;
  const Traffic& traffic = devices.traffic[port];
  if (counter == Counter::PortUnicastXmitPkts) {
    return traffic.xmit_packets - sparse(devices, port, key_of(Counter::PortMulticastXmitPkts));
  }
  if (counter == Counter::PortUnicastRcvPkts) {
    return traffic.rcv_packets - sparse(devices, port, key_of(Counter::PortMulticastRcvPkts));
  }
  return sparse(devices, port, key_of(counter));
}

std::uint64_t shown_in(const Devices& devices, std::uint32_t port, Counter counter, Register which,
                       unsigned bits) {
  const std::uint64_t value =
      count_of(devices, port, counter) - sparse(devices, port, offset_key(counter, which));
  return bits >= 64 ? value : std::min(value, (std::uint64_t{1} << bits) - 1);
}

void write_into(Devices& devices, std::uint32_t port, Counter counter, Register which,
                std::uint64_t value) {
  const std::uint64_t offset = count_of(devices, port, counter) - value;
  const unsigned key = offset_key(counter, which);
  if (offset != sparse(std::as_const(devices), port, key)) sparse(devices, port, key) = offset;
}

}  // namespace heddle::sim
