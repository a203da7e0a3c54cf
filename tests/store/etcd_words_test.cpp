// SPDX-License-Identifier: BSD-3-Clause
// Against what etcd 3.4.23's gateway said.
#include "store/etcd_words.hpp"

#include <gtest/gtest.h>

namespace heddle::store {
namespace {

constexpr std::string_view kHeader =
    R"("header":{"cluster_id":"12419417797570985050","member_id":"1520713267247070721",)"
    R"("revision":"2","raft_term":"2"})";

std::string said(std::string_view rest) {
  return "{" + std::string(kHeader) + std::string(rest) + "}";
}

TEST(EtcdWords, QuestionsLookLikeThis) {
  const auto read = to_etcd(Read{{"foo", "fop"}});
  EXPECT_EQ(read.path, "/v3/kv/range");
  EXPECT_EQ(read.body, R"({"key":"Zm9v","range_end":"Zm9w"})");
  const auto commit = to_etcd(Commit{{{"foo", 0}}, {{"foo", "a\n", 7}, {"b", {}}}, {"f", "g"}});
  EXPECT_EQ(commit.path, "/v3/kv/txn");
  EXPECT_EQ(commit.body,
            R"({"compare":[{"key":"Zm9v","mod_revision":"0","result":"EQUAL","target":"MOD"}],)"
            R"("failure":[{"request_range":{"key":"Zg==","range_end":"Zw=="}}],)"
            R"("success":[{"request_put":{"key":"Zm9v","lease":"7","value":"YQo="}},)"
            R"({"request_delete_range":{"key":"Yg=="}}]})");
  EXPECT_EQ(to_etcd(Grant{5}).body, R"({"TTL":"5"})");
  EXPECT_EQ(to_etcd(Renew{7}).body, R"({"ID":"7"})");
  EXPECT_EQ(etcd_watch({"foo", "fop"}, 3).body,
            R"({"create_request":{"key":"Zm9v","range_end":"Zm9w","start_revision":"3"}})");
  EXPECT_EQ(etcd_login("me", "secret").body, R"({"name":"me","password":"secret"})");
}

TEST(EtcdWords, AnswersAreUnderstood) {
  const auto all = from_etcd(
      Read{}, 200,
      said(R"(,"kvs":[{"key":"Zm9v","create_revision":"2","mod_revision":"2","version":"1",)"
           R"("value":"YmFy"}],"count":"1")"));
  ASSERT_TRUE(std::holds_alternative<Entries>(all));
  EXPECT_EQ(std::get<Entries>(all).revision, 2);
  EXPECT_EQ(std::get<Entries>(all).entries, (std::vector<Entry>{{"foo", "bar", 2}}));
  const auto done =
      from_etcd(Commit{}, 200, said(R"(,"succeeded":true,"responses":[{"response_put":{}}])"));
  EXPECT_TRUE(std::get<Committed>(done).done);
  EXPECT_EQ(std::get<Committed>(done).revision, 2);
  const auto refused = from_etcd(
      Commit{}, 200,
      said(R"(,"responses":[{"response_range":{"header":{"revision":"2"},"kvs":[{"key":"Zm9v",)"
           R"("create_revision":"2","mod_revision":"2","version":"1","value":"YmFy"}]}}])"));
  EXPECT_FALSE(std::get<Committed>(refused).done);
  EXPECT_EQ(std::get<Committed>(refused).instead, (std::vector<Entry>{{"foo", "bar", 2}}));
  const auto lease = from_etcd(Grant{5}, 200, said(R"(,"ID":"4468030450648753416","TTL":"5")"));
  EXPECT_EQ(std::get<Lease>(lease).id, 4468030450648753416);
  EXPECT_EQ(std::get<Lease>(lease).seconds, 5);
  const auto ended = from_etcd(Renew{12345}, 200, "{\"result\":" + said(R"(,"ID":"12345")") + "}");
  EXPECT_EQ(std::get<Lease>(ended).seconds, 0);
}

TEST(EtcdWords, ARefusalIsNoAnswer) {
  const auto refused = from_etcd(
      Read{}, 400, R"({"error":"invalid character","message":"invalid character","code":3})");
  ASSERT_TRUE(std::holds_alternative<NoAnswer>(refused));
  EXPECT_EQ(std::get<NoAnswer>(refused).why, "invalid character");
  EXPECT_TRUE(std::holds_alternative<NoAnswer>(from_etcd(Read{}, 200, "[1,")));
  EXPECT_TRUE(std::holds_alternative<NoAnswer>(from_etcd(Read{}, 502, "")));
  EXPECT_TRUE(etcd_wants_login(401, R"({"error":"etcdserver: invalid auth token","code":16})"));
  EXPECT_FALSE(etcd_wants_login(503, R"({"error":"etcdserver: no leader","code":14})"));
}

TEST(EtcdWords, AWatchComesInAnyPieces) {
  const std::string told =
      "{\"result\":" + said(R"(,"created":true)") + "}\n{\"result\":" +
      said(R"(,"events":[{"kv":{"key":"Zm9v","create_revision":"2","mod_revision":"3",)"
           R"("value":"YmFy"}},{"type":"DELETE","kv":{"key":"YQ==","mod_revision":"4"}}])") +
      "}\n";
  for (std::size_t size = 1; size <= told.size(); ++size) {
    EtcdWatchReader reader;
    std::vector<Changed> heard;
    for (std::size_t at = 0; at < told.size(); at += size) {
      const auto changes = reader.feed(std::string_view(told).substr(at, size));
      ASSERT_TRUE(changes);
      heard.insert(heard.end(), changes->begin(), changes->end());
    }
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0].key + *heard[0].value, "foobar");
    EXPECT_EQ(heard[0].revision, 3);
    EXPECT_EQ(heard[1].key, "a");
    EXPECT_FALSE(heard[1].value);
  }
}

TEST(EtcdWords, AWatchThatEndsSaysWhy) {
  const auto why = [](std::string_view line) {
    const auto heard = EtcdWatchReader().feed(line);
    return heard ? "" : heard.error().message;
  };
  EXPECT_EQ(why("{\"result\":{\"canceled\":true,\"cancel_reason\":\"compacted\"}}\n"), "compacted");
  EXPECT_EQ(why("{\"error\":{\"grpc_code\":14,\"message\":\"no leader\"}}\n"), "no leader");
  EXPECT_NE(why("no json\n"), "");
}

}  // namespace
}  // namespace heddle::store
