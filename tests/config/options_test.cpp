// SPDX-License-Identifier: BSD-3-Clause
#include "config/options.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "config/duration.hpp"
#include "config/load.hpp"
#include "config/reference.hpp"

namespace heddle::config {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream stream(std::string(HEDDLE_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Options, EachIsNamedOnceAndStandsInADeclaredSection) {
  std::set<std::string> names, declared;
  for (const Section& section : sections()) declared.insert(std::string(section.name));
  for (const Option& option : options()) {
    EXPECT_TRUE(names.insert(qualified(option)).second) << qualified(option);
    EXPECT_TRUE(declared.count(std::string(option.section))) << qualified(option);
    EXPECT_FALSE(option.meaning.empty()) << qualified(option);
  }
}

// Two rows that wrote to the same member would make one of them useless.
TEST(Options, EachHasAMemberOfItsOwn) {
  const auto table = options();
  for (std::size_t a = 0; a < table.size(); ++a) {
    for (std::size_t b = a + 1; b < table.size(); ++b) {
      EXPECT_NE(table[a].member, table[b].member)
          << qualified(table[a]) << " and " << qualified(table[b]);
    }
  }
}

std::string document_with(const Option& option, std::string_view value) {
  return "[" + std::string(option.section) + "]\n" + std::string(option.key) + " = " +
         std::string(value) + "\n";
}

TEST(Options, EveryDefaultAndEveryExampleIsAccepted) {
  for (const Option& option : options()) {
    const auto standard = parse(document_with(option, text_of(Config{}, option)), "f", {});
    EXPECT_TRUE(standard.problems.empty()) << qualified(option);
    EXPECT_EQ(standard.config, Config{}) << qualified(option);
    const auto example = parse(document_with(option, option.example), "f", {});
    EXPECT_TRUE(example.problems.empty()) << qualified(option) << " " << option.example;
  }
}

TEST(Options, EveryNumberIsAcceptedAtItsLimitsAndRefusedBeyond) {
  for (const Option& option : options()) {
    if (!std::holds_alternative<std::uint32_t Config::*>(option.member)) continue;
    Config config;
    const auto min = static_cast<std::int64_t>(option.min);
    const auto max = static_cast<std::int64_t>(option.max);
    EXPECT_TRUE(store_number(config, option, min)) << qualified(option);
    EXPECT_TRUE(store_number(config, option, max)) << qualified(option);
    EXPECT_FALSE(store_number(config, option, max + 1)) << qualified(option);
    EXPECT_FALSE(store_number(config, option, min - 1)) << qualified(option);
  }
}

// As they are printed.
TEST(Options, EveryDurationIsAcceptedAtItsLimits) {
  for (const Option& option : options()) {
    if (!std::holds_alternative<base::Duration Config::*>(option.member)) continue;
    for (const std::uint64_t limit : {option.min, option.max}) {
      const std::string text = duration_text(base::Duration(limit));
      Config config;
      EXPECT_TRUE(store_text(config, option, text)) << qualified(option) << " " << text;
      EXPECT_EQ(text_of(config, option), "\"" + text + "\"") << qualified(option);
    }
  }
}

TEST(Options, TheCommandLineNeedsNoQuotesAndSeparatesListsByCommas) {
  Config config;
  ASSERT_TRUE(store_from_command_line(config, *find_option("routing", "engines"), "minhop, updn"));
  EXPECT_EQ(config.engines, (std::vector<std::string>{"minhop", "updn"}));
  ASSERT_TRUE(store_from_command_line(config, *find_option("sm", "priority"), "15"));
  EXPECT_EQ(config.priority, 15u);
  ASSERT_TRUE(store_from_command_line(config, *find_option("sweep", "interval"), "5min"));
  EXPECT_EQ(config.interval, base::Duration{std::chrono::minutes(5)});
  EXPECT_FALSE(store_from_command_line(config, *find_option("sm", "priority"), "16"));
  EXPECT_FALSE(store_from_command_line(config, *find_option("sm", "priority"), "high"));
}

TEST(Reference, TheSampleInTheRepositoryIsTheOneOfTheTable) {
  EXPECT_EQ(file_text("config/heddle.toml.sample"), sample_file())
      << "run: heddle config sample > config/heddle.toml.sample";
}

TEST(Reference, TheSampleIsValidAndHasTheDefaults) {
  const auto loaded = parse(sample_file(), "sample", {});
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config, Config{});
}

// Taking the comment signs away from the options must give the defaults again.
TEST(Reference, TheSampleHasEveryOptionAtItsDefault) {
  std::string uncommented;
  const std::string sample = sample_file();
  for (const std::string_view line : base::split(sample, '\n')) {
    const bool option = line.starts_with("#") && !line.starts_with("# ");
    uncommented += std::string(option ? line.substr(1) : line) + "\n";
  }
  const auto loaded = parse(uncommented, "sample", {});
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config, Config{});
  for (const Option& option : options()) {
    EXPECT_THAT(uncommented, testing::HasSubstr("\n" + std::string(option.key) + " = "));
  }
}

TEST(Reference, TheManualHoldsTheTablesOfTheOptions) {
  EXPECT_THAT(file_text("docs/configuration.md"), testing::HasSubstr(markdown_reference()))
      << "run: heddle config reference, and put its output into docs/configuration.md";
}

}  // namespace
}  // namespace heddle::config
