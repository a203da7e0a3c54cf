// SPDX-License-Identifier: BSD-3-Clause
// What a subnet manager remembers, one fact at a time: the same on disk, in a snapshot and on the
// way to a standby. Only those who remember know what the words mean (sa/registrations_text.hpp,
// sm/memory.hpp); whoever keeps records, or carries them, does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::base {

struct Record {
  std::string name;                  // words, the first of which says what it is
  std::optional<std::string> value;  // printable, without line breaks; nothing: it is forgotten
  // Seconds since it was said, where that is known: leases count from then.
  std::uint64_t age = 0;
  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace heddle::base
