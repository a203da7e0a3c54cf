// SPDX-License-Identifier: BSD-3-Clause
// The rate codes of PathRecord and MCMemberRecord (IBA vol. 1, 15.2.5.16), from slow to fast, and
// which clients know them: each wider or faster kind of link brought codes of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "mad/capability.hpp"
#include "mad/link.hpp"
#include "mad/port_info.hpp"

namespace heddle::mad {

// The capability of a port whose owner knows a code.
enum class RateKnowledge : std::uint8_t { Everyone, ExtendedSpeeds, TwoLanesOrHdr, Hdr, Ndr, Xdr };

struct SARate {
  std::uint8_t code;
  std::uint16_t tenths;  // nominal, 0.1 Gb/s
  RateKnowledge knowledge;
};

inline constexpr std::array<SARate, 24> kSARates{{
    {2, 25, RateKnowledge::Everyone},
    {5, 50, RateKnowledge::Everyone},
    {3, 100, RateKnowledge::Everyone},
    {11, 140, RateKnowledge::ExtendedSpeeds},
    {6, 200, RateKnowledge::Everyone},
    {15, 250, RateKnowledge::ExtendedSpeeds},
    {19, 280, RateKnowledge::TwoLanesOrHdr},
    {4, 300, RateKnowledge::Everyone},
    {7, 400, RateKnowledge::Everyone},
    {20, 500, RateKnowledge::TwoLanesOrHdr},
    {12, 560, RateKnowledge::ExtendedSpeeds},
    {8, 600, RateKnowledge::Everyone},
    {9, 800, RateKnowledge::Everyone},
    {16, 1000, RateKnowledge::ExtendedSpeeds},
    {13, 1120, RateKnowledge::ExtendedSpeeds},
    {10, 1200, RateKnowledge::Everyone},
    {14, 1680, RateKnowledge::ExtendedSpeeds},
    {17, 2000, RateKnowledge::ExtendedSpeeds},
    {18, 3000, RateKnowledge::ExtendedSpeeds},
    {21, 4000, RateKnowledge::Hdr},
    {22, 6000, RateKnowledge::Hdr},
    {23, 8000, RateKnowledge::Ndr},
    {24, 12000, RateKnowledge::Ndr},
    {25, 16000, RateKnowledge::Xdr},
}};

// An index into the table above: ranks compare as rates do, which codes do not.
using RateRank = std::uint8_t;
inline constexpr RateRank kFastestRank = kSARates.size() - 1;

// Nothing for a code that has no rate.
constexpr std::optional<RateRank> rate_rank_of_code(std::uint8_t code) {
  for (RateRank rank = 0; rank < kSARates.size(); ++rank) {
    if (kSARates[rank].code == code) return rank;
  }
  return std::nullopt;
}

// The fastest rate that such a link carries; 12x XDR has no code of its own.
constexpr RateRank rate_rank(LinkWidth width, LinkSpeed speed) {
  constexpr std::array<std::uint16_t, 9> kLaneTenths{25, 50, 100, 100, 140, 250, 500, 1000, 2000};
  const unsigned tenths = kLaneTenths[static_cast<std::size_t>(speed)] * entry(width).lanes;
  RateRank rank = 0;
  while (rank < kFastestRank && kSARates[rank + 1u].tenths <= tenths) ++rank;
  return rank;
}

constexpr bool knows_rate(const PortInfo& client, RateRank rank) {
  const bool extended = (client.capability_mask & kIsExtendedSpeedsSupported) != 0;
  const bool has_mask2 = (client.capability_mask & kIsCapabilityMask2Supported) != 0;
  const auto has = [&](std::uint16_t bit) {
    return has_mask2 && (client.capability_mask2 & bit) != 0;
  };
  switch (kSARates[rank].knowledge) {
    case RateKnowledge::Everyone:
      return true;
    case RateKnowledge::ExtendedSpeeds:
      return extended;
    case RateKnowledge::TwoLanesOrHdr:
      return has(kIsLinkWidth2xSupported) || has(kIsLinkSpeedHDRSupported);
    case RateKnowledge::Hdr:
      return has(kIsLinkSpeedHDRSupported) || has(kIsLinkSpeedNDRSupported);
    case RateKnowledge::Ndr:
      return has(kIsLinkSpeedNDRSupported) || has(kIsExtendedSpeeds2Supported);
    case RateKnowledge::Xdr:
      return has(kIsExtendedSpeeds2Supported);
  }
  return false;
}

// Above all codes that there are: the field has six bits.
inline constexpr std::uint8_t kAllRateCodes = 63;

// The fastest rate, not above this one, whose code the owner of this port knows and is not above
// `highest_code`, 2 or more.
constexpr RateRank rate_for(const PortInfo& client, RateRank rank,
                            std::uint8_t highest_code = kAllRateCodes) {
  while (rank > 0 && (kSARates[rank].code > highest_code || !knows_rate(client, rank))) --rank;
  return rank;
}

}  // namespace heddle::mad
