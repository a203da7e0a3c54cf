// SPDX-License-Identifier: BSD-3-Clause
#include "app/session.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/settings.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

std::shared_ptr<const partitions::Managed> of_generation(std::uint64_t generation) {
  auto managed = std::make_shared<partitions::Managed>();
  managed->generation = generation;
  return managed;
}

class PartitionsOfPrograms : public testing::Test {
 protected:
  PartitionsOfPrograms() {
    session_.managed = of_generation(1);
    session_.managed_changed = [this] { ++changes_; };
  }

  SmArguments arguments_;
  static LogOptions silent() {
    LogOptions options;
    options.level = "error";
    return options;
  }

  std::unique_ptr<Log> log_ = *Log::open(silent());
  Session session_{arguments_, {}, *log_, {}, {}, {}};
  int changes_ = 0;
};

TEST_F(PartitionsOfPrograms, ComeOneAfterTheOther) {
  const auto second = of_generation(2), third = of_generation(3);
  use(session_, {second, session_.managed});
  use(session_, {third, second});
  EXPECT_EQ(session_.managed, third);
  EXPECT_EQ(changes_, 2);
}

// Whatever their numbers: what the new master tells is what counts.
TEST_F(PartitionsOfPrograms, AreVoidWhenAMasterToldOthersMeanwhile) {
  const auto first = session_.managed, second = of_generation(2), third = of_generation(3);
  const auto told = of_generation(2);
  take_over(session_, told);
  EXPECT_EQ(changes_, 1);
  use(session_, {second, first});
  use(session_, {third, second});
  EXPECT_EQ(session_.managed, told);
  EXPECT_EQ(changes_, 1);
  const auto next = of_generation(3);
  use(session_, {next, told});
  EXPECT_EQ(session_.managed, next);
}

// While there is no machine: the next one begins with them.
TEST_F(PartitionsOfPrograms, AreTakenWhileThereIsNoPort) {
  session_.managed_changed = {};
  const auto second = of_generation(2);
  use(session_, {second, session_.managed});
  EXPECT_EQ(session_.managed, second);
}

// Also when the file is read again while there is no port: the next device begins with the LIDs
// that the fabric has.
TEST(Reassignment, IsDoneOnceWhateverTheFileSays) {
  const test::Folder folder;
  SmArguments arguments;
  arguments.sources.file = folder.path() / "heddle.toml";
  std::ofstream(arguments.sources.file) << "[lids]\nreassign = true\n[log]\nlevel = \"error\"\n";
  LogOptions silent;
  silent.level = "error";
  const auto log = *Log::open(silent);
  Session session{arguments, {}, *log, {}, {}, {}};
  std::vector<bool> asked;
  const auto reload = controls(
                          session, [] {},
                          [&asked](const sm::Options& options, const OutputFiles&, MeterOptions) {
                            asked.push_back(options.reassign_lids);
                          })
                          .reload;
  reload();
  session.reassigned = true;
  reload();
  EXPECT_EQ(asked, (std::vector<bool>{true, false}));
  EXPECT_FALSE(session.config.reassign);
}

// It would be in force: without it the fabric would be run by the defaults.
TEST(OpensmFront, AUsualFileThatCannotBeReadIsAProblemAndNoneIsNot) {
  const test::Folder folder;
  Sources sources;
  sources.opensm.emplace();
  sources.opensm->usual_file = folder.path() / "opensm.conf";
  EXPECT_TRUE(read_settings(sources).problems.empty());
  // One that is there, and that not even root may read.
  std::filesystem::create_directory(sources.opensm->usual_file);
  const auto problems = read_settings(sources).problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("opensm.conf: cannot be read"), std::string::npos) << problems[0];
}

}  // namespace
}  // namespace heddle::app
