// SPDX-License-Identifier: BSD-3-Clause
// An attribute as another program encoded it: the bytes and what that program put into them. The
// goldens under tests/golden/mad are such samples on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.hpp"
#include "base/result.hpp"

namespace heddle::mad {

struct Sample {
  std::string layout;  // Layout<T>::name
  std::vector<std::byte> bytes;
  std::vector<std::pair<std::string, std::uint64_t>> fields;  // as LeafCollector spells them
  std::vector<std::string> text;                              // the program's own rendering, if any
  std::string origin{};  // of a golden: the first part of its file's name
};

// The file's comment says where the sample comes from.
std::string golden_text(const Sample& sample, const std::string& provenance);
base::Result<Sample> parse_golden(const std::string& text);

// One sample of each attribute the program knows, with arbitrary values.
std::vector<Sample> libibmad_samples(base::Prng& prng, bool with_text = false);
std::vector<Sample> ib_types_samples(base::Prng& prng);

}  // namespace heddle::mad
