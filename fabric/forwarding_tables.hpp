// SPDX-License-Identifier: BSD-3-Clause
// Linear forwarding tables of all switches: one flat array, so that 3,840 switches by 49,151 LIDs
// are 188 MB and a difference is a memcmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

inline constexpr std::size_t kLftBlockLids = 64;  // one LinearForwardingTable attribute

class ForwardingTables {
 public:
  ForwardingTables() = default;
  // Rows cover LIDs 0 .. top, rounded up to whole blocks; every entry starts without a route.
  ForwardingTables(std::size_t switch_count, mad::Lid top)
      : row_bytes_((top.value / kLftBlockLids + 1) * kLftBlockLids),
        entries_(switch_count * row_bytes_, mad::kNoPortNumber.value) {}

  std::size_t switch_count() const { return row_bytes_ == 0 ? 0 : entries_.size() / row_bytes_; }
  std::size_t row_size() const { return row_bytes_; }
  std::size_t block_count() const { return row_bytes_ / kLftBlockLids; }

  // Out port by LID; 255 is no route. The raw bytes, because the hot loops live here.
  std::span<std::uint8_t> row(SwitchIndex of) {
    return std::span(entries_).subspan(of.value * row_bytes_, row_bytes_);
  }
  std::span<const std::uint8_t> row(SwitchIndex of) const {
    return std::span(entries_).subspan(of.value * row_bytes_, row_bytes_);
  }
  std::span<const std::uint8_t, kLftBlockLids> block(SwitchIndex of, std::size_t block) const {
    return row(of).subspan(block * kLftBlockLids).first<kLftBlockLids>();
  }

  mad::PortNumber out_port(SwitchIndex of, mad::Lid lid) const {
    return lid.value < row_bytes_ ? mad::PortNumber{row(of)[lid.value]} : mad::kNoPortNumber;
  }
  void set(SwitchIndex of, mad::Lid lid, mad::PortNumber out) { row(of)[lid.value] = out.value; }

  friend bool operator==(const ForwardingTables&, const ForwardingTables&) = default;

 private:
  std::size_t row_bytes_ = 0;
  std::vector<std::uint8_t> entries_;
};

}  // namespace heddle::fabric
