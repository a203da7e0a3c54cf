// SPDX-License-Identifier: BSD-3-Clause
// Alias GUIDs: the further GUIDs by which a port may be addressed, in its GUID table (GUIDInfo, IBA
// vol. 1, 14.2.5.5), and what clients ask to change in it (GUIDInfoRecord, 15.2.5.18) until the
// device has taken it.
//
// Entry n of a port's table is number n % 8 of block n / 8. Entry 0 is the port's own GUID and not
// kept here.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/touched.hpp"
#include "mad/datagram.hpp"
#include "mad/guid_info.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

// What is refused with ERR_NO_RESOURCES: more aliases than this in all; of one port there are no
// more than its GUIDCap, 255 at most.
inline constexpr std::size_t kMaxAliasGuids = std::size_t{1} << 18;
// Changes that wait for their device; beyond, requests are answered BUSY.
inline constexpr std::size_t kMaxAliasChanges = 256;

// Which port has which aliases. They stay with a port that has left.
//
// It is kept in parts, and what share() gives out shares them until one is written to: a change
// costs a part or two, however many aliases there are.
class AliasGuids {
 public:
  AliasGuids() = default;
  AliasGuids(AliasGuids&&) noexcept = default;
  AliasGuids& operator=(AliasGuids&&) noexcept = default;
  ~AliasGuids() = default;

  // As it is now, for any thread. O(kParts).
  std::shared_ptr<const AliasGuids> share();

  // 0 where there is none.
  mad::Guid at(mad::Guid port, std::size_t entry) const;
  // Of whom it is; 0 when of nobody.
  mad::Guid owner(mad::Guid alias) const;
  // Eight entries of a port; entry 0 of block 0 is its own GUID.
  mad::GUIDInfo block(mad::Guid port, std::uint8_t number) const;
  // Takes the alias from whoever has it. 0 empties the entry.
  void set(mad::Guid port, std::size_t entry, mad::Guid alias);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // The entries of a port, of which the last is an alias; null when it has none.
  using Entries = std::vector<mad::Guid>;
  const Entries* find(mad::Guid port) const;
  // Of all ports, in order.
  std::vector<std::pair<mad::Guid, const Entries*>> all() const;

  // An entry of a port.
  struct Seat {
    mad::Guid port{};
    std::size_t entry = 0;
  };
  // Which entries changed, for those who remember them.
  base::Touched<Seat>& touched() { return touched_; }

 private:
  static constexpr std::size_t kParts = 512;
  template <class Value>
  struct Parts {
    using Part = std::unordered_map<mad::Guid, Value>;
    const Value* find(mad::Guid guid) const;
    // To write to, which nobody else sees.
    Part& own(mad::Guid guid);
    std::array<std::shared_ptr<Part>, kParts> part;
    std::bitset<kParts> shared;
  };
  AliasGuids(const AliasGuids&) = default;
  void clear(Seat seat);

  Parts<Entries> by_port_;
  Parts<Seat> owners_;
  std::size_t size_ = 0;
  base::Touched<Seat> touched_;
};

// A block as a device is to hold it.
struct AliasWrite {
  std::uint64_t ticket{};
  mad::Guid port{};
  std::uint8_t block{};
  mad::GUIDInfo guids;
};

// What became of it: what the device holds now, or why that is not known.
struct AliasOutcome {
  std::uint64_t ticket{};
  std::optional<mad::GUIDInfo> held;
  bool refused = false;  // by the device; else it kept silent
};

// Requests whose answer waits for the device.
class AliasChanges {
 public:
  struct Change {
    AliasWrite write;
    std::uint8_t entries{};  // bit n: entry n of the block was asked for
    std::uint8_t denied{};   // and of these, those that stay as they are; they are told as 0
    mad::TransactionId transaction;
    mad::Datagram request;
  };

  bool full() const { return by_ticket_.size() >= kMaxAliasChanges; }
  // A change of this block that is under way; null when there is none.
  const Change* find(mad::Guid port, std::uint8_t block) const;
  // Whether one of them gives out this GUID.
  bool promises(mad::Guid alias) const;
  void add(Change change);
  // What is to be written, since the last call.
  std::vector<AliasWrite> take_writes() { return std::exchange(unwritten_, {}); }
  std::optional<Change> finish(std::uint64_t ticket);

 private:
  std::map<std::uint64_t, Change> by_ticket_;
  std::vector<AliasWrite> unwritten_;
  std::uint64_t last_ticket_ = 0;
};

// A GUID for an entry, of the kind that the local administrator gives out: the same for the same
// entry and attempt, another for any other.
mad::Guid make_alias(mad::Guid port, std::size_t entry, unsigned attempt);

}  // namespace heddle::sa
