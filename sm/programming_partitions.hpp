// SPDX-License-Identifier: BSD-3-Clause
// P_KeyTables: read where unknown, planned by partitions/tables.hpp, and written where they differ.
// End ports get the keys they belong to; the switch ports that face them, where the operator wants
// packets checked, the same ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitions/memberships.hpp"
#include "partitions/tables.hpp"
#include "sa/p_key_tables.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class PartitionProgramming {
 public:
  // Queues what there is to read and write; the phase is over when the transactions are idle.
  // Tables that a port evidently kept since the last sweep are read again only `if others` may have
  // written.
  void begin(Context& context, std::shared_ptr<const partitions::Memberships> memberships,
             partitions::Enforcement enforcement, bool others);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;

  // When the phase is over: raises the enforcement bits of the ports whose tables stand.
  void set_enforcement(fabric::Intent& intent) const;
  // The tables as they stand, as far as they are known from their first block on; the same object
  // as long as nothing of them changes.
  std::shared_ptr<const sa::PKeyTables> tables();

 private:
  // What a switch does not check that it should, at some port, and at how many.
  struct Gap {
    partitions::EnforcementGap what{};
    std::uint64_t ports = 0;
    fabric::PortIndex at = fabric::kNoPort;  // one of them, at that time
  };
  // One port's table, while a sweep works on it.
  struct Work {
    partitions::HeldTable held;
    partitions::TablePlan plan;
    std::span<const mad::PKey> wanted;
    std::uint16_t unread = 0;
    bool enforces = false;  // a switch's port
    bool inbound = false, outbound = false;
    bool failed = false;
    bool stands = false;  // as it was planned for the same keys in an earlier sweep
    bool whole = false;   // all its blocks are known
    partitions::EnforcementGap gap{};
  };
  using Key = std::pair<mad::Guid, mad::PortNumber>;  // node and port
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      // Multiplied, so that GUIDs that follow each other do not meet with port numbers added.
      return static_cast<std::size_t>(key.first.value * 0x9E37'79B9'7F4A'7C15u + key.second.value);
    }
  };
  // What the last sweep left, of other ports or of the same in another order.
  class Former {
   public:
    Former(std::vector<Key> keys, std::vector<Work> work)
        : keys_(std::move(keys)), work_(std::move(work)) {}
    // Nothing of a port that is new. To be asked in about the order that they had.
    Work take(const Key& key);

   private:
    std::size_t position_of(const Key& key);
    std::vector<Key> keys_;
    std::vector<Work> work_;
    std::size_t next_ = 0;
    std::unordered_map<Key, std::size_t, KeyHash> positions_;  // made when it is needed
  };
  Work& work_of(fabric::PortIndex port) { return work_[slot_[port.value]]; }
  const Work& work_of(fabric::PortIndex port) const { return work_[slot_[port.value]]; }
  // The port of a switch that checks what an end port sends and gets; kNoPort if none does.
  fabric::PortIndex facing_port(const fabric::Topology& topology, fabric::PortIndex endport) const;
  // Gives each port that is to have a table its place. What is known of it goes there with it.
  void line_up(const fabric::Topology& topology);
  void renew(const Context& context, fabric::PortIndex port, std::uint16_t capacity,
             std::span<const mad::PKey> wanted, bool enforces);
  void begin_endport(Context& context, fabric::PortIndex port, std::span<const mad::PKey> wanted);
  void begin_switch_port(Context& context, fabric::PortIndex port,
                         std::span<const mad::PKey> wanted);
  void forget(fabric::PortIndex port);
  // What was told of the tables is no more.
  std::vector<std::optional<mad::PKeyTable>>& blocks_to_change(Work& work);
  void read(Context& context, fabric::PortIndex port);
  void write(Context& context, fabric::PortIndex port);
  void submit(Context& context, fabric::PortIndex port, mad::Method method, std::uint16_t block);
  void fail(Context& context, const Answer& answer);
  void tell_gaps(Context& context);
  bool has_only_default(const Context& context) const;

  partitions::Enforcement enforcement_ = partitions::Enforcement::Off;
  std::shared_ptr<const partitions::Memberships> memberships_;  // Work::wanted points into them
  std::vector<Work> work_;           // of the ports that are to have a table
  std::vector<Key> keys_;            // of work_
  std::vector<std::uint32_t> slot_;  // by PortIndex: its place in work_, or kNone
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  std::map<mad::Guid, Gap> gaps_;                 // that were told
  std::shared_ptr<const sa::PKeyTables> tables_;  // null: to be put together anew
};

}  // namespace heddle::sm
