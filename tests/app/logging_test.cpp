// SPDX-License-Identifier: BSD-3-Clause
#include "app/logging.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/journal.hpp"
#include "app/opensm_log.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

const sm::PortName kLeaf{{mad::Guid{0x10}, "leaf 1"}, mad::PortNumber{3}};
const sm::PortName kHost{{mad::Guid{0x1000}, "host"}, mad::PortNumber{1}};
const sm::Event kGone{sm::LinkDisappeared{kLeaf, kHost}};
const sm::Event kUp{sm::SubnetUp{3, 2, 3, "minhop"}};

LogLine line_of(const sm::Event& event) {
  return {WallTime{1'770'000'000s + 45ms}, sm::severity(event), sm::event_name(event),
          sm::sentence(event), sm::fields(event)};
}

// Of each test its own: several of them run at a time.
struct TempFile {
  test::Folder folder;
  std::filesystem::path path = folder.path() / "log";
  std::string text() const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST(Logging, WritesTheLinesThatScriptsLookForAsOpensmDoes) {
  const std::string up = render_opensm(line_of(kUp));
  EXPECT_THAT(up, testing::ContainsRegex("^[A-Z][a-z][a-z] [0-9][0-9] [0-9:]+ 045000 "));
  EXPECT_THAT(up, testing::EndsWith("] 0x02 -> SUBNET UP"));
  const sm::Event master{
      sm::StateChanged{mad::SMState::Discovering, mad::SMState::Master, "nobody else is there"}};
  EXPECT_THAT(render_opensm(line_of(master)), testing::EndsWith("0x80 -> Entering MASTER state"));
  EXPECT_THAT(render_opensm(line_of(kGone)), HasSubstr("] 0x02 -> The link"));
}

TEST(Log, ATextLineHasTimeSeveritySentenceAndFields) {
  EXPECT_EQ(render_text(line_of(kGone)),
            "2026-02-02T02:40:00.045Z WARN  The link leaf 1/3 - host/1 is gone "
            "[LinkDisappeared a=\"leaf 1/3\" a_guid=0x0000000000000010 b=host/1 "
            "b_guid=0x0000000000001000]");
}

TEST(Log, AJsonLineHasTheSameInItsPlaces) {
  const auto json = nlohmann::json::parse(render_json(line_of(kGone)));
  EXPECT_EQ(json["time"], "2026-02-02T02:40:00.045Z");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["event"], "LinkDisappeared");
  EXPECT_EQ(json["message"], "The link leaf 1/3 - host/1 is gone");
  EXPECT_EQ(json["fields"]["a"], "leaf 1/3");
  EXPECT_EQ(json["fields"]["b_guid"], "0x0000000000001000");
}

TEST(Log, AJournalFieldIsWhatTheJournalTakes) {
  EXPECT_EQ(journal_field("a_guid"), "HEDDLE_A_GUID");
  EXPECT_EQ(journal_field("most-hops 2"), "HEDDLE_MOST_HOPS_2");
}

TEST(Log, QuotesInANameStayInsideTheirValue) {
  const sm::Event event{sm::NodeDisappeared{{mad::Guid{1}, "a \"b\"\\ ]"}}};
  EXPECT_THAT(render_text(line_of(event)), HasSubstr("node=\"a \\\"b\\\"\\\\ ]\" guid="));
  EXPECT_EQ(nlohmann::json::parse(render_json(line_of(event)))["fields"]["node"], "a \"b\"\\ ]");
}

TEST(Log, OnlyTheSevereEnoughIsWritten) {
  const TempFile file;
  const auto log = Log::open({"warning", "text", file.path.string()});
  ASSERT_TRUE(log);
  (*log)->write(kUp);
  (*log)->write(kGone);
  (*log)->say(sm::Severity::Info, "Quiet", "not this");
  EXPECT_THAT(file.text(), HasSubstr("LinkDisappeared"));
  EXPECT_THAT(file.text(), Not(HasSubstr("SubnetUp")));
  EXPECT_THAT(file.text(), Not(HasSubstr("Quiet")));
}

TEST(Log, OneEventThatBabblesIsCutOffAndOthersAreNot) {
  const TempFile file;
  const auto log = Log::open({"debug", "text", file.path.string(), 3});
  ASSERT_TRUE(log);
  for (int i = 0; i < 100; ++i) (*log)->write(kGone);
  (*log)->write(kUp);
  for (int i = 0; i < 10; ++i) (*log)->say(sm::Severity::Debug, "Wanted", "all of it");
  const std::string text = file.text();
  const auto times = [&](std::string_view word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times("[LinkDisappeared"), 3u);
  EXPECT_EQ(times("[SubnetUp"), 1u);
  EXPECT_EQ(times("[Wanted"), 10u);
}

TEST(Log, AfterARotationTheNewFileIsWritten) {
  const TempFile file;
  const auto log = Log::open({"info", "text", file.path.string()});
  ASSERT_TRUE(log);
  (*log)->write(kUp);
  const std::filesystem::path rotated = file.path.string() + ".1";
  std::filesystem::rename(file.path, rotated);
  ASSERT_TRUE((*log)->reopen());
  (*log)->write(kGone);
  EXPECT_THAT(file.text(), HasSubstr("LinkDisappeared"));
  EXPECT_THAT(file.text(), Not(HasSubstr("SubnetUp")));
  std::filesystem::remove(rotated);
}

TEST(Log, AFileThatCannotBeOpenedIsToldAndTheOldLogGoesOn) {
  EXPECT_TRUE(Log::open({"info", "text", "/dev/null/x.log"}).has_error());
  const TempFile file;
  const auto log = Log::open({"info", "text", file.path.string()});
  ASSERT_TRUE(log);
  const auto failed = (*log)->reopen({"info", "text", "/dev/null/x.log"});
  ASSERT_TRUE(failed.has_error());
  EXPECT_THAT(failed.error().message, HasSubstr("/dev/null/x.log"));
  (*log)->write(kUp);
  EXPECT_THAT(file.text(), HasSubstr("SubnetUp"));
}

}  // namespace
}  // namespace heddle::app
