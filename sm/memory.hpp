// SPDX-License-Identifier: BSD-3-Clause
// What outlives a subnet manager, as records (base/record.hpp): who was master last, which LIDs
// ports have, and what clients have registered (sa/registrations_text.hpp).
//
//   office                  GUID LID EPOCH      of the last master's port
//   lid GUID                BASE LMC
//   m_key N                 KEY             for all ports, or of which theirs are made; 0: the last
//   key GUID                GUID KEY        of one port, as another manager had given it
//   alias, group, member, service, subscription
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/record.hpp"
#include "base/time.hpp"
#include "mad/types.hpp"
#include "sm/keys.hpp"
#include "sm/lid_assignment.hpp"

namespace heddle::sm {

// Who was master when the rest was said. Epochs grow with every master, so of two that take
// themselves for it, everybody can tell who came later.
struct Office {
  mad::Guid holder{};
  mad::Lid lid{};
  std::uint64_t epoch = 0;
  friend bool operator==(const Office&, const Office&) = default;
};

base::Record to_record(const Office& office);
base::Record to_record(const RememberedLids& lids);
std::vector<base::Record> to_records(const RememberedKeys& keys);
// What leads from the one to the other; both by GUID, ascending.
std::vector<base::Record> lid_changes(std::span<const RememberedLids> before,
                                      std::span<const RememberedLids> after);

// Records as a new machine wants them.
struct Recalled {
  std::vector<RememberedLids> lids;
  // Behind the M_Keys with the office; without one, and so without any, when nobody was master.
  std::string registrations;
};
Recalled recall(std::span<const base::Record> records);

// The M_Keys' lines come first in what Recalled::registrations says, and may be all of it.
std::string to_text(const RememberedKeys& keys);
RememberedKeys take_keys(std::string& registrations);
// Takes the office's line out of it.
std::optional<Office> take_office(std::string& registrations);

// What a standby has been told.
class Replica {
 public:
  // Nothing is taken of an epoch before the last one, nor changes of what was never told.
  void take(base::Instant now, std::uint64_t epoch, bool whole,
            std::span<const base::Record> records);
  void clear() { *this = Replica{}; }
  bool empty() const { return by_name_.empty(); }
  std::uint64_t epoch() const { return epoch_; }
  // By name, with their ages.
  std::vector<base::Record> records(base::Instant now) const;

 private:
  struct Said {
    std::string value;
    base::Instant when{};  // less its age then
  };
  std::map<std::string, Said> by_name_;
  std::uint64_t epoch_ = 0;
};

}  // namespace heddle::sm
