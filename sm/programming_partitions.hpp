// SPDX-License-Identifier: BSD-3-Clause
// P_KeyTables: read where unknown, planned by partitions/tables.hpp, and written where they differ.
// End ports get the keys they belong to; the switch ports that face them, where the operator wants
// packets checked, the same ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitions/memberships.hpp"
#include "partitions/tables.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class PartitionProgramming {
 public:
  // Queues what there is to read and write; the phase is over when the transactions are idle.
  // Tables that a port evidently kept since the last sweep are read again only `if others` may have
  // written.
  void begin(Context& context, const partitions::Memberships& memberships,
             partitions::Enforcement enforcement, bool others);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;

  // When the phase is over: raises the enforcement bits of the ports whose tables stand.
  void set_enforcement(fabric::Intent& intent) const;
  // The tables as they stand, by PortIndex, as far as they are known whole.
  std::vector<std::vector<mad::PKeyTable>> tables() const;

 private:
  // One port's table, while a sweep works on it.
  struct Work {
    partitions::HeldTable held;
    partitions::TablePlan plan;
    std::span<const mad::PKey> wanted;
    std::uint16_t unread = 0;
    bool enforces = false;  // a switch's port
    bool inbound = false, outbound = false;
    bool failed = false;
  };
  using Key = std::pair<mad::Guid, mad::PortNumber>;  // node and port
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      // Multiplied, so that GUIDs that follow each other do not meet with port numbers added.
      return static_cast<std::size_t>(key.first.value * 0x9E37'79B9'7F4A'7C15u + key.second.value);
    }
  };
  static Key key_of(const Context& context, fabric::PortIndex port);
  void take_over(const Context& context, fabric::PortIndex port, bool others);
  void begin_endport(Context& context, fabric::PortIndex port, bool others);
  void begin_switch_port(Context& context, fabric::PortIndex port, bool others);
  void read(Context& context, fabric::PortIndex port);
  void write(Context& context, fabric::PortIndex port);
  void submit(Context& context, fabric::PortIndex port, mad::Method method, std::uint16_t block);
  void fail(Context& context, const Answer& answer);

  partitions::Enforcement enforcement_ = partitions::Enforcement::Off;
  std::vector<Work> work_;  // by PortIndex; capacity 0 where nothing is wanted
  // Of the last sweep.
  std::unordered_map<Key, std::vector<std::optional<mad::PKeyTable>>, KeyHash> known_;
  std::vector<Key> keys_;  // by PortIndex, of work_
};

}  // namespace heddle::sm
