// SPDX-License-Identifier: BSD-3-Clause
#include "base/prng.hpp"

#include <bit>

namespace heddle::base {

Prng::Prng(std::uint64_t seed) noexcept {
  for (auto& word : state_) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Prng::operator()() noexcept {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Prng::below(std::uint64_t bound) noexcept {
  // Rejects the few lowest values that would make small results likelier than large ones.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t drawn = (*this)();
    if (drawn >= threshold) return drawn % bound;
  }
}

bool Prng::chance(double p) noexcept {
  return static_cast<double>((*this)() >> 11) * 0x1.0p-53 < p;
}

}  // namespace heddle::base
