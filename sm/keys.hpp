// SPDX-License-Identifier: BSD-3-Clause
// Which M_Key which port has: one for all, or one for each, worked out from that one and the port's
// GUID. Whoever has the configuration, a standby or the same manager after a restart, knows them
// all (IBA vol. 1, 14.2.4). Remembered are those that were in use before, here or with another
// manager.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "mad/types.hpp"
#include "sm/lid_assignment.hpp"
#include "sm/options.hpp"

namespace heddle::sm {

// The first 64 bits of HMAC-SHA-256 of the GUID, keyed by the M_Key; never 0. Who learns one port's
// key learns nothing of the others'. 0 gives 0: no key.
mad::MKey derive_m_key(mad::MKey from, mad::Guid port);

// How many keys for all are remembered, the newest, and how many are tried on devices of which not
// even the GUID can be read.
inline constexpr std::size_t kMostKeys = 16;

// Keys of a run before this one.
struct RememberedKeys {
  std::vector<mad::MKey> masters;          // the newest first
  std::map<mad::Guid, mad::MKey> by_port;  // as another manager had given them
  bool empty() const { return masters.empty() && by_port.empty(); }
};

class Keys {
 public:
  // Keys in use until now are former ones from now on.
  void set(const Options& options);
  // As former ones.
  void remember(const RememberedKeys& keys);
  // What is to be remembered.
  RememberedKeys in_use() const;

  // What the port is to have.
  mad::MKey of(mad::Guid port) const;
  // What it may have, in the order to try: what it is to have first.
  std::vector<mad::MKey> candidates(mad::Guid port) const;
  // Appends what a port was given where each has a key of its own, now and formerly.
  void add_derived(mad::Guid port, std::vector<mad::MKey>& keys) const;
  // Whether add_derived has any to add.
  bool per_port() const;
  // Ports that were once there, whose keys others may have by mistake.
  void remember(const std::vector<RememberedLids>& memory);
  const std::vector<mad::Guid>& remembered() const { return remembered_; }
  // For a device whose GUID is not known yet.
  const std::vector<mad::MKey>& for_strangers() const { return strangers_; }

  // True the first time, until the port is found unlocked again.
  bool is_news_that_locked(mad::Guid port) { return locked_.insert(port).second; }
  const std::set<mad::Guid>& locked() const { return locked_; }
  // The keys of those others, of whom this is a hash, were all tried on a locked port.
  void set_tried(mad::Guid port, std::size_t others) { tried_[port] = others; }
  bool has_tried(mad::Guid port, std::size_t others) const;
  // The fabric did not stand still meanwhile: who knows who was asked.
  void doubt_tries() { tried_.clear(); }
  void unlock(mad::Guid port);

 private:
  void find_strangers();

  bool set_ = false;
  bool per_port_ = false;
  std::vector<mad::MKey> masters_{mad::MKey{}};  // the present one first
  std::vector<mad::MKey> strangers_{mad::MKey{}};
  std::set<mad::Guid> locked_;
  std::map<mad::Guid, std::size_t> tried_;
  std::map<mad::Guid, mad::MKey> foreign_;  // by port, as another manager had given them
  std::vector<mad::Guid> remembered_;
  // Keys are asked for port by port in every sweep, and each costs a hash.
  mutable std::unordered_map<mad::Guid, mad::MKey> derived_;  // from the present one
};

}  // namespace heddle::sm
