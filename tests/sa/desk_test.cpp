// SPDX-License-Identifier: BSD-3-Clause
// A desk says what the server would have said, or leaves it to the server.
#include "sa/desk.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Method;
using mad::PathRecord;

constexpr auto kEnds = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();

class DeskTest : public testing::Test {
 protected:
  DeskTest() { desk_.open(stage_.shared_view, kOurKey); }

  template <mad::Described T>
  mad::Datagram query(Method method, std::uint64_t mask, const T& record, mad::SMKey key = {}) {
    return make_query({method, kAttributeOf<T>, 0, mask, key}, record, stage_.lid(stage_.host(0)));
  }
  PathRecord between(std::size_t from, std::size_t to) {
    PathRecord path;
    path.sgid = stage_.view.gid(stage_.host(from));
    path.dgid = stage_.view.gid(stage_.host(to));
    return path;
  }
  bool leaves(const mad::Datagram& request) {
    std::optional<mad::Datagram> reply;
    return !desk_.take(stage_.now, request, reply) && !reply;
  }
  // Both must say the same, to the last byte.
  void expect_same(const mad::Datagram& request) {
    std::optional<mad::Datagram> reply;
    ASSERT_TRUE(desk_.take(stage_.now, request, reply));
    EXPECT_EQ(reply, stage_.send(request));
  }

  Stage stage_{support::administered(support::xgft({3, 4}, {1, 2}))};
  Desk desk_;
};

TEST_F(DeskTest, AnswersAsTheServerDoes) {
  expect_same(query(Method::Get, kEnds, between(0, 9)));
  expect_same(query(Method::Get, kEnds, between(3, 3)));
  PathRecord nobody = between(0, 1);
  nobody.dgid.guid = mad::Guid{12345};
  expect_same(query(Method::Get, kEnds, nobody));
  mad::NodeRecord node;
  node.lid = stage_.lid(stage_.host(4));
  expect_same(query(Method::Get, component<&mad::NodeRecord::lid>(), node));
  expect_same(query(Method::Get, 0, mad::NodeRecord{}));  // more than one
  expect_same(query(Method::Get, 0, mad::ClassPortInfo{}));
  mad::PortInfoRecord port;
  port.endport_lid = node.lid;
  for (const mad::SMKey key : {mad::SMKey{}, kOurKey}) {
    expect_same(query(Method::Get, component<&mad::PortInfoRecord::endport_lid>(), port, key));
  }
  auto of_another_version = query(Method::Get, kEnds, between(0, 9));
  of_another_version.payload[2] = std::byte{1};
  expect_same(of_another_version);
}

TEST_F(DeskTest, AnswersNobodyWhoTriesKeys) {
  const auto request = query(Method::Get, kEnds, between(0, 9), mad::SMKey{77});
  std::optional<mad::Datagram> reply;
  ASSERT_TRUE(desk_.take(stage_.now, request, reply));
  EXPECT_FALSE(reply);
  EXPECT_FALSE(stage_.send(request));
}

TEST_F(DeskTest, LeavesToTheServerWhatChangesOrTakesLongOrIsNotInTheView) {
  EXPECT_TRUE(leaves(query(Method::GetTable, kEnds, between(0, 9))));
  EXPECT_TRUE(leaves(query(Method::Get, component<&PathRecord::sgid>(), between(0, 9))))
      << "a path to anybody";
  PathRecord group = between(0, 9);
  group.dgid = {mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}};
  EXPECT_TRUE(leaves(query(Method::Get, kEnds, group)));
  EXPECT_TRUE(leaves(query(Method::Get, 0, mad::MCMemberRecord{})));
  EXPECT_TRUE(leaves(query(Method::Get, 0, mad::ServiceRecord{})));
  for (const Method method : {Method::Set, Method::Delete}) {
    EXPECT_TRUE(leaves(query(method, 0, mad::GUIDInfoRecord{})));
    EXPECT_TRUE(leaves(query(method, 0, mad::MCMemberRecord{})));
  }
  EXPECT_TRUE(leaves(query(Method::Set, 0, mad::InformInfo{})));
}

TEST_F(DeskTest, LeavesToTheServerWhatIsNoWholeRequestOfTheClass) {
  auto request = query(Method::Get, kEnds, between(0, 9));
  auto shortened = request;
  shortened.payload.resize(mad::kSAHeaderBytes - 1);
  EXPECT_TRUE(leaves(shortened));
  auto longer = request;
  longer.payload.resize(mad::kMadBytes + 1);
  EXPECT_TRUE(leaves(longer));
  for (const int other : {0x01, 0x81, 0x04, 0x00, 0xFF}) {
    request.payload[1] = static_cast<std::byte>(other);
    EXPECT_TRUE(leaves(request)) << other;
  }
}

TEST_F(DeskTest, IsClosedWithoutAView) {
  Desk closed;
  std::optional<mad::Datagram> reply;
  EXPECT_FALSE(closed.take({}, query(Method::Get, kEnds, between(0, 9)), reply));
  EXPECT_EQ(desk_.open(nullptr, kOurKey), stage_.shared_view);
  EXPECT_TRUE(leaves(query(Method::Get, kEnds, between(0, 9))));
}

TEST_F(DeskTest, PutsOffWhoAsksTooMuchAndTellsOfIt) {
  const auto request = query(Method::Get, kEnds, between(0, 9));
  const auto status = [&] {
    std::optional<mad::Datagram> reply;
    EXPECT_TRUE(desk_.take(stage_.now, request, reply));
    return read_reply<PathRecord>(reply).status();
  };
  for (std::size_t i = 0; i < kCalmRequests; ++i) ASSERT_EQ(status(), mad::kStatusOk);
  EXPECT_EQ(status(), mad::kStatusBusy);
  const auto talkers = desk_.take_talkers();
  const Talkers::Talker loud{stage_.lid(stage_.host(0)), kCalmRequests + 1, 1};
  ASSERT_EQ(talkers, std::vector{loud});
  EXPECT_TRUE(desk_.take_talkers().empty());
  // The server tells of them as of its own.
  stage_.server.add_talkers(talkers);
  const auto statistics = stage_.server.take_statistics();
  EXPECT_EQ(statistics.requests, kCalmRequests + 1);
  EXPECT_EQ(statistics.put_off, 1u);
  EXPECT_EQ(statistics.top, std::vector{loud});
}

}  // namespace
}  // namespace heddle::sa
