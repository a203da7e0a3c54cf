// SPDX-License-Identifier: BSD-3-Clause
#include "api/access.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kFile =
    "# who may\n"
    "read  grafana  0123456789abcdef0123\n"
    "\n"
    "write\tops\tfedcba9876543210fedc # for the night shift\n";

TEST(Tokens, GiveTheRoleThatTheirLineSays) {
  const auto tokens = Tokens::parse(kFile, "tokens");
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_EQ(tokens->caller("Bearer 0123456789abcdef0123").role, Role::Reader);
  const Caller ops = tokens->caller("Bearer fedcba9876543210fedc");
  EXPECT_EQ(ops.role, Role::Writer);
  EXPECT_EQ(ops.name, "token ops");
}

TEST(Tokens, NothingElseOpens) {
  const auto tokens = Tokens::parse(kFile, "tokens");
  ASSERT_TRUE(tokens);
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Bearer x", "0123456789abcdef0123", "Basic", "Basic ", "Basic x",
        "Basic Og==", "Basic b3BzOg==", "Basic b3BzOm9wcw==", "Basic ====",
        "Bearer 0123456789abcdef012", "Bearer 0123456789abcdef01230", "Bearer ops", "Bearer #"}) {
    EXPECT_EQ(tokens->caller(wrong).role, Role::Nobody) << wrong;
  }
}

TEST(Tokens, HoldWhatBeginsACommentElsewhere) {
  const auto tokens = Tokens::parse(
      "#nobody\nwrite ops fedcba9876543210#dc #0123456789abcdef\nread a#b 0123456789abcdef#", "t");
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_EQ(tokens->caller("Bearer fedcba9876543210#dc").role, Role::Writer);
  EXPECT_EQ(tokens->caller("Bearer fedcba9876543210").role, Role::Nobody) << "the token, cut";
  EXPECT_EQ(tokens->caller("Bearer 0123456789abcdef#").name, "token a#b");
}

// Clients of UFM know no other way: "admin:fedcba9876543210fedc", or a token alone.
TEST(Tokens, MayStandForThePasswordOfBasicAuthentication) {
  const auto tokens = Tokens::parse(kFile, "tokens");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->caller("Basic YWRtaW46ZmVkY2JhOTg3NjU0MzIxMGZlZGM=").name, "token ops");
  EXPECT_EQ(tokens->caller("Basic 0123456789abcdef0123").name, "token grafana");
  EXPECT_EQ(tokens->caller("Basic ZmVkY2JhOTg3NjU0MzIxMGZlZGM6YWRtaW4=").role, Role::Nobody)
      << "the token as user";
}

TEST(Tokens, AWrongLineIsNamedAndItsTokenIsNot) {
  for (const std::string line :
       {"read short tooshorttoken", "admin ops secretsecretsecret", "read secretsecretsecret"}) {
    const auto tokens = Tokens::parse("# one\n" + line + "\n", "the file");
    ASSERT_FALSE(tokens) << line;
    EXPECT_THAT(tokens.error().message, HasSubstr("the file:2: "));
    EXPECT_THAT(tokens.error().message, Not(HasSubstr("secret")));
    EXPECT_THAT(tokens.error().message, Not(HasSubstr("tooshort")));
  }
  EXPECT_FALSE(Tokens::parse("# nobody\n", "empty"));
}

TEST(Loopback, IsWhatNamesThisMachine) {
  for (const char* host :
       {"localhost", "localhost:9315", "127.0.0.1:9315", "127.8.9.10", "[::1]:9315"}) {
    EXPECT_TRUE(names_loopback(host)) << host;
  }
  for (const char* host :
       {"", "evil.example", "evil.example:9315", "localhost.evil.example", "127.evil.example:9315",
        "127.0.0.1.evil.example", "127.", "127.0.0", "10.0.0.1", "[::2]", "["}) {
    EXPECT_FALSE(names_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace heddle::api
