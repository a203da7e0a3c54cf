// SPDX-License-Identifier: BSD-3-Clause
#include "app/audit.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

std::size_t wrongs(const ConfigurationSeen& seen, SecurityProfile profile) {
  const auto all = audit(seen, profile);
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& one) { return one.health == Health::Wrong; }));
}

// As a fabric of many tenants wants it.
ConfigurationSeen closed() {
  ConfigurationSeen seen;
  seen.config.sm_key = 0x8f3a'11c2'7d90'0e45;
  seen.config.m_key = 0x51d2'9a04'be77'63f1;
  seen.config.m_key_per_port = true;
  seen.config.allowed_sm_guids = {0x10, 0x20};
  seen.config.partitions_file = "/etc/heddle/partitions.conf";
  seen.config.sa_untrusted = "needed";
  return seen;
}

TEST(SecurityAudit, TheDefaultsAreForFriends) {
  const ConfigurationSeen defaults;
  EXPECT_EQ(wrongs(defaults, SecurityProfile::Open), 0u);
  EXPECT_EQ(wrongs(defaults, SecurityProfile::Standard), 1u) << "the sm_key";
  EXPECT_GE(wrongs(defaults, SecurityProfile::MultiTenant), 4u);
}

TEST(SecurityProfile, OneThatIsNotKeptIsRefusedLineByLine) {
  config::Config config;
  EXPECT_TRUE(profile_gaps(config, {}).empty()) << "nothing is promised";
  config.security_profile = "standard";
  const auto gaps = profile_gaps(config, {});
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NE(gaps[0].find("sm_key"), std::string::npos) << gaps[0];
  config = closed().config;
  config.security_profile = "multi-tenant";
  EXPECT_TRUE(profile_gaps(config, {}).empty());
  config.m_key_per_port = false;
  EXPECT_EQ(profile_gaps(config, {}).size(), 1u);
}

TEST(SecurityAudit, WhatIsClosedSatisfiesAll) {
  for (const auto profile :
       {SecurityProfile::Open, SecurityProfile::Standard, SecurityProfile::MultiTenant}) {
    EXPECT_EQ(wrongs(closed(), profile), 0u);
  }
}

// Whoever reads one of them is let in somewhere.
TEST(SecurityAudit, SeesEachSecretThatAnybodyMayRead) {
  const test::Folder folder;
  const auto put = [&folder](const char* name, bool is_open) {
    const std::string path = (folder.path() / name).string();
    std::ofstream(path) << "secret";
    EXPECT_EQ(::chmod(path.c_str(), is_open ? 0644 : 0640), 0);
    return path;
  };
  const std::string open = put("open", true), shut = put("shut", false);
  for (const auto file : {&config::Config::api_tokens, &config::Config::api_key,
                          &config::Config::standby_secret_file, &config::Config::standby_key,
                          &config::Config::replica_key, &config::Config::replica_password_file}) {
    config::Config config;
    config.*file = open;
    EXPECT_EQ(configuration_seen(config, shut).open_to_all, std::vector<std::string>{open});
    config.*file = shut;
    EXPECT_TRUE(configuration_seen(config, shut).open_to_all.empty());
  }
  config::Config keys;
  EXPECT_TRUE(configuration_seen(keys, open).open_to_all.empty()) << "nothing secret is in it";
  keys.former_m_keys = {0x1234};
  EXPECT_FALSE(configuration_seen(keys, open).open_to_all.empty());
  keys = {};
  keys.congestion_key = 0x1234;
  EXPECT_FALSE(configuration_seen(keys, open).open_to_all.empty());
  keys = {};
  keys.congestion_former_keys = {0x1234};
  EXPECT_FALSE(configuration_seen(keys, open).open_to_all.empty());
}

TEST(SecurityAudit, EachDoorThatIsOpenCounts) {
  using Open = void (*)(ConfigurationSeen&);
  const Open doors[] = {
      [](ConfigurationSeen& s) { s.config.sm_key = 1; },
      [](ConfigurationSeen& s) { s.config.sm_key = 0x1234; },
      [](ConfigurationSeen& s) { s.config.m_key = 0; },
      [](ConfigurationSeen& s) { s.config.m_key = 0xdeadbeef; },
      [](ConfigurationSeen& s) { s.config.m_key_per_port = false; },
      [](ConfigurationSeen& s) { s.config.m_key_protection = 0; },
      [](ConfigurationSeen& s) { s.config.tell_sm_key = true; },
      [](ConfigurationSeen& s) { s.config.allowed_sm_guids.clear(); },
      [](ConfigurationSeen& s) { s.config.partitions_file.clear(); },
      [](ConfigurationSeen& s) { s.config.partition_enforcement = "out"; },
      [](ConfigurationSeen& s) { s.config.sa_untrusted = "all"; },
      [](ConfigurationSeen& s) { s.config.api_readers = "everyone"; },
      [](ConfigurationSeen& s) { s.config.api_listen = "127.0.0.1:9315"; },
      [](ConfigurationSeen& s) { s.config.api_console = "loopback"; },
      [](ConfigurationSeen& s) { s.config.api_console = "socket"; },
      [](ConfigurationSeen& s) { s.config.accept_credit_loops = true; },
      [](ConfigurationSeen& s) { s.open_to_all = {"/etc/heddle/tokens"}; },
  };
  for (std::size_t i = 0; i < std::size(doors); ++i) {
    ConfigurationSeen seen = closed();
    doors[i](seen);
    EXPECT_EQ(wrongs(seen, SecurityProfile::MultiTenant), 1u) << "door " << i;
  }
  ConfigurationSeen guarded = closed();
  guarded.config.api_listen = "127.0.0.1:9315";
  guarded.config.api_tokens = "/etc/heddle/tokens";
  EXPECT_EQ(wrongs(guarded, SecurityProfile::MultiTenant), 0u);
}

}  // namespace
}  // namespace heddle::app
