// SPDX-License-Identifier: BSD-3-Clause
// Orders about links, on simulated fabrics: what the switches then hold is read from their own
// registers.
#include "sm/orders.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/checker.hpp"
#include "sim/devices.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using sm::LinkOrder;
using sm::PortOrder;

class Orders : public testing::Test {
 protected:
  void bring_up(const char* fabric) {
    box_.emplace(fabric);
    ASSERT_TRUE(box().run_until_quiet());
    box().forget_events();
  }
  Box& box() { return *box_; }

  std::uint32_t node(std::string_view name) { return *box().world().find_node(name); }
  mad::Guid guid(std::string_view name) {
    return box().world().devices().plan.nodes[node(name)].guid;
  }
  PortOrder order(std::string_view at, std::uint8_t port, LinkOrder what, bool force = false) {
    return {guid(at), mad::PortNumber{port}, what, force};
  }
  void give(sm::PortOrders orders) {
    box().input(sm::OrdersChanged{std::move(orders)});
    ASSERT_TRUE(box().run_until_quiet());
    box().run_for(std::chrono::seconds(1));
    ASSERT_TRUE(box().run_until_quiet());
  }
  const mad::PortInfo& info(std::string_view at, std::uint8_t port) {
    const auto& devices = box().world().devices();
    return devices.ports[devices.nodes[node(at)].first_port + port].info;
  }
  mad::PortState state(std::string_view at, std::uint8_t port) {
    const auto& devices = box().world().devices();
    return devices.lines[devices.nodes[node(at)].first_port + port].state;
  }
  // Entries of all switches' tables that lead out of this port.
  std::size_t routes_out_of(std::string_view at, std::uint8_t port) {
    const auto& tables = box().snapshot().routes->routes.tables;
    const auto index = *box().snapshot().topology.find_node(guid(at));
    const auto row = tables.row(fabric::SwitchIndex{index.value});
    return static_cast<std::size_t>(std::count(row.begin(), row.end(), port));
  }
  std::size_t links() { return box().snapshot().topology.link_count(); }
  std::string refusal() {
    const auto* refused = box().last<sm::LinkOrderRefused>();
    return refused == nullptr ? "" : refused->reason;
  }

 private:
  std::optional<Box> box_;
};

TEST_F(Orders, ALinkIsRoutedAroundAndUsedAgain) {
  bring_up("fat-tree:2,4");
  ASSERT_GT(routes_out_of("leaf-1", 3), 0u);
  const std::size_t all = links();
  give({order("leaf-1", 3, LinkOrder::RouteAround)});
  EXPECT_EQ(links(), all - 1);
  EXPECT_EQ(routes_out_of("leaf-1", 3), 0u);
  EXPECT_EQ(state("leaf-1", 3), mad::PortState::Active);  // nothing else is done to it
  EXPECT_EQ(box().count<sm::LinkOrderCarriedOut>(), 1u);
  give({});
  EXPECT_EQ(links(), all);
  EXPECT_GT(routes_out_of("leaf-1", 3), 0u);
}

TEST_F(Orders, APortIsSwitchedOffOnceNothingUsesItAndOnAgain) {
  bring_up("fat-tree:2,4");
  const std::size_t all = links();
  give({order("leaf-2", 4, LinkOrder::Disable)});
  EXPECT_EQ(info("leaf-2", 4).port_physical_state, mad::PortPhysicalState::Disabled);
  EXPECT_EQ(state("leaf-2", 4), mad::PortState::Down);
  EXPECT_EQ(links(), all - 1);
  EXPECT_EQ(box().count<sm::LinkOrderCarriedOut>(), 1u);
  box().run_for(std::chrono::hours(1));  // and stays off, without another word
  EXPECT_EQ(info("leaf-2", 4).port_physical_state, mad::PortPhysicalState::Disabled);
  EXPECT_EQ(box().count<sm::LinkOrderCarriedOut>(), 1u);
  give({order("leaf-2", 4, LinkOrder::Enable)});
  EXPECT_EQ(state("leaf-2", 4), mad::PortState::Active);
  EXPECT_EQ(links(), all);
  give({});
  EXPECT_EQ(state("leaf-2", 4), mad::PortState::Active);
}

// Whoever gave it waits until it hears of it, the second time too.
TEST_F(Orders, APortThatWasNeverOffIsToldToBeOnEachTimeThatIsOrdered) {
  bring_up("fat-tree:2,4");
  for (std::size_t times = 1; times <= 3; ++times) {
    give({order("leaf-2", 4, LinkOrder::Enable)});
    EXPECT_EQ(box().count<sm::LinkOrderCarriedOut>(), times);
    give({});
  }
}

// Nothing else has to happen for it, and a sweep that is under way does not tell of it again.
TEST_F(Orders, OneThatIsOverIsNoLongerTold) {
  bring_up("fat-tree:2,4");
  give({order("leaf-2", 4, LinkOrder::Enable)});
  ASSERT_EQ(box().seat().outcomes()->size(), 1u);
  box().input(sm::OrdersChanged{});
  EXPECT_EQ(box().seat().outcomes()->size(), 0u);
  box().input(sm::OrdersChanged{{order("leaf-2", 4, LinkOrder::Enable)}});
  box().input(sm::OrdersChanged{});
  ASSERT_TRUE(box().run_until_quiet());
  EXPECT_EQ(box().seat().outcomes()->size(), 0u);
}

TEST_F(Orders, AnOrderThatEndsLeavesAPortOffUntilSomebodyEnablesIt) {
  bring_up("fat-tree:2,4");
  give({order("leaf-2", 4, LinkOrder::Disable)});
  give({});
  EXPECT_EQ(info("leaf-2", 4).port_physical_state, mad::PortPhysicalState::Disabled);
}

TEST_F(Orders, TheLastWayToAPartOfTheFabricStays) {
  bring_up("fat-tree:1,2");
  const std::size_t all = links();
  give({order("leaf-2", 2, LinkOrder::Disable), order("leaf-1", 2, LinkOrder::RouteAround)});
  EXPECT_EQ(links(), all);
  EXPECT_EQ(state("leaf-2", 2), mad::PortState::Active);
  EXPECT_EQ(box().count<sm::LinkOrderRefused>(), 2u);
  EXPECT_THAT(refusal(), testing::HasSubstr("reached by this link alone"));
  // No force helps: nobody could switch it on again.
  give({order("leaf-2", 2, LinkOrder::Disable, /*force=*/true)});
  EXPECT_EQ(state("leaf-2", 2), mad::PortState::Active);
}

TEST_F(Orders, OfAllWaysToASwitchOneStays) {
  bring_up("fat-tree:2,4");
  const std::size_t all = links();
  give({order("leaf-2", 3, LinkOrder::Disable), order("leaf-2", 4, LinkOrder::Disable)});
  EXPECT_EQ(links(), all - 1);
  EXPECT_EQ(state("leaf-2", 3), mad::PortState::Down);  // earlier orders go first
  EXPECT_EQ(state("leaf-2", 4), mad::PortState::Active);
  EXPECT_EQ(box().count<sm::LinkOrderRefused>(), 1u);
}

TEST_F(Orders, AHostIsCutOffByForceAlone) {
  bring_up("fat-tree:2,4");
  const std::size_t nodes = box().snapshot().topology.node_count();
  give({order("leaf-2", 1, LinkOrder::Disable)});
  EXPECT_EQ(refusal(), "a host is reached by this link alone");
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes);
  give({order("leaf-2", 1, LinkOrder::Disable, /*force=*/true)});
  EXPECT_EQ(info("leaf-2", 1).port_physical_state, mad::PortPhysicalState::Disabled);
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes - 1);
  give({order("leaf-2", 1, LinkOrder::Enable)});
  EXPECT_EQ(box().snapshot().topology.node_count(), nodes);
  EXPECT_EQ(state("leaf-2", 1), mad::PortState::Active);
}

TEST_F(Orders, TheSubnetManagerDoesNotCutItselfOff) {
  bring_up("fat-tree:2,4");
  give({order("leaf-1", 1, LinkOrder::Disable, /*force=*/true)});
  EXPECT_EQ(refusal(), "the subnet manager is reached by this link alone");
  EXPECT_EQ(state("leaf-1", 1), mad::PortState::Active);
}

TEST_F(Orders, WhatIsNotThereIsTold) {
  bring_up("fat-tree:2,4");
  give({{mad::Guid{4711}, mad::PortNumber{1}, LinkOrder::Disable}});
  EXPECT_EQ(refusal(), "there is no such port");
  give({order("leaf-1", 200, LinkOrder::RouteAround)});
  EXPECT_EQ(refusal(), "there is no such port");
}

TEST_F(Orders, ALinkThatBecomesTheLastWayIsUsedAgain) {
  bring_up("fat-tree:2,4");
  give({order("leaf-2", 3, LinkOrder::RouteAround)});
  EXPECT_EQ(routes_out_of("leaf-2", 3), 0u);
  box().world().cut(*box().world().find_cable(node("leaf-2"), 4));
  box().run_for(std::chrono::minutes(1));
  ASSERT_TRUE(box().run_until_quiet());
  EXPECT_GT(routes_out_of("leaf-2", 3), 0u);
  EXPECT_EQ(box().count<sm::LinkOrderRefused>(), 1u);
  box().world().restore(*box().world().find_cable(node("leaf-2"), 4));
  box().run_for(std::chrono::minutes(1));
  ASSERT_TRUE(box().run_until_quiet());
  EXPECT_EQ(routes_out_of("leaf-2", 3), 0u);
}

TEST_F(Orders, ADisabledPortThatRestartsIsSwitchedOffAgain) {
  bring_up("fat-tree:2,4");
  give({order("leaf-2", 3, LinkOrder::Disable)});
  box().world().reboot(node("leaf-2"), std::chrono::seconds(2));
  box().run_for(std::chrono::minutes(2));
  ASSERT_TRUE(box().run_until_quiet());
  EXPECT_EQ(info("leaf-2", 3).port_physical_state, mad::PortPhysicalState::Disabled);
  EXPECT_EQ(state("leaf-2", 4), mad::PortState::Active);
}

}  // namespace
}  // namespace heddle::test
