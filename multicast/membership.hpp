// SPDX-License-Identifier: BSD-3-Clause
// Who takes part in a multicast group, and what became of it (IBA vol. 1, 15.2.5.17).
#pragma once

#include <cstdint>
#include <vector>

#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

// The bits of MCMemberRecord.JoinState.
inline constexpr std::uint8_t kFullMember = 1;
inline constexpr std::uint8_t kNonMember = 2;
inline constexpr std::uint8_t kSendOnlyNonMember = 4;
inline constexpr std::uint8_t kSendOnlyFullMember = 8;
// As long as somebody holds one of these, the group lives.
inline constexpr std::uint8_t kKeepsAlive = kFullMember | kSendOnlyFullMember;
inline constexpr std::uint8_t kReceives = kFullMember | kNonMember;

// What a port is to a multicast LID; the greater includes the lesser.
enum class Role : std::uint8_t { None, Sender, Receiver };

struct Member {
  mad::Gid port_gid{};        // as it joined
  mad::Guid port{};           // the port's own GUID; another than in port_gid for an alias
  std::uint8_t join_state{};  // never 0
  bool proxy_join{};
  mad::Guid joined_by{};  // the port that asked first; another than `port` for a proxy join
  friend bool operator==(const Member&, const Member&) = default;
};

// A group came (trap 66) or went (trap 67).
struct GroupEvent {
  enum class Kind : std::uint8_t { Created, Deleted };
  Kind kind{};
  mad::Gid mgid{};
  mad::Lid mlid{};
  mad::PKey p_key{};
  friend bool operator==(const GroupEvent&, const GroupEvent&) = default;
};

// The port's role at the LID is now this one. Several groups on one LID count together.
struct RoleChange {
  mad::Lid mlid{};
  mad::Guid port{};
  Role role{};
  friend bool operator==(const RoleChange&, const RoleChange&) = default;
};

// In the order in which it happened.
struct Changes {
  std::vector<GroupEvent> groups;
  std::vector<RoleChange> roles;
  bool empty() const { return groups.empty() && roles.empty(); }
};

}  // namespace heddle::multicast
