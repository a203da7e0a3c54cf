// SPDX-License-Identifier: BSD-3-Clause
// How devices are asked for the speeds of their links.
#include <gtest/gtest.h>

#include "mad/port_info.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

// PortInfo is asked for with the bit of extended speeds, and without where that is refused.
TEST(Speeds, OfADeviceThatDoesNotKnowTheExtendedOnesAreAskedForWithoutThem) {
  unsigned refused = 0, without = 0;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::GetResp) return;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != 4) return;
    if ((smp->attribute_modifier & mad::kSmSupportExtendedSpeeds) == 0) {
      ++without;
      return;
    }
    ++refused;
    smp->status = mad::kStatusBadField;
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:8", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(refused, 1u);
  EXPECT_GE(without, 1u);
  EXPECT_EQ(state(box, "host-0004", 1), mad::PortState::Active);
}

}  // namespace
}  // namespace heddle::test
