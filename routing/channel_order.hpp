// SPDX-License-Identifier: BSD-3-Clause
// The channel dependencies of one layer, kept free of cycles while they grow. Nobody has to look
// for a cycle afterwards, and nobody has to choose beforehand which turns are forbidden.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

// Every channel has a position, and every dependency leads from a lower to a higher one; so there
// is no cycle. A new dependency that agrees with the positions costs nothing. One that does not
// moves only channels that stand between its ends (Pearce and Kelly, A dynamic topological sort
// algorithm for directed acyclic graphs, 2006), or is refused because it would close a cycle.
//
// Channels are those of CompactChannels; `next` always leaves the switch that `held` leads to. To
// be copied when no trial goes on.
class ChannelOrder {
 public:
  // channels outlives this. Positions are those of the channels' numbers.
  explicit ChannelOrder(const CompactChannels& channels);

  // Gives the channels new positions; before the first dependency.
  void arrange(const std::vector<std::uint32_t>& from_first_to_last);

  bool has(std::uint32_t held, std::uint32_t next) const { return is_set(onward_, held, next); }
  // Whether there is any from it.
  bool has_any(std::uint32_t held) const {
    const auto bits = onward_.begin() + static_cast<std::ptrdiff_t>(held * words_);
    return std::any_of(bits, bits + static_cast<std::ptrdiff_t>(words_),
                       [](std::uint64_t word) { return word != 0; });
  }
  // Whether there is one to `next` from each channel that enters the switch it leaves, of those
  // that are marked: one bit each, by the places of their ways back.
  bool has_from_each(std::span<const std::uint64_t> marked, std::uint32_t next) const {
    for (std::size_t w = 0; w < words_; ++w) {
      if ((marked[w] & ~before_[next * words_ + w]) != 0) return false;
    }
    return true;
  }
  std::size_t words() const { return words_; }  // of such marks
  // Calls visit(held) for each channel from which there is one to `next`.
  template <class Visit>
  void for_each_before(std::uint32_t next, Visit visit) const;
  // By channel; no two have the same.
  const std::vector<std::uint32_t>& positions() const { return position_; }
  // Whether it could be added without moving any channel.
  bool agrees(std::uint32_t held, std::uint32_t next) const {
    return position_[held] < position_[next];
  }
  // Adds a dependency for good. It must agree, and not be there yet.
  void put(std::uint32_t held, std::uint32_t next) { flip_both_ways(held, next); }
  // Adds a dependency for a trial. False when it would close a cycle: then nothing is added.
  // Must not be there yet.
  bool add(std::uint32_t held, std::uint32_t next);
  // Moves channels so that a dependency from `held` agrees to whichever channel it leads on to, but
  // its way back; unless that would close a cycle. What to do before several are added: each of
  // those would search for itself. It has no say in which can be added.
  void stand_before_all(std::uint32_t held);
  // Ends the trial of one that was added: it stays for good, or it goes.
  void keep(std::uint32_t held, std::uint32_t next) { flip(trials_.running, held, next); }
  void remove(std::uint32_t held, std::uint32_t next);
  // Takes all dependencies of a channel out, which nobody holds any more; they are told. Before the
  // first trial.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> forget(std::uint32_t channel);

 private:
  using Bits = std::vector<std::uint64_t>;  // by channel, and by the place of the next one

  bool is_set(const Bits& bits, std::uint32_t held, std::uint32_t next) const {
    const std::uint32_t bit = next - channels_->first[channels_->to[held]];
    return (bits[held * words_ + bit / 64] >> (bit % 64) & 1) != 0;
  }
  void flip(Bits& bits, std::uint32_t held, std::uint32_t next) {
    const std::uint32_t bit = next - channels_->first[channels_->to[held]];
    bits[held * words_ + bit / 64] ^= std::uint64_t{1} << (bit % 64);
  }
  void flip_both_ways(std::uint32_t held, std::uint32_t next);
  void prepare_trials();
  template <class Visit>
  void for_each_onward(std::uint32_t held, Visit visit) const;
  std::uint32_t search(std::uint32_t held);
  bool stays_closed(std::uint32_t held, std::uint32_t next, std::uint32_t meeting) const;
  void sort(const std::vector<std::uint32_t>& channels, std::vector<std::uint64_t>& sorted);
  void reorder();

  const CompactChannels* channels_;
  std::shared_ptr<const std::vector<std::uint32_t>> ways_back_;  // by channel: its reverse
  std::size_t words_ = 1;                                        // per channel
  Bits onward_;                                                  // the dependencies
  Bits before_;  // the same, by the later channel and the place of the other's way back
  std::vector<std::uint32_t> position_;  // by channel
  // Empty before the first trial, and in a copy: most orders are only looked at.
  struct Trials {
    Trials() = default;
    Trials(const Trials&) {}
    Trials& operator=(const Trials&) { return *this = Trials(); }
    Trials(Trials&&) = default;
    Trials& operator=(Trials&&) = default;
    ~Trials() = default;

    Bits running;  // dependencies that may be removed again
    Bits refused;  // what would close a cycle with those that may not
    // Scratch memory. What is written before it is read is not made zero first.
    using Numbers = std::unique_ptr<std::uint32_t[]>;
    std::vector<std::uint8_t> seen;  // by channel; all 0 between calls
    Numbers came_from, leads_to;     // by channel, on the ways of a search
    std::vector<std::uint32_t> later, earlier;
    std::vector<std::uint64_t> first, second, free;  // position and channel
    std::vector<std::uint64_t> marks;                // of sort
    Numbers stands_at;
  };
  Trials trials_;
};

template <class Visit>
void ChannelOrder::for_each_before(std::uint32_t next, Visit visit) const {
  const std::uint32_t* const ways_back =
      ways_back_->data() + channels_->first[channels_->from[next]];
  const std::uint64_t* const bits = before_.data() + next * words_;
  const auto words = static_cast<std::uint32_t>(words_);
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
      visit(ways_back[w * 64 + static_cast<std::uint32_t>(std::countr_zero(left))]);
    }
  }
}

}  // namespace heddle::routing
