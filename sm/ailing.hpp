// SPDX-License-Identifier: BSD-3-Clause
// Devices that are there and leave something of a sweep undone: a request was not answered, or a
// switch did not take its table. They are looked at again, and nobody else is; the longer they go
// on like that, the less often.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"
#include "sm/transactions.hpp"

namespace heddle::sm {

class Ailing {
 public:
  // What a node left undone in one sweep.
  struct Failure {
    DeviceId device{};              // one of its own that did
    std::set<std::uint8_t> unread;  // its ports that were asked for their PortInfo in vain
    bool switch_unread = false;     // the same, of SwitchInfo
    bool undone = false;            // after the discovery: there is something to write yet
    bool refuses_table = false;
  };
  // The sweep that is over.
  struct Sweep {
    base::Instant began{};
    base::Duration interval{};                     // of looks
    const std::set<mad::Guid>* visited = nullptr;  // those it asked; null: all
    bool wrote = true;                             // else it ended with its discovery
  };

  void begin_sweep() { failed_.clear(); }
  Failure& note(mad::Guid node) { return failed_[node]; }
  const std::map<mad::Guid, Failure>& failed() const { return failed_; }

  // By what failed in this sweep; who is well again is forgotten.
  void conclude(const Sweep& sweep);
  void forget(mad::Guid node) { known_.erase(node); }
  bool is_known(mad::Guid node) const { return known_.count(node) != 0; }
  bool empty() const { return known_.empty(); }
  // Sweeps in a row in which the node did not tell of itself or a port.
  std::uint32_t unread(mad::Guid node) const;
  std::map<mad::Guid, std::uint32_t> all_unread() const;

  struct Due {
    mad::Guid node{};
    bool undone = false;
    bool refuses_table = false;
  };
  std::vector<Due> due(base::Instant now) const;
  // When the first of them is; kNever without any.
  base::Instant next_due() const;

 private:
  struct State {
    std::uint32_t failures = 0;  // sweeps in a row
    std::uint32_t unread = 0;
    base::Instant due{};
    bool undone = false;
    bool refuses_table = false;
  };
  std::map<mad::Guid, Failure> failed_;
  std::map<mad::Guid, State> known_;
};

}  // namespace heddle::sm
