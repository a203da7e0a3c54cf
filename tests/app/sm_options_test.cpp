// SPDX-License-Identifier: BSD-3-Clause
#include "app/sm_options.hpp"

#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/config_diff.hpp"
#include "app/option_text.hpp"
#include "config/options.hpp"

namespace heddle::app {
namespace {

TEST(SmOptions, TheDefaultsOfTheFileAreThoseOfTheMachine) {
  EXPECT_EQ(to_sm_options(config::Config{}), sm::Options{});
}

TEST(SmOptions, LanesBecomeTheirCode) {
  const std::pair<std::uint32_t, unsigned> codes[] = {{1, 1}, {2, 2}, {4, 3}, {8, 4}, {15, 5}};
  for (const auto& [lanes, code] : codes) {
    config::Config config;
    config.data_vls = lanes;
    EXPECT_EQ(to_sm_options(config).max_operational_vls, code) << lanes;
  }
}

// Every option of the file that is about the machine must reach it: its example, or the other
// value of a flag, changes something.
TEST(SmOptions, EveryOptionOfTheMachineArrives) {
  for (const config::Option& option : config::options()) {
    static const std::set<std::string_view> kOutside{"output",      "log",     "api",
                                                     "performance", "health",  "congestion",
                                                     "standby",     "replica", "security"};
    const bool outside =
        kOutside.count(option.section) != 0 || option.key == "port" ||
        option.key == "memory_file" || config::qualified(option) == "partitions.file" ||
        option.key == "prefix_routes" || option.key == "qos_policy" ||
        option.key == "torus_config" ||
        (option.section == "routing" && option.key.ends_with("_file")) || option.key == "managed" ||
        option.key == "allow_both_pkeys";  // the policy brings it along
    if (outside) continue;
    config::Config config;
    config::Config before;
    // What tables hold means something only where they are written.
    config.qos_tables = before.qos_tables = option.section == "qos" && option.key != "tables";
    const auto* text = std::get_if<std::string config::Config::*>(&option.member);
    if (option.section == "qos" && text != nullptr) config.*(*text) = "limit=8";
    if (const auto* number = std::get_if<std::uint32_t config::Config::*>(&option.member)) {
      config.** number = config.**number == option.max ? static_cast<std::uint32_t>(option.min)
                                                       : static_cast<std::uint32_t>(option.max);
    } else if (const auto* flag = std::get_if<bool config::Config::*>(&option.member)) {
      config.** flag = !(config.**flag);
    } else if (const auto* key = std::get_if<std::uint64_t config::Config::*>(&option.member)) {
      config.** key = 0xABCDEF;
    } else if (const auto* time = std::get_if<base::Duration config::Config::*>(&option.member)) {
      config.** time += std::chrono::milliseconds(7);
    } else if (option.key == "engines") {
      config.engines = {"updn"};
    } else if (option.key == "enforcement") {
      config.partition_enforcement = "out";
    } else if (option.key == "untrusted") {
      config.sa_untrusted = "needed";
    } else if (option.key == "root_guids") {
      config.root_guids = {7};
    } else if (option.key == "allowed_sm_guids") {
      config.allowed_sm_guids = {7};
    } else if (option.key == "former_m_keys") {
      config.former_m_keys = {7};
    }
    EXPECT_NE(to_sm_options(config), to_sm_options(before)) << config::qualified(option);
  }
}

TEST(ConfigDiff, NamesWhatDiffersAndNoKeys) {
  config::Config before, after;
  EXPECT_EQ(configuration_difference(before, after), "");
  after.interval = std::chrono::seconds(30);
  after.engines = {"updn"};
  after.m_key = 0x1234;
  EXPECT_EQ(configuration_difference(before, after),
            "sm.m_key: another one\n"
            "routing.engines: [\"auto\"] -> [\"updn\"]\n"
            "sweep.interval: \"10s\" -> \"30s\"\n");
}

TEST(OrdersText, IsReadAsItWasWritten) {
  const sm::PortOrders orders{
      {mad::Guid{~0ull}, mad::PortNumber{254}, sm::LinkOrder::Disable, true},
      {mad::Guid{7}, mad::PortNumber{1}, sm::LinkOrder::RouteAround, false},
      {mad::Guid{7}, mad::PortNumber{2}, sm::LinkOrder::Enable, false}};
  EXPECT_EQ(parse_orders_text(orders_text(orders)).value(), orders);
  EXPECT_TRUE(parse_orders_text("").value().empty());
  for (const char* wrong : {"1/2/disable", "1/2/repair/0", "x/2/disable/0", "1/300/disable/0",
                            "1/2/disable/2", "1/2/disable/0  "}) {
    EXPECT_TRUE(parse_orders_text(wrong).has_error()) << wrong;
  }
}

TEST(SmOptions, TheVocabularyHasTheEnginesThatExist) {
  const auto words = vocabulary();
  EXPECT_FALSE(words.engines.empty());
  const auto loaded = config::parse("[routing]\nengines = [\"updn\"]\n", "f", words);
  EXPECT_TRUE(loaded.problems.empty());
}

}  // namespace
}  // namespace heddle::app
