// SPDX-License-Identifier: BSD-3-Clause
// The shortest ways toward many switches at once: one bit of a word for each target, so that one
// walk over the links serves 64 of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

class ShortestChoices {
 public:
  static constexpr std::size_t kLanes = 64;

  // Keeps a reference.
  explicit ShortestChoices(const CompactChannels& channels);

  // At most kLanes targets; lane i is of targets[i] from now on.
  void spread(std::span<const fabric::SwitchIndex> targets);
  // Every switch that reaches the lane's target, and its ways there, into ways that are clear.
  void offer_all(std::size_t lane, Ways& ways) const;

 private:
  using Lanes = std::uint64_t;
  // Bit p: the channel at position p (or p + 64, 128 ...) of a switch is a choice.
  using Positions = std::uint64_t;

  std::size_t switch_count() const { return channels_.first.size() - 1; }
  bool advance();
  void find(std::uint32_t at, Lanes found);
  void turn(std::uint32_t at);

  const CompactChannels& channels_;
  Lanes lanes_ = 0;            // in use
  std::vector<Lanes> seen_;    // by switch: the lanes whose distance is known
  std::vector<Lanes> nearer_;  // by switch: those whose distance is what was found last
  std::vector<Lanes> found_;   // by switch: and what is found now
  std::vector<Lanes> leads_;   // by channel: the lanes for which it is a shortest way
  std::array<std::vector<std::uint32_t>, kLanes> nearest_first_;  // by lane
  std::vector<std::uint32_t> first_word_;                         // by switch, one more at the end
  std::vector<Positions> words_;                                  // by (lane, word of a switch)
};

}  // namespace heddle::routing
