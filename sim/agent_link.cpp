// SPDX-License-Identifier: BSD-3-Clause
// What PortInfo does not say of a link: the vendor's speed, and error correction.
#include "mad/mlnx_extended_port_info.hpp"
#include "mad/port_info_extended.hpp"
#include "sim/agent.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

// The second number of the same vendor; diagnostics insist on the attribute with either.
constexpr std::uint32_t kOtherVendorId = 0x000248;

// The vendor's devices, and all that were planned with its speed.
bool knows_vendor_speed(const AgentContext& context, PortIndex port) {
  const std::uint32_t vendor = context.devices.nodes[context.node()].info.vendor_id;
  const bool is_vendors = vendor == mad::kMellanoxVendorId || vendor == kOtherVendorId;
  const CableIndex cable = context.devices.lines[port].cable;
  return is_vendors || (cable != kNone && context.devices.plan.cables[cable].speed == Speed::FDR10);
}

std::uint16_t fec_mode(const mad::PortInfo& info) {
  if (info.port_physical_state != mad::PortPhysicalState::LinkUp) return mad::kNoFEC;
  return runs_rs_fec(info) ? mad::kRSFEC : mad::kNoFEC;
}

}  // namespace

mad::Status on_mlnx_extended_port_info(const AgentContext& context, mad::Smp& smp) {
  const PortIndex port = port_meant(context, smp.attribute_modifier);
  if (port == kNone) return mad::kStatusBadField;
  if (!knows_vendor_speed(context, port)) return mad::kStatusBadMethodAttribute;
  mad::MlnxExtendedPortInfo& registers = context.devices.ports[port].vendor;
  if (smp.method == mad::Method::Set) {
    const auto wanted = mad::decode<mad::MlnxExtendedPortInfo>(smp.data);
    if ((wanted.link_speed_enabled & ~registers.link_speed_supported) != 0) {
      return mad::kStatusBadField;
    }
    // Takes effect when the link trains, as in PortInfo.
    if ((wanted.state_change_enable & mad::kFdr10) != 0) {
      registers.link_speed_enabled = wanted.link_speed_enabled;
    }
  }
  mad::encode(registers, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_port_info_extended(const AgentContext& context, mad::Smp& smp) {
  if (smp.method == mad::Method::Set) return mad::kStatusBadMethodAttribute;
  constexpr std::uint32_t kPortBits = 0xFF;
  const PortIndex port = port_meant(context, smp.attribute_modifier & kPortBits);
  if (port == kNone) return mad::kStatusBadField;
  constexpr std::uint16_t kRSFECBit = 1u << 1;
  mad::PortInfoExtended info;
  info.capability_mask = mad::kIsFECModeSupported;
  info.fec_mode_active = fec_mode(context.devices.ports[port].info);
  info.hdr_fec_mode_supported = info.hdr_fec_mode_enabled = kRSFECBit;
  mad::encode(info, std::span(smp.data));
  return mad::kStatusOk;
}

}  // namespace heddle::sim
