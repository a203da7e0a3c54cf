// SPDX-License-Identifier: BSD-3-Clause
#include "app/ports_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace heddle::app {
namespace {

using testing::HasSubstr;

transport::LocalPort infiniband() {
  transport::LocalPort port;
  port.id = {"mlx5_0", 1};
  port.port_guid = mad::Guid{0x0002c90300a1b2c3};
  port.link_layer = transport::LinkLayer::InfiniBand;
  port.state = mad::PortState::Init;
  port.physical_state = mad::PortPhysicalState::LinkUp;
  port.rate = "200 Gb/s";
  port.candidate = true;
  return port;
}

transport::LocalPort ethernet() {
  transport::LocalPort port;
  port.id = {"irdma0", 1};
  port.link_layer = transport::LinkLayer::Ethernet;
  port.reason = "its link layer is Ethernet";
  return port;
}

TEST(Ports, TheTableSaysWhichPortIsChosenAndWhyOthersAreNot) {
  const std::vector<transport::LocalPort> ports{ethernet(), infiniband()};
  const std::string text = ports_table(ports, transport::choose_port(ports, {}));
  EXPECT_THAT(text, HasSubstr("PORT"));
  EXPECT_THAT(text, HasSubstr("skipped: its link layer is Ethernet\n"));
  EXPECT_THAT(text, HasSubstr("chosen by heddle sm\n"));
  EXPECT_THAT(text, HasSubstr("0x0002c90300a1b2c3"));
}

TEST(Ports, AHostWithoutPortsSaysSoInsteadOfAnEmptyTable) {
  const auto choice = transport::choose_port({}, {});
  ASSERT_TRUE(choice.has_error());
  EXPECT_EQ(ports_table({}, choice), choice.error().message + "\n");
}

TEST(Ports, JsonHasTheSameForPrograms) {
  const std::vector<transport::LocalPort> ports{ethernet(), infiniband()};
  const auto json = nlohmann::json::parse(ports_json(ports, transport::choose_port(ports, {})));
  EXPECT_EQ(json["chosen"], "mlx5_0:1");
  ASSERT_EQ(json["ports"].size(), 2u);
  EXPECT_EQ(json["ports"][0]["usable"], false);
  EXPECT_EQ(json["ports"][0]["reason"], "its link layer is Ethernet");
  EXPECT_EQ(json["ports"][1]["port_guid"], "0x0002c90300a1b2c3");
  const auto none = nlohmann::json::parse(ports_json({}, transport::choose_port({}, {})));
  EXPECT_TRUE(none["chosen"].is_null());
}

}  // namespace
}  // namespace heddle::app
