// SPDX-License-Identifier: BSD-3-Clause
#include "sm/devices.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

constexpr ObservedIndex kSwitch{0}, kHost{1}, kOther{2};
constexpr ObservedEnd kAtSwitch{kSwitch, {0}}, kAtHost{kHost, {2}}, kAtOther{kOther, {1}};
constexpr DeviceId kFirst{4}, kSecond{7}, kThird{5}, kNobodys{6};

Devices three() {
  Devices devices;
  devices.make_room(kSwitch, 1);
  devices.make_room(kHost, 3);
  devices.make_room(kOther, 2);
  devices.place(kAtSwitch, kFirst);
  devices.place(kAtHost, kSecond);
  devices.place(kAtOther, kThird);
  return devices;
}

TEST(Devices, AreFoundByTheirPortsAndPortsByThem) {
  const Devices devices = three();
  EXPECT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices.at(kHost, 2), kSecond);
  EXPECT_EQ(devices.at(kHost, 1), std::nullopt);
  EXPECT_EQ(devices.at(kHost, 3), std::nullopt) << "it has no such port";
  EXPECT_EQ(devices.of(kOther).size(), 2u);
  EXPECT_EQ(devices.end_of(kFirst), kAtSwitch);
  EXPECT_EQ(devices.end_of(kSecond), kAtHost);
  EXPECT_EQ(devices.end_of(kNobodys), std::nullopt);
  EXPECT_EQ(devices.end_of(DeviceId{100}), std::nullopt);
}

TEST(Devices, GiveWayToWhoIsReachedThereNow) {
  Devices devices = three();
  devices.place(kAtHost, kNobodys);
  EXPECT_EQ(devices.at(kHost, 2), kNobodys);
  EXPECT_EQ(devices.end_of(kNobodys), kAtHost);
  EXPECT_EQ(devices.end_of(kSecond), std::nullopt);
  devices.place(kAtHost, kNobodys);
  EXPECT_EQ(devices.end_of(kNobodys), kAtHost) << "it still stands there";
}

TEST(Devices, MoveWithTheirNodesAndLeaveWithThem) {
  Devices devices = three();
  const std::vector<std::optional<ObservedIndex>> moved{ObservedIndex{0}, std::nullopt,
                                                        ObservedIndex{1}};
  devices.keep_only(moved);
  EXPECT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices.at({1}, 1), kThird);
  EXPECT_EQ(devices.end_of(kFirst), kAtSwitch);
  EXPECT_EQ(devices.end_of(kSecond), std::nullopt);
  EXPECT_EQ(devices.end_of(kThird), (ObservedEnd{{1}, {1}}));
}

}  // namespace
}  // namespace heddle::sm
