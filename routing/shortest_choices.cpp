// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shortest_choices.hpp"

#include <algorithm>
#include <bit>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Makes columns of rows: bit j of word i becomes bit i of word j. Blocks of half the size change
// places across the diagonal, then blocks of a quarter, and so on.
void transpose(std::array<std::uint64_t, 64>& square) {
  std::uint64_t low = 0x0000'0000'FFFF'FFFF;
  for (unsigned half = 32; half != 0; half /= 2, low ^= low << half) {
    for (unsigned i = 0; i < 64; i = (i + half + 1) & ~half) {
      const std::uint64_t differ = (square[i] >> half ^ square[i + half]) & low;
      square[i] ^= differ << half;
      square[i + half] ^= differ;
    }
  }
}

}  // namespace

ShortestChoices::ShortestChoices(const CompactChannels& channels)
    : channels_(channels),
      seen_(switch_count()),
      nearer_(switch_count()),
      found_(switch_count()),
      leads_(channels.count()) {
  first_word_.push_back(0);
  for (std::size_t s = 0; s < switch_count(); ++s) {
    const std::uint32_t degree = channels.first[s + 1] - channels.first[s];
    first_word_.push_back(first_word_.back() + (degree + 63) / 64);
  }
  words_.resize(kLanes * first_word_.back());
}

void ShortestChoices::spread(std::span<const SwitchIndex> targets) {
  std::fill(seen_.begin(), seen_.end(), Lanes{0});
  std::fill(found_.begin(), found_.end(), Lanes{0});
  std::fill(leads_.begin(), leads_.end(), Lanes{0});
  lanes_ = targets.size() < kLanes ? (Lanes{1} << targets.size()) - 1 : ~Lanes{0};
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    const std::uint32_t target = targets[lane].value;
    seen_[target] |= Lanes{1} << lane;
    found_[target] |= Lanes{1} << lane;
    nearest_first_[lane].assign(1, target);
  }
  while (advance()) {
  }
  for (std::uint32_t s = 0; s < switch_count(); ++s) turn(s);
}

// One hop farther; false if there is nothing there.
bool ShortestChoices::advance() {
  nearer_.swap(found_);
  bool more = false;
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    found_[s] = 0;
    if (seen_[s] == lanes_) continue;
    Lanes found = 0;
    for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
      found |= nearer_[channels_.to[c]];
    }
    found_[s] = found & ~seen_[s];
    if (found_[s] == 0) continue;
    find(s, found_[s]);
    more = true;
  }
  return more;
}

void ShortestChoices::find(std::uint32_t at, Lanes found) {
  seen_[at] |= found;
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    leads_[c] |= found & nearer_[channels_.to[c]];
  }
  for (; found != 0; found &= found - 1) {
    nearest_first_[static_cast<std::size_t>(std::countr_zero(found))].push_back(at);
  }
}

// From lanes by channel to channels by lane.
void ShortestChoices::turn(std::uint32_t at) {
  std::uint32_t channel = channels_.first[at];
  for (std::uint32_t word = first_word_[at]; word < first_word_[at + 1]; ++word) {
    std::array<std::uint64_t, 64> square{};
    for (std::size_t i = 0; i < 64 && channel < channels_.first[at + 1]; ++i) {
      square[i] = leads_[channel++];
    }
    transpose(square);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      words_[lane * first_word_.back() + word] = square[lane];
    }
  }
}

void ShortestChoices::offer_all(std::size_t lane, Ways& ways) const {
  const Positions* words = words_.data() + lane * first_word_.back();
  for (const std::uint32_t s : nearest_first_[lane]) {
    const SwitchIndex at{s};
    ways.add_switch(at);
    const std::uint32_t first = first_word_[s];
    const Positions choices = first < first_word_[s + 1] ? words[first] : 0;
    if (first_word_[s + 1] - first == 1 && choices != 0) {
      const int lowest = std::countr_zero(choices);
      const Positions run = choices >> lowest;
      if ((run & (run + 1)) == 0) {
        const int count = std::countr_one(run);
        ways.offer_run(at, static_cast<std::uint8_t>(lowest), static_cast<std::uint8_t>(count));
        continue;
      }
    }
    for (std::uint32_t word = first; word < first_word_[s + 1]; ++word) {
      for (Positions left = words[word]; left != 0; left &= left - 1) {
        const auto position = (word - first) * 64 + static_cast<unsigned>(std::countr_zero(left));
        ways.offer(at, static_cast<std::uint8_t>(position));
      }
    }
  }
}

}  // namespace heddle::routing
