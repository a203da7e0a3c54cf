// SPDX-License-Identifier: BSD-3-Clause
#include "sa/alias_guids.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/guid_info_record.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/notice.hpp"
#include "mad/service_record.hpp"
#include "sa/registrations_text.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Guid;
using mad::GUIDInfoRecord;
using mad::Method;
using testing::ElementsAre;

constexpr std::uint64_t kNames =
    component<&GUIDInfoRecord::lid>() | component<&GUIDInfoRecord::block_num>();
// GUID0 to GUID7 follow LID, BlockNum and two reserved words.
constexpr std::uint64_t guid_bit(unsigned n) {
  return std::uint64_t{1} << (4 + n);
}
constexpr Guid kAlias{0x0014'0500'0000'0001};
constexpr Guid kOther{0x0014'0500'0000'0002};
constexpr mad::Gid kGroup{mad::GidPrefix{0xff12'0000'0000'0000}, Guid{0x77}};

class AliasGuidsTest : public testing::Test {
 protected:
  GUIDInfoRecord wish(std::size_t host, std::uint8_t block, unsigned n, Guid guid) {
    GUIDInfoRecord record;
    record.lid = stage_.lid(stage_.host(host));
    record.block_num = block;
    record.guid_info.guids[n] = guid;
    return record;
  }
  // What the server says at once; nothing while it waits for the device.
  Reply<GUIDInfoRecord> send(Method method, const GUIDInfoRecord& record, std::uint64_t mask,
                             std::size_t asker = 0, mad::SMKey key = {}) {
    return stage_.ask(Question{method, 0x30, 0, mask, key}, record, asker);
  }
  mad::Status offer(Guid guid, std::size_t host, std::uint64_t id = 7) {
    mad::ServiceRecord record;
    record.service_id = id;
    record.service_gid = gid(guid);
    record.service_p_key = mad::PKey{0xFFFF};
    const auto mask = component<&mad::ServiceRecord::service_id>() |
                      component<&mad::ServiceRecord::service_gid>() |
                      component<&mad::ServiceRecord::service_p_key>();
    return stage_.ask(Question{Method::Set, 0x31, 0, mask, {}}, record, host).status();
  }
  // The devices take everything, but what `spoil` does to it. The answer that waited.
  Reply<GUIDInfoRecord> let_write(const std::function<void(AliasOutcome&)>& spoil = {}) {
    std::vector<AliasOutcome> outcomes;
    for (const AliasWrite& write : stage_.server.take_alias_writes()) {
      outcomes.push_back({write.ticket, write.guids, false});
      if (spoil) spoil(outcomes.back());
    }
    stage_.server.on_aliases_written(stage_.now, outcomes);
    return read_reply<GUIDInfoRecord>(stage_.collect());
  }
  mad::Status give(Guid alias, std::size_t host = 0, unsigned n = 1) {
    EXPECT_FALSE(send(Method::Set, wish(host, 0, n, alias), kNames | guid_bit(n), host).came);
    return let_write().status();
  }
  mad::Gid gid(Guid guid) const { return {stage_.view.subnet().prefix, guid}; }
  Reply<mad::PathRecord> path_to(const mad::Gid& to) {
    mad::PathRecord wanted;
    wanted.sgid = stage_.view.gid(stage_.host(0));
    wanted.dgid = to;
    return stage_.get(component<&mad::PathRecord::sgid>() | component<&mad::PathRecord::dgid>(),
                      wanted);
  }

  Stage stage_{support::administered(support::ring(3, 2))};
};

TEST_F(AliasGuidsTest, StandWhenTheDeviceHasTakenThem) {
  EXPECT_FALSE(send(Method::Set, wish(0, 1, 2, kAlias), kNames | guid_bit(2)).came);
  EXPECT_EQ(path_to(gid(kAlias)).status(), mad::kSAReqInvalidGid);
  const auto writes = stage_.server.take_alias_writes();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].port, stage_.view.topology().port(stage_.host(0)).guid);
  EXPECT_EQ(writes[0].block, 1);
  EXPECT_EQ(writes[0].guids.guids[2], kAlias);
  const AliasOutcome taken{writes[0].ticket, writes[0].guids, false};
  stage_.server.on_aliases_written(stage_.now, std::span(&taken, 1));
  const auto reply = read_reply<GUIDInfoRecord>(stage_.collect());
  ASSERT_EQ(reply.status(), mad::kStatusOk);
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.header.mad.method, Method::GetResp);
  EXPECT_EQ(reply.records[0], wish(0, 1, 2, kAlias));
}

TEST_F(AliasGuidsTest, AreFoundLikeAnyOtherGuid) {
  ASSERT_EQ(give(kAlias, 3), mad::kStatusOk);
  const auto path = path_to(gid(kAlias));
  ASSERT_EQ(path.records.size(), 1u);
  EXPECT_EQ(path.records[0].dgid, gid(kAlias));
  EXPECT_EQ(path.records[0].dlid, stage_.lid(stage_.host(3)));

  const auto told = send(Method::GetTable, wish(3, 0, 1, kAlias),
                         component<&GUIDInfoRecord::lid>() | guid_bit(1));
  ASSERT_EQ(told.records.size(), 1u);
  EXPECT_EQ(told.records[0].block_num, 0);
  EXPECT_EQ(told.records[0].guid_info.guids[0], stage_.view.topology().port(stage_.host(3)).guid);

  mad::ServiceRecord service;
  service.service_id = 5;
  service.service_gid = gid(kAlias);
  const auto names =
      component<&mad::ServiceRecord::service_id>() | component<&mad::ServiceRecord::service_gid>();
  const Question question{Method::Set, 0x31, 0, names, {}};
  EXPECT_EQ(stage_.ask(question, service, 0).status(), mad::kSAReqDenied);
  EXPECT_EQ(stage_.ask(question, service, 3).status(), mad::kStatusOk);
}

TEST_F(AliasGuidsTest, AreThePortsOwnBusinessAndThatOfTheTrusted) {
  const auto record = wish(2, 0, 1, kAlias);
  EXPECT_EQ(send(Method::Set, record, kNames | guid_bit(1), 0).status(), mad::kSAReqDenied);
  EXPECT_FALSE(send(Method::Set, record, kNames | guid_bit(1), 0, kOurKey).came);
  EXPECT_EQ(let_write().status(), mad::kStatusOk);
  EXPECT_EQ(send(Method::Delete, record, kNames | guid_bit(1), 0).status(), mad::kSAReqDenied);
}

TEST_F(AliasGuidsTest, AreRefusedWhereTheTableHasNoRoom) {
  const auto set = [this](std::uint8_t block, unsigned n, std::uint64_t mask) {
    return send(Method::Set, wish(0, block, n, kAlias), mask).status();
  };
  EXPECT_EQ(set(0, 1, guid_bit(1)), mad::kSAReqInsufficientComponents);
  EXPECT_EQ(set(0, 1, kNames), mad::kSAReqInsufficientComponents);
  // Sixteen entries: block 2 is beyond.
  EXPECT_EQ(set(2, 0, kNames | guid_bit(0)), mad::kSAReqInvalid);
  EXPECT_EQ(set(255, 7, kNames | guid_bit(7)), mad::kSAReqInvalid);
  // The first one is the port's own.
  EXPECT_EQ(set(0, 0, kNames | guid_bit(0)), mad::kSAReqInvalid);
  EXPECT_EQ(send(Method::Delete, wish(0, 0, 0, {}), kNames | guid_bit(0)).status(),
            mad::kSAReqInvalid);
  auto nobody = wish(0, 0, 1, kAlias);
  nobody.lid = mad::Lid{999};
  EXPECT_EQ(send(Method::Set, nobody, kNames | guid_bit(1)).status(), mad::kSAReqInvalid);
  EXPECT_TRUE(stage_.server.take_alias_writes().empty());
}

TEST_F(AliasGuidsTest, AreNotGivenToTwo) {
  ASSERT_EQ(give(kAlias, 0), mad::kStatusOk);
  for (const Guid taken :
       {kAlias, stage_.view.topology().port(stage_.host(4)).guid, Guid{0xFFFF'FFFF'FFFF'FFFF}}) {
    const auto reply = send(Method::Set, wish(1, 0, 1, taken), kNames | guid_bit(1), 1);
    ASSERT_EQ(reply.records.size(), 1u);
    EXPECT_EQ(reply.records[0].guid_info.guids[1], Guid{});
  }
  // Nor is one that somebody else is about to get.
  EXPECT_FALSE(send(Method::Set, wish(0, 0, 2, kOther), kNames | guid_bit(2)).came);
  const auto late = send(Method::Set, wish(1, 0, 2, kOther), kNames | guid_bit(2), 1);
  ASSERT_EQ(late.records.size(), 1u);
  EXPECT_EQ(late.records[0].guid_info.guids[2], Guid{});
  // And not twice to one: the second of the two entries stays empty.
  let_write();
  auto twice = wish(2, 0, 1, Guid{0x99});
  twice.guid_info.guids[2] = Guid{0x99};
  EXPECT_FALSE(send(Method::Set, twice, kNames | guid_bit(1) | guid_bit(2), 2).came);
  EXPECT_EQ(let_write().records.at(0).guid_info.guids[2], Guid{});
}

TEST_F(AliasGuidsTest, AreMadeForWhoeverNamesNone) {
  std::set<std::uint64_t> seen;
  for (std::size_t host = 0; host < 6; ++host) {
    auto mask = kNames;
    for (unsigned n = 1; n < 8; ++n) mask |= guid_bit(n);
    EXPECT_FALSE(send(Method::Set, wish(host, 0, 1, {}), mask, host).came);
    const auto made = let_write();
    ASSERT_EQ(made.records.size(), 1u);
    for (unsigned n = 1; n < 8; ++n) {
      const std::uint64_t guid = made.records[0].guid_info.guids[n].value;
      EXPECT_EQ(guid >> 56, 0x02u);  // locally administered, of one port
      EXPECT_TRUE(seen.insert(guid).second);
      EXPECT_EQ(path_to(gid(Guid{guid})).records.size(), 1u);
    }
    // Asked again, the answer is the same, and no device has to be asked.
    EXPECT_EQ(send(Method::Set, wish(host, 0, 1, {}), mask, host).records, made.records);
  }
}

TEST_F(AliasGuidsTest, GoWhenTheyAreDeleted) {
  ASSERT_EQ(give(kAlias), mad::kStatusOk);
  EXPECT_FALSE(send(Method::Delete, wish(0, 0, 1, {}), kNames | guid_bit(1)).came);
  ASSERT_EQ(path_to(gid(kAlias)).records.size(), 1u);  // until the device has let it go
  const auto reply = let_write();
  ASSERT_EQ(reply.status(), mad::kStatusOk);
  EXPECT_EQ(reply.header.mad.method, mad::Method{0x95});
  EXPECT_EQ(path_to(gid(kAlias)).status(), mad::kSAReqInvalidGid);
  EXPECT_EQ(give(kAlias, 1), mad::kStatusOk);
}

// What was offered under an alias ends with it, or with its port; what has the port's own GUID
// stays as long as the port.
// As if it had no other GUIDs.
TEST_F(AliasGuidsTest, GiveAPortNoMoreServicesThanOthersMayHave) {
  sa::Trust trust;
  trust.services = 3;
  stage_.server.set_trust(trust);
  ASSERT_EQ(give(kAlias), mad::kStatusOk);
  ASSERT_EQ(give(kOther, 5), mad::kStatusOk);
  const Guid own = stage_.view.gid(stage_.host(0)).guid;
  ASSERT_EQ(offer(own, 0, 1), mad::kStatusOk);
  ASSERT_EQ(offer(kAlias, 0, 1), mad::kStatusOk);
  ASSERT_EQ(offer(kAlias, 0, 2), mad::kStatusOk);
  EXPECT_EQ(offer(kAlias, 0, 3), mad::kSANoResources);
  EXPECT_EQ(offer(own, 0, 2), mad::kSANoResources);
  EXPECT_EQ(offer(kAlias, 0, 2), mad::kStatusOk) << "it is there already";
  EXPECT_EQ(offer(kOther, 5, 1), mad::kStatusOk) << "another port's";
}

TEST_F(AliasGuidsTest, TakeTheirServicesWithThem) {
  const auto offered = [this] { return stage_.table<mad::ServiceRecord>().records.size(); };
  ASSERT_EQ(give(kAlias), mad::kStatusOk);
  ASSERT_EQ(give(kOther, 5), mad::kStatusOk);
  ASSERT_EQ(offer(kAlias, 0), mad::kStatusOk);
  ASSERT_EQ(offer(stage_.view.gid(stage_.host(0)).guid, 0), mad::kStatusOk);
  ASSERT_EQ(offer(kOther, 5), mad::kStatusOk);
  EXPECT_FALSE(send(Method::Delete, wish(0, 0, 1, {}), kNames | guid_bit(1)).came);
  EXPECT_EQ(offered(), 3u);
  let_write();
  EXPECT_EQ(offered(), 2u);
  auto smaller = support::ring(3, 2);
  smaller.links.pop_back();
  stage_.server.renew(stage_.now, std::make_shared<const View>(support::administered(smaller)));
  EXPECT_EQ(offered(), 1u);
}

TEST_F(AliasGuidsTest, StayWhileTheyAreInAGroup) {
  ASSERT_EQ(give(kAlias), mad::kStatusOk);
  mad::MCMemberRecord member;
  member.mgid = kGroup;
  member.port_gid = gid(kAlias);
  member.join_state = 1;
  member.p_key = mad::PKey{0xFFFF};
  using M = mad::MCMemberRecord;
  const auto mask = component<&M::mgid>() | component<&M::port_gid>() |
                    component<&M::join_state>() | component<&M::q_key>() | component<&M::p_key>() |
                    component<&M::t_class>() | component<&M::sl>() | component<&M::flow_label>();
  const auto joined = stage_.ask(Question{Method::Set, 0x38, 0, mask, {}}, member);
  ASSERT_EQ(joined.status(), mad::kStatusOk);
  EXPECT_EQ(joined.records[0].port_gid, gid(kAlias));
  const auto leave_out = [this] {
    return send(Method::Delete, wish(0, 0, 1, {}), kNames | guid_bit(1));
  };
  EXPECT_EQ(leave_out().status(), mad::kSAReqDenied);
  EXPECT_EQ(send(Method::Set, wish(0, 0, 1, kOther), kNames | guid_bit(1)).status(),
            mad::kSAReqDenied);
  const auto names =
      component<&M::mgid>() | component<&M::port_gid>() | component<&M::join_state>();
  EXPECT_EQ(stage_.ask(Question{Method::Delete, 0x38, 0, names, {}}, member).status(),
            mad::kStatusOk);
  EXPECT_FALSE(leave_out().came);
}

TEST_F(AliasGuidsTest, AreWhatTheDeviceSays) {
  EXPECT_FALSE(send(Method::Set, wish(0, 0, 1, kAlias), kNames | guid_bit(1)).came);
  const auto lied = let_write([](AliasOutcome& outcome) { outcome.held->guids[1] = Guid{}; });
  ASSERT_EQ(lied.records.size(), 1u);
  EXPECT_EQ(lied.records[0].guid_info.guids[1], Guid{});

  EXPECT_FALSE(send(Method::Set, wish(0, 0, 1, kAlias), kNames | guid_bit(1)).came);
  EXPECT_EQ(let_write([](AliasOutcome& outcome) { outcome.held.reset(); }).status(),
            mad::kStatusBusy);
  EXPECT_FALSE(send(Method::Set, wish(0, 0, 1, kAlias), kNames | guid_bit(1)).came);
  EXPECT_EQ(let_write([](AliasOutcome& outcome) {
              outcome.held.reset();
              outcome.refused = true;
            }).status(),
            mad::kSAReqInvalid);
  EXPECT_EQ(path_to(gid(kAlias)).status(), mad::kSAReqInvalidGid);
}

TEST_F(AliasGuidsTest, AreAskedForOneBlockAtATime) {
  EXPECT_FALSE(send(Method::Set, wish(0, 0, 1, kAlias), kNames | guid_bit(1)).came);
  // The same again is the same request; another one must wait.
  EXPECT_FALSE(send(Method::Set, wish(0, 0, 1, kAlias), kNames | guid_bit(1)).came);
  EXPECT_EQ(send(Method::Set, wish(0, 0, 2, kOther), kNames | guid_bit(2), 1, kOurKey).status(),
            mad::kStatusBusy);
  EXPECT_FALSE(send(Method::Set, wish(0, 1, 2, kOther), kNames | guid_bit(2), 1, kOurKey).came);
  EXPECT_EQ(stage_.server.take_alias_writes().size(), 2u);
}

TEST_F(AliasGuidsTest, AreToldOfAsGidsThatComeAndGo) {
  const auto renew = [this](const support::Recipe& recipe) {
    auto subnet = support::administered(recipe);
    subnet.managers.push_back({subnet.topology->endports()[0], {}});
    stage_.server.renew(stage_.now, std::make_shared<const View>(std::move(subnet)));
    stage_.let_pass({});
  };
  const auto traps = [this] {
    std::vector<unsigned> numbers;
    for (const auto& report : std::exchange(stage_.reports, {})) {
      const std::span<const std::byte> bytes(report.payload.data(), report.payload.size());
      const auto notice = mad::decode<mad::IssuedNotice>(bytes.subspan<56>().first<80>()).notice;
      const auto details = mad::decode_details(notice);
      const auto* about = std::get_if<mad::GidNotice>(&details);
      if (about != nullptr && about->gid == gid(kAlias)) numbers.push_back(notice.trap_number);
    }
    return numbers;
  };
  const auto whole = support::ring(3, 2);
  auto smaller = whole;
  smaller.links.pop_back();  // the last host's
  renew(whole);
  mad::InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.is_generic = info.subscribe = 1;
  info.type = kAnyType;
  info.trap_number = kAnyTrap;
  info.producer_type = kAnyProducer;
  const auto subscribe = [&] {
    return stage_.ask(Question{Method::Set, 0x03, 0, 0, {}}, info, 1).status();
  };
  ASSERT_EQ(subscribe(), mad::kStatusOk);
  ASSERT_EQ(give(kAlias, 5), mad::kStatusOk);
  EXPECT_THAT(traps(), ElementsAre(64));
  info.gid = gid(kAlias);
  EXPECT_EQ(subscribe(), mad::kStatusOk);
  renew(smaller);                             // its port leaves
  EXPECT_THAT(traps(), ElementsAre(65, 65));  // to both subscriptions
  renew(whole);
  EXPECT_THAT(traps(), ElementsAre(64, 64));
  EXPECT_FALSE(send(Method::Delete, wish(5, 0, 1, {}), kNames | guid_bit(1), 5).came);
  let_write();
  EXPECT_THAT(traps(), ElementsAre(65, 65));
}

// A port that is away cannot keep from others what it had.
TEST_F(AliasGuidsTest, MoveOnWhenTheirPortHasLeft) {
  ASSERT_EQ(give(kAlias, 5), mad::kStatusOk);
  auto smaller = support::ring(3, 2);
  smaller.links.pop_back();
  stage_.server.renew(stage_.now, std::make_shared<const View>(support::administered(smaller)));
  EXPECT_EQ(give(kAlias, 1), mad::kStatusOk);
  stage_.server.renew(stage_.now, stage_.shared_view);
  EXPECT_EQ(path_to(gid(kAlias)).records.at(0).dlid, stage_.lid(stage_.host(1)));
}

TEST_F(AliasGuidsTest, OutliveARestart) {
  ASSERT_EQ(give(kAlias), mad::kStatusOk);
  ASSERT_EQ(give(kOther, 2, 7), mad::kStatusOk);
  const std::string text = to_text(stage_.server.registrations(), stage_.now);
  auto restored = parse_registrations(text, stage_.now);
  ASSERT_TRUE(restored);
  EXPECT_EQ(to_text(*restored, stage_.now), text);
  stage_.server.close();
  stage_.server.restore(std::move(*restored));
  stage_.server.renew(stage_.now, stage_.shared_view);
  EXPECT_EQ(path_to(gid(kAlias)).records.at(0).dlid, stage_.lid(stage_.host(0)));
  EXPECT_EQ(path_to(gid(kOther)).records.at(0).dlid, stage_.lid(stage_.host(2)));
  for (const char* broken : {"alias 0x1 0 0x2", "alias 0x1 1 0x0", "alias 0x1 256 0x2",
                             "alias 0x1 1 0x2\nalias 0x3 1 0x2", "alias 0x1 1"}) {
    EXPECT_FALSE(parse_registrations("heddle registrations 1\n" + std::string(broken) + "\nend\n",
                                     stage_.now));
  }
}

TEST(AliasGuids, BelongToOneEntryAtATime) {
  AliasGuids aliases;
  aliases.set(Guid{1}, 3, kAlias);
  aliases.set(Guid{1}, 9, kOther);
  aliases.set(Guid{2}, 1, kAlias);  // moves
  EXPECT_EQ(aliases.at(Guid{1}, 3), Guid{});
  EXPECT_EQ(aliases.owner(kAlias), Guid{2});
  EXPECT_EQ(aliases.size(), 2u);
  EXPECT_EQ(aliases.block(Guid{1}, 1).guids[1], kOther);
  EXPECT_EQ(aliases.block(Guid{1}, 0).guids[0], Guid{1});
  aliases.set(Guid{2}, 1, {});
  aliases.set(Guid{1}, 9, {});
  EXPECT_TRUE(aliases.empty());
  EXPECT_TRUE(aliases.all().empty());
}

// Readers on other threads keep what they were given, whatever is written afterwards. Judged by a
// plain map.
TEST(AliasGuids, AreSharedAsTheyWere) {
  AliasGuids aliases;
  std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t> model;
  std::vector<std::pair<std::shared_ptr<const AliasGuids>, decltype(model)>> given;
  base::Prng prng(8);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t port = 1 + prng.below(2'000);
    const auto entry = static_cast<std::size_t>(1 + prng.below(9));
    const std::uint64_t alias = prng.below(3) == 0 ? 0 : 100'000 + prng.below(9'000);
    aliases.set(Guid{port}, entry, Guid{alias});
    if (alias != 0) std::erase_if(model, [&](const auto& each) { return each.second == alias; });
    model.erase({port, entry});
    if (alias != 0) model[{port, entry}] = alias;
    if (i % 2'000 == 0) given.emplace_back(aliases.share(), model);
  }
  given.emplace_back(aliases.share(), model);
  for (const auto& [table, then] : given) {
    EXPECT_EQ(table->size(), then.size());
    std::size_t found = 0;
    std::uint64_t last = 0;
    for (const auto& [port, entries] : table->all()) {
      EXPECT_LT(last, port.value);
      last = port.value;
      EXPECT_EQ(table->find(port), entries);
      ASSERT_NE(entries->back(), Guid{});
      for (std::size_t entry = 0; entry < entries->size(); ++entry) {
        if ((*entries)[entry] == Guid{}) continue;
        ++found;
        const auto expected = then.find({port.value, entry});
        ASSERT_NE(expected, then.end());
        EXPECT_EQ((*entries)[entry].value, expected->second);
        EXPECT_EQ(table->owner((*entries)[entry]), port);
      }
    }
    EXPECT_EQ(found, then.size());
  }
}

}  // namespace
}  // namespace heddle::sa
