// SPDX-License-Identifier: BSD-3-Clause
// Repeatable randomness: the same seed gives the same numbers on every machine and compiler,
// which the distributions of <random> do not promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::base {

// xoshiro256** seeded by splitmix64 (both by Blackman and Vigna, public domain algorithms).
// Satisfies UniformRandomBitGenerator.
class Prng {
 public:
  using result_type = std::uint64_t;

  explicit Prng(std::uint64_t seed) noexcept;

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() noexcept;

  // Uniform in [0, bound). bound must not be 0.
  std::uint64_t below(std::uint64_t bound) noexcept;

  // True with probability p (p <= 0 never, p >= 1 always).
  bool chance(double p) noexcept;

  // Fisher-Yates over anything with size() and operator[].
  template <class Range>
  void shuffle(Range& range) noexcept {
    for (std::size_t left = range.size(); left > 1; --left) {
      using std::swap;
      swap(range[left - 1], range[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace heddle::base
