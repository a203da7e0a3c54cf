// SPDX-License-Identifier: BSD-3-Clause
// What hops to the LIDs of columns say of the ports of switches. Internal to the verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_vector.hpp"
#include "base/parallel.hpp"
#include "base/raw_bytes.hpp"
#include "fabric/lid_walks.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

// Which ports of a switch lead nearer to the LIDs of a column.
class NearerPorts {
 public:
  static constexpr std::uint8_t kSeveral = 0xFF;  // or none, or no hops are known

  void find(const Topology& topology, const HopColumns& hops, const base::ParallelFor& parallel);
  // By column: the only one; 0, by which no channel leaves, at the switch that the LIDs hang on.
  const std::uint8_t* only(SwitchIndex at) const { return only_.data() + at.value * pitch_; }
  // Of a switch that does not exist.
  const std::uint8_t* no_only() const { return only_.data() + only_.size() - pitch_; }
  // By column: not 0 where they are others than at the column before, or no LIDs go further.
  const std::uint8_t* others(SwitchIndex at) const { return others_.data() + at.value * pitch_; }

 private:
  static_assert(HopColumns::kPitchUnit % base::kByteVector == 0);
  struct Way {
    base::ByteVector out;  // each the port
    const std::uint8_t* hops = nullptr;
  };
  void find_piece(SwitchIndex from, std::size_t first, const std::vector<Way>& ways,
                  const std::uint8_t* hops);

  std::size_t pitch_ = 0;  // of rows, one for each switch
  base::RawBytes only_, others_;
};

}  // namespace heddle::fabric
