// SPDX-License-Identifier: BSD-3-Clause
// Whose packets trees meet: a turn of a tree, from a channel to the next, may close a credit loop
// with the turns of unicast routes on the same lanes, and of other trees. A packet on a tree holds
// the channel it came by until it has left by all others, so each pair of a tree's links at one
// switch is two turns.
#pragma once

#include <cstddef>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

// Channels are those of the topology that the trees stand on.
class TurnRule {
 public:
  TurnRule() = default;
  TurnRule(const TurnRule&) = delete;
  TurnRule& operator=(const TurnRule&) = delete;
  virtual ~TurnRule() = default;

  // Whose turns are meant from now on: those of packets to this LID. Gives the same value for LIDs
  // whose packets travel on the same lanes.
  virtual unsigned packets_to(mad::Lid mlid) = 0;
  // Whether a turn is there already, those on trial included.
  virtual bool has(fabric::ChannelIndex held, fabric::ChannelIndex next) const = 0;
  // Adds a turn for a trial. False if it would close a loop: then it is not added.
  virtual bool take(fabric::ChannelIndex held, fabric::ChannelIndex next) = 0;
  // How much is on trial; and all that came since it was so much goes.
  virtual std::size_t on_trial() const = 0;
  virtual void undo(std::size_t upto) = 0;
  // Ends the trial: what is left of it stays.
  virtual void keep() = 0;
  // Of all that ever came nothing stays.
  virtual void begin_anew() = 0;
};

}  // namespace heddle::multicast
