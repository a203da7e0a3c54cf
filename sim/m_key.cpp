// SPDX-License-Identifier: BSD-3-Clause
#include "sim/m_key.hpp"

#include <chrono>

#include "sim/notices.hpp"

namespace heddle::sim {
namespace {

// Protect bits 0 and 1 leave reading free, 2 and 3 do not; writing always needs the key.
constexpr std::uint8_t kReadingIsFreeBelow = 2;

void let_lease_expire(PortRegisters& registers, base::Instant now) {
  if (now < registers.lease_expires) return;
  registers.info.m_key_protect_bits = 0;
  registers.lease_expires = base::kNever;
}

void note_violation(PortRegisters& registers, base::Instant now) {
  mad::PortInfo& info = registers.info;
  if (info.m_key_violations != 0xFFFF) ++info.m_key_violations;
  if (info.m_key_lease_period != 0 && registers.lease_expires == base::kNever) {
    registers.lease_expires = now + std::chrono::seconds(info.m_key_lease_period);
  }
}

}  // namespace

bool m_key_admits(const AgentContext& context, const mad::Smp& smp) {
  PortRegisters& registers = context.devices.ports[context.devices.management_port(context.port)];
  let_lease_expire(registers, context.now);
  const mad::PortInfo& info = registers.info;
  if (info.m_key == mad::MKey{}) return true;
  if (smp.m_key == info.m_key) {
    registers.lease_expires = base::kNever;
    return true;
  }
  if (smp.method == mad::Method::Get && info.m_key_protect_bits < kReadingIsFreeBelow) return true;
  note_violation(registers, context.now);
  raise_bad_m_key(context.devices, context.port, smp);
  return false;
}

mad::MKey visible_m_key(const AgentContext& context, const mad::Smp& smp) {
  const mad::PortInfo& info =
      context.devices.ports[context.devices.management_port(context.port)].info;
  const bool stranger = smp.m_key != info.m_key && smp.method == mad::Method::Get;
  return stranger && info.m_key_protect_bits != 0 ? mad::MKey{} : info.m_key;
}

}  // namespace heddle::sim
