// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door by virtual_ports.py, on three hosts of star:5 with two virtual ports
// each that share their port's LID; `heddle sm` on the first, and a policy that puts the first
// virtual ports of the other two into partition 1 and the second ones into partition 2.
#include <gtest/gtest.h>

#include "mad/component_mask.hpp"
#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Method;
using mad::PathRecord;
using mad::SAAttributeId;

constexpr mad::SMKey kOurKey{1};  // the one everybody knows: the default of the configuration
constexpr auto kEnds = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
constexpr mad::PKey kRed{0x8001}, kBlue{0x8002};

// Of the host with the device `on`. Only one program of a host can listen to reports.
class Guest : public SAClient {
 public:
  Guest(const char* on, unsigned number) : SAClient(on, false) {
    speak_for(number, SAClient("mlx5_0").gid());
  }
  Reply path(const mad::Gid& to) {
    PathRecord wanted;
    wanted.sgid = gid();
    wanted.dgid = to;
    return ask({Method::Get, SAAttributeId::PathRecord, kEnds, bytes_of(wanted), {}});
  }
  Reply member(Method method, const mad::Gid& mgid, mad::PKey key, std::uint64_t mask) {
    MCMemberRecord record;
    record.mgid = mgid;
    record.port_gid = gid();
    record.join_state = 1;
    record.p_key = key;
    return ask({method, SAAttributeId::MCMemberRecord, mask, bytes_of(record), {}});
  }
};

TEST(VirtualPorts, GetPathsThroughTheirOwnPartitions) {
  SAClient host("mlx5_1");
  Guest red("mlx5_1", 1), blue("mlx5_1", 2), other_red("mlx5_2", 1), other_blue("mlx5_2", 2);
  ASSERT_NE(red.gid().guid, host.gid().guid);
  ASSERT_NE(red.gid().guid, blue.gid().guid);
  const auto way = red.path(other_red.gid());
  ASSERT_TRUE(way.ok());
  const auto path = way.record<PathRecord>();
  EXPECT_EQ(path.p_key, kRed);
  EXPECT_EQ(path.dlid.value, other_red.lid());
  EXPECT_EQ(path.sgid, red.gid());
  EXPECT_EQ(path.dgid, other_red.gid());
  EXPECT_EQ(path.hop_limit, 2) << "without a GRH nobody finds it";
  EXPECT_EQ(blue.path(other_blue.gid()).record<PathRecord>().p_key, kBlue);
  EXPECT_FALSE(red.path(other_blue.gid()).ok());
  EXPECT_FALSE(red.path(blue.gid()).ok()) << "on one host all the same";
  EXPECT_FALSE(red.path(host.gid()).ok()) << "its host has no key of the partition";
}

TEST(VirtualPorts, JoinGroupsEachForItself) {
  SAClient host("mlx5_1");
  Guest red("mlx5_1", 1), blue("mlx5_1", 2);
  const mad::Gid mgid = gid_of("ff12:dead::5");
  const auto made = red.member(Method::Set, mgid, kRed, kCreationMask);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.record<MCMemberRecord>().port_gid, red.gid());
  EXPECT_FALSE(blue.member(Method::Set, mgid, kBlue, kMemberMask).ok()) << "not its partition";
  EXPECT_EQ(blue.member(Method::Set, gid_of("ff12:dead::6"), kRed, kCreationMask).status(),
            mad::kSAReqInvalid);
  const auto told = [&] {
    MCMemberRecord record;
    record.mgid = mgid;
    return host
        .ask({Method::GetTable, SAAttributeId::MCMemberRecord, component<&MCMemberRecord::mgid>(),
              bytes_of(record), kOurKey})
        .records<MCMemberRecord>();
  };
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].port_gid, red.gid());
  EXPECT_TRUE(red.member(Method::Delete, mgid, kRed, kMemberMask).ok());
  EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace heddle::interop
