// SPDX-License-Identifier: BSD-3-Clause
// What a port's own software reads of it without sending anything, as a driver reads its adapter.
#include "base/check.hpp"
#include "sim/agent.hpp"
#include "sim/world.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {

std::optional<mad::SmpData> World::look(EndpointId endpoint, mad::AttributeId attribute,
                                        std::uint32_t modifier) const {
  HEDDLE_CHECK(endpoint < impl_->devices.lines.size());
  const AgentContext context{impl_->devices, endpoint, impl_->now};
  mad::Smp smp;
  smp.method = mad::Method::Get;
  smp.attribute_id = attribute;
  smp.attribute_modifier = modifier;
  mad::Status status = mad::kStatusBadMethodAttribute;
  if (attribute == mad::AttributeId::NodeInfo) status = on_node_info(context, smp);
  if (attribute == mad::AttributeId::PortInfo) status = on_port_info(context, smp);
  if (attribute == mad::AttributeId::PKeyTable) status = on_p_key_table(context, smp);
  return status == mad::kStatusOk ? std::optional(smp.data) : std::nullopt;
}

}  // namespace heddle::sim
