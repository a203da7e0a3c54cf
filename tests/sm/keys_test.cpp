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
  EXPECT_THAT(keys.in_use().masters, ElementsAre(options.m_key, kKey));
}

TEST(KeysTest, TriesWhatAnotherManagerHadGivenToAPort) {
  Keys keys = keys_of(mad::MKey{}, false);
  const mad::MKey theirs{0x77}, last{0x78};
  keys.remember({{last}, {{kPort, theirs}}});
  EXPECT_EQ(keys.candidates(kPort)[0], mad::MKey{}) << "what it is to have comes first";
  EXPECT_EQ(keys.candidates(kPort)[1], theirs);
  EXPECT_THAT(keys.candidates(mad::Guid{1}), testing::Not(testing::Contains(theirs)));
  EXPECT_THAT(keys.for_strangers(), ElementsAre(mad::MKey{}, last, theirs));
  EXPECT_THAT(keys.in_use().masters, ElementsAre(last)) << "no key is none to remember";
  EXPECT_EQ(keys.in_use().by_port.at(kPort), theirs);
}

TEST(KeysTest, AreBoundedWhereAllAreTried) {
  Keys keys = keys_of(kKey, false);
  RememberedKeys many;
  for (std::uint64_t n = 1; n <= 3 * kMostKeys; ++n) {
    many.masters.push_back({0x1000 + n});
    many.by_port[mad::Guid{n}] = {0x2000 + n};
  }
  keys.remember(many);
  EXPECT_EQ(keys.in_use().masters.size(), kMostKeys);
  EXPECT_EQ(keys.for_strangers().size(), 1 + 2 * kMostKeys);
}

}  // namespace
}  // namespace heddle::sm
