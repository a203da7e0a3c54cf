// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/agents.hpp"

#include <algorithm>

namespace heddle::doors::kernel {
namespace {

constexpr std::uint8_t kVersionsEnd = 0x83;  // class versions the kernel has tables for
constexpr std::uint8_t kClassesEnd = 0x50;   // above, there is only the directed-route class
constexpr std::uint32_t kLastOui = 0xff'ffff;

bool has(const MethodMask& methods, std::size_t method) {
  return (methods[method / 64] >> (method % 64) & 1) != 0;
}

// For a registration with a class; the method conflict is not part of it.
bool is_sound(const Registration& wanted) {
  const std::uint8_t management_class = wanted.management_class;
  if (wanted.class_version >= kVersionsEnd) return false;
  if (management_class >= kClassesEnd && management_class != 0x81) return false;
  if (has_oui(management_class) && wanted.oui == 0) return false;
  if (wanted.rmpp_version != 0 && !may_rmpp(management_class)) return false;
  return is_subnet_class(management_class) == (wanted.qpn == 0);
}

}  // namespace

AgentTable::Added AgentTable::add(const Registration& wanted, AgentOwner& owner,
                                  std::uint32_t slot) {
  const Added refused{std::errc::invalid_argument, 0};
  const bool user_rmpp = (wanted.flags & kUserRmpp) != 0;
  if (wanted.qpn > 1 || (wanted.flags & ~kUserRmpp) != 0 || wanted.oui > kLastOui) return refused;
  if (wanted.rmpp_version > mad::kRmppVersion) return refused;
  const bool only_sends = wanted.management_class == 0;
  if (only_sends ? user_rmpp : !is_sound(wanted)) return refused;

  const Service service{wanted.management_class, wanted.class_version,
                        has_oui(wanted.management_class) ? wanted.oui : 0};
  if (!only_sends) {
    const auto known = services_.find(service);
    for (std::size_t method = 0; known != services_.end() && method < 128; ++method) {
      if (has(wanted.methods, method) && known->second[method] != 0) return refused;
    }
  }
  AgentId id = ids_.next();
  while (agents_.contains(id)) id = ids_.next();
  const bool rmpp = wanted.rmpp_version != 0;
  agents_[id] = {id, slot, wanted.qpn, rmpp && !user_rmpp, user_rmpp, &owner};
  if (!only_sends && wanted.methods != MethodMask{}) {
    Takers& takers = services_[service];
    for (std::size_t method = 0; method < takers.size(); ++method) {
      if (has(wanted.methods, method)) takers[method] = id;
    }
  }
  return {std::errc{}, id};
}

void AgentTable::remove(AgentId id) {
  agents_.erase(id);
  for (auto service = services_.begin(); service != services_.end();) {
    Takers& takers = service->second;
    std::replace(takers.begin(), takers.end(), id, AgentId{0});
    const bool empty = std::all_of(takers.begin(), takers.end(), [](AgentId t) { return t == 0; });
    service = empty ? services_.erase(service) : std::next(service);
  }
}

const Agent* AgentTable::find(AgentId id) const {
  const auto found = agents_.find(id);
  return found == agents_.end() ? nullptr : &found->second;
}

const Agent* AgentTable::taker_of(const MadView& view, std::span<const std::byte> mad) const {
  const std::uint32_t oui = has_oui(view.management_class) ? oui_of(mad) : 0;
  const auto service = services_.find({view.management_class, view.class_version, oui});
  if (service == services_.end()) return nullptr;
  return find(service->second[view.method & ~mad::kResponseBit]);
}

}  // namespace heddle::doors::kernel
