// SPDX-License-Identifier: BSD-3-Clause
// Where a LID, a port or an entry sits among an attribute's blocks.
#include <gtest/gtest.h>

#include "mad/attribute_catalogue.hpp"

namespace heddle::mad {
namespace {

TEST(LinearForwardingTableBlocks, CoverEveryUnicastLidOnce) {
  std::size_t expected = 0;
  for (unsigned lid = 0; lid <= kLastUnicastLid.value; ++lid, ++expected) {
    const Lid l{static_cast<std::uint16_t>(lid)};
    ASSERT_EQ(lft_block_of(l) * kLidsPerLftBlock + lft_entry_of(l), expected);
  }
  EXPECT_EQ(lft_block_count(Lid{63}), 1u);
  EXPECT_EQ(lft_block_count(Lid{64}), 2u);
  EXPECT_EQ(lft_block_count(kLastUnicastLid), 768u);
}

TEST(MulticastForwardingTableBlocks, StartAtTheFirstMulticastLid) {
  EXPECT_EQ(mft_block_of(kFirstMulticastLid), 0u);
  EXPECT_EQ(mft_block_of(Lid{0xC020}), 1u);
  EXPECT_EQ(mft_entry_of(Lid{0xC021}), 1u);
  EXPECT_EQ(mft_block_of(Lid{0xFFFE}), 511u);
}

TEST(MulticastForwardingTableModifier, CarriesBlockAndPosition) {
  for (unsigned port = 0; port < 256; ++port) {
    const PortNumber p{static_cast<std::uint8_t>(port)};
    const std::uint32_t modifier = mft_modifier(mft_block_of(Lid{0xFFFE}), mft_position_of(p));
    ASSERT_EQ(mft_modifier_block(modifier), 511u);
    ASSERT_EQ(mft_modifier_position(modifier) * kPortsPerMftPosition, port / 16 * 16);
    ASSERT_EQ(mft_bit_of(p), 1u << port % 16);
  }
}

TEST(PortsInModifiers, AreReadBackWhereTheyWerePut) {
  const PortNumber in{7};
  const PortNumber out{200};
  EXPECT_EQ(sl_to_vl_modifier(in, out), 0x07C8u);
  EXPECT_EQ(sl_to_vl_in_port_of(sl_to_vl_modifier(in, out)), in);
  EXPECT_EQ(sl_to_vl_out_port_of(sl_to_vl_modifier(in, out)), out);

  const auto block = VLArbitrationBlock::UpperHighPriority;
  EXPECT_EQ(vl_arbitration_modifier(block, out), 0x0004'00C8u);
  EXPECT_EQ(vl_arbitration_block_of(vl_arbitration_modifier(block, out)), block);
  EXPECT_EQ(vl_arbitration_port_of(vl_arbitration_modifier(block, out)), out);

  EXPECT_EQ(p_key_table_modifier(3, out), 0x00C8'0003u);
  EXPECT_EQ(p_key_block_of(p_key_table_modifier(3, out)), 3u);
  EXPECT_EQ(p_key_port_of(p_key_table_modifier(3, out)), out);
}

TEST(BlockCounts, RoundUp) {
  EXPECT_EQ(p_key_block_count(0), 0u);
  EXPECT_EQ(p_key_block_count(32), 1u);
  EXPECT_EQ(p_key_block_count(33), 2u);
  EXPECT_EQ(p_key_block_count(65535), 2048u);
  EXPECT_EQ(guid_block_count(255), 32u);
}

}  // namespace
}  // namespace heddle::mad
