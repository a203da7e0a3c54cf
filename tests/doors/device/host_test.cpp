// SPDX-License-Identifier: BSD-3-Clause
// Which devices a host has, what its class tree says, and what comes in at the door.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "doors/device/entrance.hpp"
#include "doors/device/host_plan.hpp"
#include "sim/blueprint.hpp"

namespace heddle::doors {
namespace {

using testing::HasSubstr;

sim::World world_of(std::string_view fabric) {
  return {sim::generate_fabric(fabric).value(), {}};
}

std::vector<std::string> names_of_ports(const HostPlan& plan) {
  std::vector<std::string> names;
  for (const HostDevice& device : plan.devices) {
    for (const HostPort& port : device.ports) {
      names.push_back(device.name + ":" + std::to_string(port.number));
    }
  }
  return names;
}

TEST(HostPlan, IsTheFirstHostUnlessSomebodySaysWhere) {
  const sim::World world = world_of("star:3");
  const auto plan = plan_host(world, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->ports().size(), 1u);
  EXPECT_EQ(plan->ports()[0].endpoint, *world.default_endpoint());
}

TEST(HostPlan, SeveralNodesAreSeveralAdaptersAndASwitchHasPort0) {
  const sim::World world = world_of("star:3");
  std::string switch_name;
  std::string host_name;
  for (const sim::PlannedNode& node : world.devices().plan.nodes) {
    (node.type == mad::NodeType::Switch ? switch_name : host_name) = node.name;
  }
  const auto plan = plan_host(world, std::vector{host_name + ":1", switch_name});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(names_of_ports(*plan), testing::ElementsAre("mlx5_0:1", "mlx5_1:0"));
  const Tree tree = make_host_tree(world, *plan);
  const auto text = [&tree](std::string_view path) { return tree.find(path)->text(); };
  EXPECT_EQ(text("class/infiniband/mlx5_1/node_type"), "2: switch\n");
  EXPECT_EQ(text("class/infiniband_mad/umad1/ibdev"), "mlx5_1\n");
  EXPECT_EQ(text("class/infiniband_mad/issm1/port"), "0\n");
  EXPECT_EQ(text("class/infiniband/mlx5_0/ports/1/counters/link_downed"), "0\n");
  ASSERT_NE(tree.find("dev/issm1"), nullptr);
  EXPECT_EQ(tree.find("dev/issm1")->kind, Tree::Kind::IsSm);
  EXPECT_EQ(tree.find("dev/umad2"), nullptr);
}

TEST(HostPlan, WordsThatNameNothingAreRefused) {
  const sim::World world = world_of("pair");
  for (const char* word : {"nobody", "host-0001:2", "host-0001:x", "", ":1"}) {
    const auto plan = plan_host(world, std::vector<std::string>{word});
    ASSERT_FALSE(plan) << word;
    EXPECT_THAT(plan.error().message, HasSubstr("--at")) << word;
  }
  EXPECT_FALSE(plan_host(world, std::vector<std::string>{"host-0001", "host-0001:1"}));
}

class EntranceTest : public testing::Test {
 protected:
  EntranceTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    program = UniqueFd(ends[0]);
    fabric = UniqueFd(ends[1]);
  }
  void say(const std::string& bytes) {
    ASSERT_EQ(send(program.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  auto listen() { return read_entry(fabric.get(), so_far, device); }

  UniqueFd program;
  UniqueFd fabric;
  std::string so_far;
  UniqueFd device;
};

TEST_F(EntranceTest, NothingIsNoRequestYetAndHangingUpIsAnError) {
  EXPECT_FALSE(listen().value());
  say(std::string("host-0001\0", 10));
  EXPECT_FALSE(listen().value());
  program = UniqueFd();
  EXPECT_FALSE(listen());
}

TEST_F(EntranceTest, ARequestWithoutADeviceIsRefused) {
  say(std::string("a\0b\0\0", 5));
  EXPECT_THAT(listen().error().message, HasSubstr("no device"));
}

TEST_F(EntranceTest, EndlessNamesAreRefused) {
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) {
    say(std::string(1000, 'x'));
    refused = !listen();
  }
  EXPECT_TRUE(refused);
  EXPECT_LE(so_far.size(), kMaxEntryBytes + 2048);
}

TEST_F(EntranceTest, NamesAndDeviceComeThrough) {
  ASSERT_EQ(send(fabric.get(), "ok\n", 3, 0), 3);
  UniqueFd null(open("/dev/null", O_RDWR));
  ASSERT_TRUE(ask_for_entry(program.get(), {"host 1", "h:2"}, std::move(null)));
  const auto request = listen();
  ASSERT_TRUE(request && *request);
  EXPECT_THAT((*request)->at, testing::ElementsAre("host 1", "h:2"));
  EXPECT_TRUE((*request)->device);
}

TEST_F(EntranceTest, TheFabricsSentenceIsTheError) {
  ASSERT_EQ(send(fabric.get(), "no such node\n", 13, 0), 13);
  const auto entered = ask_for_entry(program.get(), {}, UniqueFd(open("/dev/null", O_RDWR)));
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().message, "no such node");
}

}  // namespace
}  // namespace heddle::doors
