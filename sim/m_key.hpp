// SPDX-License-Identifier: BSD-3-Clause
// The management key of a port (IBA vol. 1, 14.2.4): who may read and who may write.
#pragma once

#include "sim/agent.hpp"

namespace heddle::sim {

// False: the SMP is to be dropped without an answer; it was counted in M_KeyViolations and the
// lease began to run.
bool m_key_admits(const AgentContext& context, const mad::Smp& smp);

// What Get(PortInfo) shows of the M_Key: nothing to a stranger once the protect bits are set.
mad::MKey visible_m_key(const AgentContext& context, const mad::Smp& smp);

}  // namespace heddle::sim
