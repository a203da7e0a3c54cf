// SPDX-License-Identifier: BSD-3-Clause
#include "app/opensm_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/opensm_options.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;

OpensmLine parse(std::vector<std::string> words) {
  return parse_opensm_line(words).value();
}
std::string lines(std::vector<std::string> words) {
  return parse(std::move(words)).lines;
}
std::string complaint(std::vector<std::string> words) {
  const auto parsed = parse_opensm_line(words);
  return parsed.has_error() ? parsed.error().message : "none";
}

TEST(OpensmLine, TakesEveryWayToWriteAnOption) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"-p", "7"},
                                             {"-p7"},
                                             {"--priority", "7"},
                                             {"--priority=7"},
                                             {"-priority", "7"},
                                             {"--prio", "7"},
                                             {"-prior=7"}}) {
    EXPECT_EQ(lines(words), "sm_priority 7\n") << words[0];
  }
  EXPECT_EQ(lines({"-maxsmps", "8", "-smkey", "0x5"}), "max_wire_smps 8\nsm_key 0x5\n");
  EXPECT_EQ(lines({"-QW"}), "qos TRUE\nallow_both_pkeys TRUE\n");
  EXPECT_EQ(lines({"-Ql2"}), "qos TRUE\nlmc 2\n");
  EXPECT_EQ(lines({"-y", "-e"}), "exit_on_fatal FALSE\naccum_log_file FALSE\n");
}

TEST(OpensmLine, TakesNamesCutShortWhereTheyAreUnambiguous) {
  EXPECT_EQ(lines({"--lm", "1"}), "lmc 1\n");
  EXPECT_EQ(lines({"--cong"}), "congestion_control TRUE\n") << "both spellings mean one";
  EXPECT_EQ(lines({"--qos"}), "qos TRUE\n") << "whole, although another begins with it";
  EXPECT_EQ(complaint({"--log", "1"}), "'--log' may be --log_file or --log_limit or --log_prefix");
}

TEST(OpensmLine, KnowsWhatIsNotAboutTheSubnet) {
  const OpensmLine line = parse({"-F", "/etc/x", "-o", "-B", "--pidfile=/run/x", "-d", "3"});
  EXPECT_EQ(line.config, "/etc/x");
  EXPECT_TRUE(line.once && line.daemon);
  EXPECT_EQ(line.pid_file, "/run/x");
  EXPECT_EQ(line.lines, "");
  ASSERT_EQ(line.remarks.size(), 1u);
  EXPECT_THAT(line.remarks[0], HasSubstr("--debug 3"));
  EXPECT_TRUE(parse({"-?"}).help);
  EXPECT_TRUE(parse({"--version"}).version);
  EXPECT_EQ(parse({"-c", "x"}).create_config, "x");
}

TEST(OpensmLine, IsLouderTheMoreOftenItIsTold) {
  EXPECT_EQ(lines({"-v"}), "log_flags 0x07\n");
  EXPECT_EQ(lines({"-v", "--verbose"}), "log_flags 0x0F\n");
  EXPECT_EQ(lines({"-V"}), "log_flags 0x0F\n");
  EXPECT_EQ(lines({"--V"}), "log_flags 0x0F\n");
  EXPECT_EQ(lines({"-D", "0x43"}), "log_flags 0x43\n");
}

TEST(OpensmLine, SaysWhatIsWrong) {
  EXPECT_EQ(complaint({"--routing_engin0", "x"}),
            "there is no option '--routing_engin0'; did you mean --routing_engine?");
  EXPECT_EQ(complaint({"-p"}), "--priority needs a value");
  EXPECT_EQ(complaint({"--once=1"}), "--once takes no value");
  EXPECT_EQ(complaint({"-Qj"}), "there is no option '-j'");
  EXPECT_EQ(complaint({"-R", "a\nb"}), "the value of --routing_engine has a line break in it");
  EXPECT_EQ(parse({"stray", "--", "-p", "3"}).lines, "") << "behind -- nothing is an option";
}

TEST(OpensmLine, NamesOptionsOfTheConfiguration) {
  for (const std::string_view key : opensm_line_keys()) {
    EXPECT_NE(config::find_opensm_option(key), nullptr) << key;
  }
}

}  // namespace
}  // namespace heddle::app
