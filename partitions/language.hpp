// SPDX-License-Identifier: BSD-3-Clause
// The language of OpenSM's partitions.conf (docs/partitions.md). A file is understood as a whole or
// not at all: nothing of a broken one is used, so a slip of the pen cannot open the fabric.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "partitions/policy.hpp"

namespace heddle::partitions {

inline constexpr std::size_t kMaxFileBytes = 64u << 20;
inline constexpr std::size_t kMaxPartitions = 0x7fff;  // all that 15 bits can name
inline constexpr std::size_t kMaxRules = 4u << 20;     // members of all partitions together
inline constexpr std::size_t kMaxGroups = 64u << 10;
inline constexpr std::size_t kMaxWarnings = 100;  // then one that counts the rest

struct LanguageOptions {
  bool allow_both_pkeys = false;  // `both` gives two keys; else it means full, with a warning
  bool qos = false;               // without it `sl=` has no effect, as in OpenSM; with a warning
};

struct Parsed {
  Policy policy;
  std::vector<std::string> warnings;  // "FILE:LINE:COLUMN: sentence"; what was understood anyway
};

// file_name is only for messages. Lines and columns count from 1, columns in bytes. An error says
// what was found, what could stand there and, where a word is nearly right, which was meant.
base::Result<Parsed> parse(std::string_view text, std::string_view file_name,
                           const LanguageOptions& options = {});

// A file that means the same policy, if it is read with allow_both_pkeys and with qos.
std::string to_text(const Policy& policy);

}  // namespace heddle::partitions
