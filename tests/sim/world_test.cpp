// SPDX-License-Identifier: BSD-3-Clause
#include "sim/world.hpp"

#include <gtest/gtest.h>

#include "mad/node_info.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {
namespace {

TEST(World, AHostAsksItsOwnPort) {
  World world(generate_fabric("pair").value(), {});
  const EndpointId host = *world.find_endpoint("host-0001");
  mad::Smp smp;
  smp.attribute_id = mad::AttributeId::NodeInfo;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  world.send(host, mad::make_datagram({}, smp), {});
  world.advance({});
  const auto got = world.take_deliveries();
  ASSERT_EQ(got.size(), 1u);
  const auto answer = mad::decode_smp(got[0].datagram.payload);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->method, mad::Method::GetResp);
  EXPECT_EQ(answer->status, mad::kStatusOk);
  EXPECT_TRUE(answer->direction);
  const auto info = mad::decode<mad::NodeInfo>(answer->data);
  EXPECT_EQ(info.port_guid, world.port_guid(host));
  EXPECT_EQ(info.local_port_num.value, 1);
}

}  // namespace
}  // namespace heddle::sim
