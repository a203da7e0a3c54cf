// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door on star:16, whose cables lose one MAD in a hundred: of a table of some
// ninety segments hardly one goes through untouched, and all must arrive whole all the same.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::Method;
using mad::SAAttributeId;

constexpr std::size_t kPorts = 17;  // of 16 hosts, and the switch's own
constexpr int kPatience = 40'000;   // a segment that is lost costs two seconds

class Losses : public testing::Test {
 protected:
  // The question itself may be lost, and is asked again then; a third time means more than that.
  Reply ask(SAAttributeId attribute) {
    const Question question{Method::GetTable, attribute, 0, Bytes(200), {}};
    for (int attempt = 1; attempt < 3; ++attempt) {
      if (auto reply = client_.ask(question, kPatience); reply.arrived) return reply;
    }
    return {};
  }

  SAClient client_{"mlx5_1"};
};

TEST_F(Losses, LeaveTablesWhole) {
  for (int i = 0; i < 4; ++i) {
    const auto reply = ask(SAAttributeId::PathRecord);
    ASSERT_TRUE(reply.ok()) << "table " << i;
    const auto paths = reply.records<mad::PathRecord>();
    ASSERT_EQ(paths.size(), kPorts * kPorts);
    // From each to each once.
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (const auto& path : paths) pairs.emplace(path.sgid.guid.value, path.dgid.guid.value);
    EXPECT_EQ(pairs.size(), paths.size());
  }
  EXPECT_EQ(ask(SAAttributeId::NodeRecord).records<mad::NodeRecord>().size(), kPorts);
}

}  // namespace
}  // namespace heddle::interop
