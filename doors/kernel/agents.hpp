// SPDX-License-Identifier: BSD-3-Clause
// Who gets which MAD of a port: the agents that programs have registered, by the rules of Linux'
// ib_mad. Answers go by the high half of the transaction id, requests by class, version, OUI and
// method; one method of one class has at most one taker.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <system_error>
#include <tuple>

#include "doors/kernel/mad_view.hpp"
#include "doors/kernel/user_mad.hpp"

namespace heddle::doors::kernel {

using AgentId = std::uint32_t;  // the high half of its transaction ids; never 0
inline constexpr AgentId kMaxAgentId = 0xff'ffff;

class AgentOwner;

struct Agent {
  AgentId id = 0;
  std::uint32_t slot = 0;  // what its owner calls it
  std::uint32_t qpn = 0;
  bool kernel_rmpp = false;  // segments and reassembles for it
  bool user_rmpp = false;    // it gets the segments as they come
  AgentOwner* owner = nullptr;
};

// Shared by all ports of a host: the kernel counts its agents across devices.
class AgentIds {
 public:
  AgentId next() {
    last_ = last_ == kMaxAgentId ? 1 : last_ + 1;
    return last_;
  }

 private:
  AgentId last_ = 0;
};

class AgentTable {
 public:
  explicit AgentTable(AgentIds& ids) : ids_(ids) {}

  struct Added {
    std::errc error{};  // invalid_argument, also for a method that is taken
    AgentId id = 0;
  };
  Added add(const Registration& wanted, AgentOwner& owner, std::uint32_t slot);
  void remove(AgentId id);

  const Agent* find(AgentId id) const;
  // Null when nobody asked for such requests. `mad` is a whole MAD.
  const Agent* taker_of(const MadView& view, std::span<const std::byte> mad) const;

 private:
  // Class, version, OUI (0 for classes without one).
  using Service = std::tuple<std::uint8_t, std::uint8_t, std::uint32_t>;
  using Takers = std::array<AgentId, 128>;  // by method; 0: nobody

  AgentIds& ids_;
  std::map<AgentId, Agent> agents_;
  std::map<Service, Takers> services_;
};

}  // namespace heddle::doors::kernel
