// SPDX-License-Identifier: BSD-3-Clause
// The dashboard's files, and what it asks beyond rows. How it works is seen in a browser
// (tests/app/dashboard.py).
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/atlas.hpp"
#include "tests/api/stage.hpp"

namespace heddle::test {
namespace {
class StubAtlas final : public api::Atlas {
 public:
  api::Response picture(const api::State&) override { return api::under_way(); }
  api::Response load(const api::State&) override { return api::refusal(404, "none"); }
  api::Response what_if(const api::State&, const api::LossQuestion& question) override {
    asked = question;
    return api::under_way();
  }
  api::LossQuestion asked;
};

TEST(Dashboard, ItsFilesAreForEverybodyAndHoldAllThatTheyName) {
  const api::State nothing;
  const auto ask = [&](const std::string& target) {
    return api::handle({"GET", target, {}, {}, api::Role::Nobody}, nothing);
  };
  const auto index = ask("/");
  EXPECT_EQ(index.status, 200u);
  EXPECT_EQ(index.type, "text/html; charset=utf-8");
  std::set<std::string> seen, named{"/ui/dashboard.js"};
  for (std::size_t at = index.body.find("/ui/"); at != std::string::npos;
       at = index.body.find("/ui/", at + 1)) {
    named.insert(index.body.substr(at, index.body.find('"', at) - at));
  }
  EXPECT_THAT(named, testing::Contains("/ui/report.css"));
  while (seen != named) {
    for (const std::string& file : std::set(named)) {
      if (!seen.insert(file).second) continue;
      const auto answer = ask(file);
      ASSERT_EQ(answer.status, 200u) << file;
      for (std::size_t at = answer.body.find("from \"./"); at != std::string::npos;
           at = answer.body.find("from \"./", at + 1)) {
        const std::size_t begin = at + 8;
        named.insert("/ui/" + answer.body.substr(begin, answer.body.find('"', begin) - begin));
      }
    }
  }
  EXPECT_GT(named.size(), 12u);
  EXPECT_EQ(ask("/ui/passwd").status, 404u);
  EXPECT_EQ(ask("/ui/..%2Fapi").status, 404u);
  EXPECT_EQ(ask("/v1/picture").status, 401u);
}

TEST(Dashboard, AsksItsAtlasOnceThereIsAFabric) {
  api::State early;
  early.atlas = std::make_shared<StubAtlas>();
  EXPECT_EQ(api::handle({"GET", "/v1/picture", {}, {}, api::Role::Reader}, early).status, 503u);
  ApiStage stage("pair");
  EXPECT_EQ(stage.ask("/v1/picture").status, 404u) << "nobody draws";
  const auto atlas = std::make_shared<StubAtlas>();
  stage.state().atlas = atlas;
  EXPECT_EQ(stage.ask("/v1/picture").status, 202u);
  EXPECT_EQ(stage.ask("/v1/what-if").status, 400u);
  EXPECT_EQ(stage.ask("/v1/what-if?cut=host-0001:1&from=host-0001").status, 400u);
  EXPECT_EQ(stage.ask("/v1/what-if?cut=host-0001:1&from=host-0001&to=2").status, 202u);
  EXPECT_EQ(atlas->asked.cut, "host-0001:1");
  EXPECT_EQ(atlas->asked.from, "host-0001");
  EXPECT_EQ(atlas->asked.to, "2");
}

}  // namespace
}  // namespace heddle::test
