// SPDX-License-Identifier: BSD-3-Clause
// Tables that nobody reads in a sweep because there are too many of them, for what they are worth
// (lanes and arbitration: of each pair of ports of a switch). A query about them has them read; its
// answer waits for that. What was read is kept until the next view.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/smp.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

// One query may have so many read; one that means more is refused with ERR_NO_RESOURCES.
inline constexpr std::size_t kMaxFetchesOfQuery = 4096;
// Or, where it names a device by its LID, what the largest switch has: of each two of 256 ports.
inline constexpr std::size_t kMaxFetchesOfDevice = 1 << 16;
// And so many are kept: then the oldest view of the fabric is as good as none, and all go.
inline constexpr std::size_t kMaxFetched = 1 << 18;

struct Fetch {
  fabric::PortIndex port{};  // an endport: of the device that is asked
  mad::AttributeId attribute{};
  std::uint32_t modifier{};
  friend auto operator<=>(const Fetch&, const Fetch&) = default;
};

class Fetches {
 public:
  // The table; nothing when the device has none. While it is not known yet `known` becomes false,
  // and it will be asked for.
  std::optional<mad::SmpData> look(const Fetch& fetch, bool& known);
  // The device's answer; none when it refused or kept silent.
  void learn(const Fetch& fetch, std::optional<mad::SmpData> data);
  // What is to be read, since the last call.
  std::vector<Fetch> take() { return std::exchange(wanted_, {}); }
  bool idle() const { return asked_ == 0; }
  void clear();

 private:
  struct Known {
    bool answered = false;
    std::optional<mad::SmpData> data;
  };
  std::map<Fetch, Known> known_;
  std::vector<Fetch> wanted_;
  std::size_t asked_ = 0;  // and not answered yet
};

}  // namespace heddle::sa
