// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan ... live`: the fabric of a subnet manager that runs, with its options and tables.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PlanLive : public testing::Test {
 protected:
  PlanLive()
      : socket_((folder_.path() / "api").string()),
        dumps_(folder_.path().string()),
        manager_({"sm", "--sim", "fat-tree:4,6,vls=2", "--dump-dir", dumps_, "--config",
                  write_file(folder_.path() / "heddle.toml",
                             "[api]\nsocket = '" + socket_ +
                                 "'\n[lids]\nlmc = 1\n[routing]\nengines = ['minhop']\n"
                                 "scatter_ports = 8\nmax_vls = 4\n")}) {}

  // Until it is up.
  void SetUp() override {
    for (int i = 0; i < 300; ++i) {
      if (heddle({"status", "--socket", socket_}).exit == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    FAIL() << manager_.err();
  }

  Outcome plan(std::vector<std::string> words) const {
    words.insert(words.begin(), "plan");
    words.insert(words.begin() + 2, "live:" + socket_);
    return heddle(words);
  }

  test::Folder folder_;
  std::string socket_, dumps_;
  Process manager_;
};

TEST_F(PlanLive, RoutesAsTheSubnetManagerDoesAndJudgesWhatStands) {
  const Outcome outcome = plan({"route", "--metrics", "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["lids"], 2 * 24 + 10) << "its LMC is 1";
  const json& engines = report["engines"];
  ASSERT_EQ(engines.size(), 2u);
  EXPECT_EQ(engines[0]["engine"], "standing");
  EXPECT_EQ(engines[1]["engine"], "minhop");
  EXPECT_TRUE(engines[0]["certified"]);
  for (const char* key : {"max_load", "mean_load", "ebb", "shift_worst", "hops"}) {
    EXPECT_EQ(engines[0][key], engines[1][key]) << key;
  }
  const Outcome other = plan({"route", "--routing", "ftree", "--metrics", "-o", "json"});
  const json compared = json::parse(other.out)["engines"];
  EXPECT_EQ(compared[0]["max_load"], engines[0]["max_load"]);
  EXPECT_EQ(compared[1]["engine"], "ftree");
  EXPECT_NE(compared[1]["max_load"], compared[0]["max_load"]) << "scattered ports are worse";
}

TEST_F(PlanLive, WhatIsPlannedIsWhatItWrote) {
  const Outcome lft = plan({"export", "--format", "lft"});
  ASSERT_EQ(lft.exit, 0) << lft.err;
  EXPECT_EQ(lft.err, "") << "nothing that stands is different";
  EXPECT_EQ(lft.out, content(folder_.path() / "opensm-lfts.dump"));
}

TEST_F(PlanLive, WhatIfAndReportTakeItsPicture) {
  const Outcome what_if = plan({"what-if", "--cut", "leaf-1:5", "-o", "json"});
  ASSERT_EQ(what_if.exit, 0) << what_if.err;
  const json answer = json::parse(what_if.out);
  EXPECT_EQ(answer["engine"], "minhop");
  EXPECT_GT(answer["cases"][0]["entries"].get<int>(), 0);
  EXPECT_TRUE(answer["warnings"].empty());
  const auto page = (folder_.path() / "page.html").string();
  ASSERT_EQ(plan({"report", "-o", page}).exit, 0);
  EXPECT_THAT(content(page), HasSubstr("\"name\":\"minhop\""));
}

TEST_F(PlanLive, CheckKnowsWhatSwitchesHold) {
  const Outcome outcome = plan({"check"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 data VLs are on every switch"));
  EXPECT_THAT(outcome.out, HasSubstr("58 LIDs are needed with LMC 1"));
  EXPECT_THAT(outcome.out, HasSubstr("multicast LIDs fit in every switch"));
}

TEST_F(PlanLive, AnotherLmcIsAnotherFabric) {
  const Outcome outcome = plan({"route", "--lmc", "0", "-o", "json"});
  EXPECT_EQ(json::parse(outcome.out)["engines"].size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("holds LIDs with LMC 1, and this is planned with LMC 0"));
  EXPECT_THAT(outcome.err, HasSubstr("what stands in it is not judged"));
}

TEST(PlanLiveNobody, IsAnError) {
  const Outcome outcome = heddle({"plan", "route", "live:/nonexistent/socket"});
  EXPECT_EQ(outcome.exit, 6);
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent/socket"));
}

}  // namespace
}  // namespace heddle::app
