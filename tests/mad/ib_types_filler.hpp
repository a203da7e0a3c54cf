// SPDX-License-Identifier: BSD-3-Clause
// How the packed structs of OpenSM's ib_types.h (Debian's libopensm-dev) become samples.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <endian.h>
#include <iba/ib_types.h>

#include "tests/mad/sample.hpp"

namespace heddle::mad {

// Fills members of a struct with arbitrary numbers and notes which row should show them.
class Filler {
 public:
  Filler(std::string layout, base::Prng& prng) : prng_(prng) { sample_.layout = std::move(layout); }

  std::uint64_t note(std::string row, unsigned bits) {
    const std::uint64_t value = bits == 64 ? prng_() : prng_() & ((std::uint64_t{1} << bits) - 1);
    sample_.fields.emplace_back(std::move(row), value);
    return value;
  }
  std::uint8_t u8(std::string row, unsigned bits = 8) {
    return static_cast<std::uint8_t>(note(std::move(row), bits));
  }
  std::uint16_t be16(std::string row) {
    return htons(static_cast<std::uint16_t>(note(std::move(row), 16)));
  }
  std::uint32_t be32(std::string row, unsigned bits = 32) {
    return htonl(static_cast<std::uint32_t>(note(std::move(row), bits)));
  }
  std::uint64_t be64(std::string row) { return htobe64(note(std::move(row), 64)); }
  ib_gid_t gid(const std::string& row) {
    ib_gid_t gid;
    gid.unicast.prefix = be64(row + ".GidPrefix");
    gid.unicast.interface_id = be64(row + ".GUID");
    return gid;
  }

  template <class Struct>
  Sample take(const Struct& object, std::size_t bytes = sizeof(Struct)) {
    sample_.bytes.resize(bytes);
    std::memcpy(sample_.bytes.data(), &object, std::min(bytes, sizeof object));
    return std::move(sample_);
  }

 private:
  base::Prng& prng_;
  Sample sample_;
};

// Samples of the records of subnet administration.
std::vector<Sample> ib_types_records(base::Prng& prng);

}  // namespace heddle::mad
