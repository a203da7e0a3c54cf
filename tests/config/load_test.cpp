// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/folder.hpp"

namespace heddle::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const Vocabulary kVocabulary{{"auto", "minhop", "updn"}};

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const Problem& problem : parse(text, "f.toml", kVocabulary).problems) {
    lines.push_back(text_of(problem));
  }
  return lines;
}

TEST(Load, AnEmptyFileGivesTheDefaults) {
  const auto loaded = parse("", "f.toml", kVocabulary);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config, Config{});
}

TEST(Load, EveryTypeOfValueArrives) {
  const auto loaded = parse(
      "[sm]\npriority = 14\nport = \"mlx5_0:1\"\nm_key = \"0xdeadbeef\"\n"
      "[lids]\nreassign = true\n"
      "[routing]\nengines = [\"updn\", \"minhop\"]\nroot_guids = [\"0x1\", "
      "\"0x0002c903ffff0002\"]\n"
      "[sweep]\ninterval = \"1500ms\"\n",
      "f.toml", kVocabulary);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.priority, 14u);
  EXPECT_EQ(loaded.config.port, "mlx5_0:1");
  EXPECT_EQ(loaded.config.m_key, 0xdeadbeefu);
  EXPECT_TRUE(loaded.config.reassign);
  EXPECT_THAT(loaded.config.engines, ElementsAre("updn", "minhop"));
  EXPECT_THAT(loaded.config.root_guids, ElementsAre(1u, 0x0002c903ffff0002u));
  EXPECT_EQ(loaded.config.interval, base::Duration{std::chrono::milliseconds(1500)});
}

TEST(Load, BrokenTomlIsReportedWhereItBreaks) {
  const auto problems = problems_of("[sm]\npriority = = 3\n");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("f.toml:2:12: "));
}

TEST(Load, TheSameKeyTwiceIsReported) {
  const auto problems = problems_of("[sm]\npriority = 3\npriority = 4\n");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("f.toml:3:"));
}

TEST(Load, BytesThatAreNotTextAreReportedNotFollowed) {
  EXPECT_THAT(problems_of("[sm]\nport = \"\xff\xfe\"\n"), SizeIs(1));
  EXPECT_THAT(problems_of(std::string(3, '\0')), SizeIs(1));
}

TEST(Load, AMisspelledKeyIsRefusedWithItsNeighbour) {
  EXPECT_THAT(
      problems_of("[sm]\npriorty = 3\n"),
      ElementsAre("f.toml:2:1: unknown option 'priorty' in [sm]; did you mean 'priority'?"));
}

TEST(Load, AKeyInTheWrongSectionIsRefusedWithItsOwn) {
  EXPECT_THAT(
      problems_of("[sm]\nlmc = 1\n"),
      ElementsAre("f.toml:2:1: unknown option 'lmc' in [sm]; did you mean 'lmc' in [lids]?"));
}

TEST(Load, AKeyThatResemblesNothingPointsToTheSample) {
  EXPECT_THAT(problems_of("[sm]\nbananas = 1\n"),
              ElementsAre("f.toml:2:1: unknown option 'bananas' in [sm]; heddle config sample "
                          "prints all options"));
}

TEST(Load, AnUnknownSectionIsRefusedWithItsNeighbour) {
  EXPECT_THAT(problems_of("[routng]\nfallback = true\n"),
              ElementsAre("f.toml:1:2: unknown section 'routng'; did you mean [routing]?"));
}

TEST(Load, AnOptionOutsideOfItsSectionIsTold) {
  EXPECT_THAT(problems_of("priority = 3\n"),
              ElementsAre("f.toml:1:1: unknown option 'priority'; did you mean 'priority' in "
                          "[sm]?"));
}

TEST(Load, ASectionWrittenAsAValueIsTold) {
  EXPECT_THAT(problems_of("log = \"info\"\n"),
              ElementsAre("f.toml:1:7: 'log' is a section: write [log] and its options below"));
}

TEST(Load, ANumberOutOfRangeSaysTheRangeAndWhatStandsThere) {
  EXPECT_THAT(problems_of("[sm]\npriority = 16\n"),
              ElementsAre("f.toml:2:12: 'priority' must be a number from 0 to 15, not 16"));
  EXPECT_THAT(problems_of("[sm]\npriority = -1\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[mads]\nwindow = 9223372036854775807\n"), SizeIs(1));
}

TEST(Load, AValueOfTheWrongTypeIsRefused) {
  EXPECT_THAT(problems_of("[sm]\npriority = \"3\"\n"),
              ElementsAre("f.toml:2:12: 'priority' must be a number from 0 to 15, not '3'"));
  EXPECT_THAT(problems_of("[lids]\nreassign = 1\n"),
              ElementsAre("f.toml:2:12: 'reassign' must be true or false, not 1"));
  EXPECT_THAT(problems_of("[sm]\npriority = 1.5\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[sm]\npriority = 1979-05-27\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[routing]\nengines = [\"minhop\", 3]\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[routing]\nengines = \"minhop\"\n"), SizeIs(1));
}

TEST(Load, ANumberThatIsNotAChoiceIsRefused) {
  EXPECT_THAT(problems_of("[links]\ndata_vls = 7\n"),
              ElementsAre("f.toml:2:12: 'data_vls' must be one of 1, 2, 4, 8, 15, not 7"));
}

TEST(Load, AKeyWithoutItsPrefixIsRefused) {
  const auto problems = problems_of("[sm]\nm_key = \"1234\"\n");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("f.toml:2:9: 'm_key' must be a string \"0x...\""));
  EXPECT_THAT(problems_of("[sm]\nm_key = \"0x11112222333344445\"\n"), SizeIs(1));
}

TEST(Load, ADurationWithoutUnitOrOutOfRangeIsRefused) {
  EXPECT_THAT(problems_of("[sweep]\ninterval = \"10\"\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[sweep]\ninterval = 10\n"), SizeIs(1));
  EXPECT_THAT(problems_of("[mads]\nsmallest_timeout = \"1us\"\n"),
              ElementsAre(HasSubstr("from 1ms to 1min, not '1us'")));
}

TEST(Load, AWordThatIsNotAChoiceIsRefused) {
  EXPECT_THAT(problems_of("[log]\nlevel = \"loud\"\n"),
              ElementsAre("f.toml:2:9: 'level' must be one of debug, info, warning, error, not "
                          "'loud'"));
}

TEST(Load, OptionsThatContradictEachOtherAreToldWhereOneOfThemStands) {
  EXPECT_THAT(problems_of("[mads]\nlargest_timeout = \"10ms\"\n"),
              ElementsAre("f.toml:2:19: 'smallest_timeout' (50ms) must not be above "
                          "'largest_timeout' (10ms)"));
  EXPECT_THAT(problems_of("[sm]\nm_key = \"0x7\"\nm_key_per_port = true\nm_key_protection = 2\n"),
              ElementsAre(StartsWith("f.toml:4:20: with 'm_key_per_port' the")));
  EXPECT_THAT(problems_of("[sm]\nm_key_per_port = true\n"),
              ElementsAre(StartsWith("f.toml:2:18: 'm_key_per_port' needs an 'm_key'")));
  EXPECT_THAT(problems_of("[mads]\nwindow = 4\nwindow_per_device = 5\n"),
              ElementsAre("f.toml:3:21: 'window_per_device' (5) must not be above 'window' (4)"));
}

TEST(Load, AStandbyAndAReplicaThatCannotWorkAreTold) {
  EXPECT_THAT(problems_of("[standby]\npeer = \"sm-2\"\nsecret_file = \"s\"\n"),
              ElementsAre("f.toml:2:8: 'peer' of [standby] is HOST:PORT, not 'sm-2'"));
  EXPECT_THAT(problems_of("[standby]\npeer = \"sm-2:9316\"\nsecret_file = \"s\"\n"
                          "[replica]\nendpoints = [\"http://a:1\"]\n"),
              ElementsAre(HasSubstr("[replica] and [standby] are two ways to the same")));
  EXPECT_THAT(problems_of("[replica]\nendpoints = [\"http://a:1\"]\nkey = \"k\"\n"),
              ElementsAre(StartsWith("f.toml:3:7: 'certificate' of [replica] needs its 'key'")));
  EXPECT_THAT(problems_of("[standby]\npeer = \"[2001:db8::1]:9316\"\ncertificate = \"c\"\n"
                          "key = \"k\"\nauthority = \"d\"\n"),
              IsEmpty());
}

TEST(Load, AnUnknownEngineIsRefusedWithItsNeighbour) {
  EXPECT_THAT(problems_of("[routing]\nengines = [\"minhops\"]\n"),
              ElementsAre("f.toml:2:11: unknown routing engine 'minhops'; did you mean 'minhop'?"));
  EXPECT_THAT(problems_of("[routing]\nengines = [\"updn\", \"updn\"]\n"),
              ElementsAre("f.toml:2:11: engine 'updn' is listed twice"));
  EXPECT_THAT(problems_of("[routing]\nengines = []\nfallback = false\n"), SizeIs(1));
}

TEST(Load, AllProblemsAreToldAtOnceInTheOrderOfTheFile) {
  const auto problems = problems_of(
      "[log]\nlevel = \"loud\"\ncolour = true\n[sm]\npriority = 99\nm_key = 7\n[nothing]\n");
  ASSERT_THAT(problems, SizeIs(5));
  EXPECT_THAT(problems, ElementsAre(HasSubstr(":2:9:"), HasSubstr(":3:1:"), HasSubstr(":5:12:"),
                                    HasSubstr(":6:9:"), HasSubstr(":7:2:")));
}

TEST(Load, AMissingFileADirectoryAndAHugeFileAreOneProblemEach) {
  const auto missing = load("/nonexistent/heddle.toml", kVocabulary).problems;
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_THAT(text_of(missing[0]), HasSubstr("/nonexistent/heddle.toml: no such file"));
  EXPECT_THAT(load("/", kVocabulary).problems, SizeIs(1));
  EXPECT_THAT(load("/dev/zero", kVocabulary).problems, SizeIs(1));

  const test::Folder folder;
  const auto huge = folder.path() / "huge.toml";
  std::ofstream(huge) << std::string((1 << 20) + 1, '\n');
  EXPECT_THAT(load(huge, kVocabulary).problems, SizeIs(1));
}

TEST(Load, AFileIsReadLikeItsText) {
  const test::Folder folder;
  const auto file = folder.path() / "plain.toml";
  std::ofstream(file) << "[sm]\r\npriority = 5\r\n";
  const auto loaded = load(file, kVocabulary);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.priority, 5u);
}

}  // namespace
}  // namespace heddle::config
