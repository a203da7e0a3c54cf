// SPDX-License-Identifier: BSD-3-Clause
#include "transport/umad_agents.hpp"

#include <cerrno>
#include <initializer_list>
#include <system_error>

#include <fmt/format.h>
#include <infiniband/umad.h>

#include "mad/types.hpp"

namespace heddle::transport {
namespace {

using mad::ManagementClass;
using mad::Method;

// OUI of the OpenFabrics tools, whose ping classes are registered as a guard.
constexpr std::uint32_t kOpenFabricsOui = 0x001405;

struct Wanted {
  std::uint8_t management_class{};
  std::uint8_t version{};
  bool server = false;  // receives what others ask; else only the answers to what it asked
  std::uint8_t rmpp_version = 0;
  std::uint32_t oui = 0;
};

constexpr std::uint8_t number(ManagementClass management_class) {
  return static_cast<std::uint8_t>(management_class);
}

constexpr Wanted kNeeded[] = {
    {number(ManagementClass::SubnDirectedRoute), 1, true},
    {number(ManagementClass::SubnLidRouted), 1, true},
    {number(ManagementClass::SubnAdm), 2, true, 1},
    {number(ManagementClass::Perf), 1, false},
};

// Without these a part of the work is not done, and the rest goes on.
constexpr Wanted kUseful[] = {
    {number(ManagementClass::CongestionControl), 2, false},
};

// Classes we neither ask nor answer: ibping, ibsysstat. The kernel never hands
// these to a client that did not ask. A preloaded simulator library does, and it crashes the
// process when such a MAD arrives and nobody has registered its class.
constexpr Wanted kGuards[] = {
    {0x32, 1, false, 0, kOpenFabricsOui},
    {0x33, 1, false, 0, kOpenFabricsOui},
};

// Bit n of the pair stands for method n; responses cannot be asked for, they follow the request.
void listen_to(umad_reg_attr& attributes, std::initializer_list<Method> methods) {
  for (const Method method : methods) {
    const auto bit = static_cast<unsigned>(method);
    attributes.method_mask[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

// 0 or the errno of the kernel's refusal.
int try_register(int handle, const Wanted& wanted, std::uint8_t rmpp_version, std::uint32_t& id) {
  umad_reg_attr attributes{};
  attributes.mgmt_class = wanted.management_class;
  attributes.mgmt_class_version = wanted.version;
  attributes.rmpp_version = rmpp_version;
  attributes.oui = wanted.oui;
  if (wanted.server && wanted.management_class == number(ManagementClass::SubnAdm)) {
    listen_to(attributes, {Method::Get, Method::Set, Method::GetTable, Method::GetTraceTable,
                           Method::GetMulti, Method::Delete});
  } else if (wanted.server) {
    listen_to(attributes, {Method::Get, Method::Set, Method::Trap, Method::TrapRepress});
  }
  return umad_register2(handle, &attributes, &id);
}

std::string refusal(const Wanted& wanted, const PortId& port, int reason) {
  // The kernel says EINVAL when another agent already receives one of the methods.
  const bool taken = wanted.server && (reason == EINVAL || reason == EBUSY);
  if (taken) {
    return fmt::format(
        "another subnet manager (opensm, for example) runs on {}: stop it, or choose another port "
        "with --port",
        to_string(port));
  }
  return fmt::format("the kernel refuses MAD class {:#04x} on {}: {}", wanted.management_class,
                     to_string(port), std::generic_category().message(reason));
}

}  // namespace

base::Result<UmadAgents> UmadAgents::register_all(int handle, const PortId& port) {
  UmadAgents agents;
  for (const Wanted& wanted : kNeeded) {
    std::uint32_t id = 0;
    std::uint8_t rmpp_version = wanted.rmpp_version;
    int reason = try_register(handle, wanted, rmpp_version, id);
    if (reason != 0 && rmpp_version != 0) {
      rmpp_version = 0;
      reason = try_register(handle, wanted, rmpp_version, id);
    }
    if (reason != 0) return base::error(refusal(wanted, port, reason));
    agents.by_class_[wanted.management_class] = {static_cast<int>(id), rmpp_version != 0};
  }
  for (const Wanted& useful : kUseful) {
    std::uint32_t id = 0;
    if (try_register(handle, useful, 0, id) != 0) continue;
    agents.by_class_[useful.management_class] = {static_cast<int>(id), false};
  }
  for (const Wanted& guard : kGuards) {
    std::uint32_t id = 0;  // a refusal costs nothing but the guard
    try_register(handle, guard, 0, id);
  }
  return agents;
}

std::optional<int> UmadAgents::find(std::uint8_t management_class) const {
  const Agent& agent = by_class_[management_class];
  if (agent.id < 0) return std::nullopt;
  return agent.id;
}

bool UmadAgents::segments(std::uint8_t management_class) const {
  return by_class_[management_class].rmpp;
}

}  // namespace heddle::transport
