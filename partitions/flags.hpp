// SPDX-License-Identifier: BSD-3-Clause
// The flags of a definition's head and of its mgid lines, in the language of partitions.conf.
#pragma once

#include <cstdint>
#include <optional>

#include "partitions/diagnostics.hpp"
#include "partitions/language.hpp"
#include "partitions/policy.hpp"
#include "partitions/words.hpp"

namespace heddle::partitions {

// What groups are made from; a definition's mgid lines start with those of its head.
struct GroupFlags {
  mad::Mtu mtu = mad::Mtu::Bytes2048;
  std::uint8_t rate = 3;
  mad::ServiceLevel sl{};
  bool sl_given = false;
  std::uint16_t scopes{};  // bit n: scope n was named
  std::uint32_t q_key{};
  std::uint8_t t_class{};
  std::uint32_t flow_label{};
};

// What else a head says.
struct HeadFlags {
  GroupFlags group;
  bool ipoib = false;
  bool index0 = false;
  Membership membership = Membership::Limited;  // defmember
};

// False when the name is none of these. A value that cannot be is left out, with a warning.
bool apply_group_flag(const Setting& flag, GroupFlags& flags, Diagnostics& diagnostics);

// Anything that is no flag is left out, with a warning.
void apply_head_flag(const Setting& flag, const LanguageOptions& options, HeadFlags& flags,
                     Diagnostics& diagnostics);
void apply_mgid_flag(const Setting& flag, GroupFlags& flags, Diagnostics& diagnostics);

// Full where both keys are not allowed, with a warning; nothing for a word that is no membership.
std::optional<Membership> membership_of(const Word& word, const LanguageOptions& options,
                                        Diagnostics& diagnostics);

}  // namespace heddle::partitions
