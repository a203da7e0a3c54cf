// SPDX-License-Identifier: BSD-3-Clause
#include "sm/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using testing::ElementsAre;

constexpr mad::MKey kKey{0x0123'4567'89AB'CDEF};
constexpr mad::Guid kPort{0x0002'C903'00A1'B2C3};

Keys keys_of(mad::MKey key, bool per_port, std::vector<mad::MKey> former = {}) {
  Options options;
  options.m_key = key;
  options.m_key_per_port = per_port;
  options.former_m_keys = std::move(former);
  Keys keys;
  keys.set(options);
  return keys;
}

// By Python's hmac: hmac.new(key, guid, sha256), both as 8 bytes, the first 8 bytes of it.
TEST(DeriveMKey, IsTheHmacOfTheGuid) {
  EXPECT_EQ(derive_m_key(kKey, kPort), mad::MKey{0xC14E'262E'2970'ACFE});
  EXPECT_NE(derive_m_key(kKey, mad::Guid{kPort.value + 1}), derive_m_key(kKey, kPort));
  EXPECT_EQ(derive_m_key(mad::MKey{}, kPort), mad::MKey{}) << "no key is no key";
}

TEST(KeysTest, OneForAllIsItself) {
  const Keys keys = keys_of(kKey, false);
  EXPECT_EQ(keys.of(kPort), kKey);
  EXPECT_THAT(keys.for_strangers(), ElementsAre(kKey));
  EXPECT_THAT(keys.candidates(kPort), ElementsAre(kKey, derive_m_key(kKey, kPort)));
}

TEST(KeysTest, TriesWhatAPortShouldHaveFirst) {
  const mad::MKey former{7};
  const Keys keys = keys_of(kKey, true, {former});
  EXPECT_EQ(keys.of(kPort), derive_m_key(kKey, kPort));
  EXPECT_THAT(keys.candidates(kPort),
              ElementsAre(derive_m_key(kKey, kPort), kKey, former, derive_m_key(former, kPort)));
}

TEST(KeysTest, RemembersWhatItChangedFrom) {
  Keys keys = keys_of(kKey, false);
  Options options;
  options.m_key = mad::MKey{9};
  keys.set(options);
  EXPECT_EQ(keys.of(kPort), options.m_key);
  EXPECT_THAT(keys.for_strangers(), ElementsAre(options.m_key, kKey));
}

}  // namespace
}  // namespace heddle::sm
