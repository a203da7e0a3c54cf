// SPDX-License-Identifier: BSD-3-Clause
#include "store/lid_memory.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/folder.hpp"

namespace heddle::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LidMemory : public ::testing::Test {
 protected:
  void write(std::string_view text) const { std::ofstream(file_) << text; }
  std::string content() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files_in_folder() const {
    const auto all = std::filesystem::directory_iterator(folder_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  test::Folder own_;
  std::filesystem::path folder_ = own_.path();
  std::filesystem::path file_ = folder_ / "guid2lid";
};

const std::vector<LidEntry> kThree{
    {0x0002c90300000001, 1, 1}, {0x0002c90300000002, 8, 15}, {0xffffffffffffffff, 0xbfff, 0xbfff}};

// Any number of entries, one LID each.
std::vector<LidEntry> many(std::uint16_t count) {
  std::vector<LidEntry> entries;
  for (std::uint16_t lid = 1; lid <= count; ++lid) entries.push_back({0x100u + lid, lid, lid});
  return entries;
}

TEST_F(LidMemory, WhatWasSavedIsLoaded) {
  ASSERT_TRUE(save_lids(file_, kThree));
  const auto loaded = load_lids(file_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->entries, kThree);
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST_F(LidMemory, AFullSubnetFits) {
  const auto all = many(0xbfff);
  ASSERT_TRUE(save_lids(file_, all));
  EXPECT_EQ(load_lids(file_)->entries, all);
}

TEST_F(LidMemory, TheFileLooksAsOpenSmWritesIt) {
  ASSERT_TRUE(save_lids(file_, {{0x2c903000e0b72, 0x2, 0x3}}));
  EXPECT_EQ(content(), "0x0002c903000e0b72 0x0002 0x0003\n\n");
}

TEST_F(LidMemory, AFileThatOthersWroteIsRead) {
  write("0x0002c903000e0b72 0x0004 0x0004\r\n\r\n# a remark\n\n  0x5\t 9  10\n0x6 11 11");
  const auto loaded = load_lids(file_);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->entries, ElementsAre(LidEntry{0x0002c903000e0b72, 4, 4}, LidEntry{5, 9, 10},
                                           LidEntry{6, 11, 11}));
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST_F(LidMemory, AMissingFileIsAnEmptyMemory) {
  const auto loaded = load_lids(file_);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->entries.empty());
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST_F(LidMemory, AFolderInItsPlaceIsAnError) {
  std::filesystem::create_directory(file_);
  const auto loaded = load_lids(file_);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr(file_.string()));
}

struct BadLine {
  const char* line;
  int column;
  const char* wanted;
  const char* found;
};
class BadLines : public LidMemory, public ::testing::WithParamInterface<BadLine> {};

TEST_P(BadLines, AreSkippedWithTheirPlaceAndWhatWouldBeRightAndTheRestIsKept) {
  const auto& [line, column, wanted, found] = GetParam();
  write("0x1 0x10 0x13\n\n" + std::string(line) + "\n\n0x2 0x20 0x20\n");
  const auto loaded = load_lids(file_);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->entries, ElementsAre(LidEntry{1, 0x10, 0x13}, LidEntry{2, 0x20, 0x20}));
  EXPECT_THAT(loaded->warnings, ElementsAre(file_.string() + ":3:" + std::to_string(column) +
                                            ": skipped: " + wanted + " is wanted here; " + found));
}

constexpr const char* kGuid = "the GUID of a port, as 0x0002c90300a1b2c3,";
constexpr const char* kLid = "a LID from 0x1 to 0xbfff";
INSTANTIATE_TEST_SUITE_P(
    Store, BadLines,
    ::testing::Values(
        BadLine{"0x1 0x30 0x30", 1, "a GUID that no earlier line has", "'0x1' is none"},
        BadLine{"0x3 0x13 0x14", 5, "a range without LIDs of an earlier line, which has 0x13,",
                "'0x13' is none"},
        BadLine{"0x3 0xf 0x20", 5, "a range without LIDs of an earlier line, which has 0x10,",
                "'0xf' is none"},
        BadLine{" 0x3 0x31 0x30", 11, "the last LID, not below the first, 0x31,", "'0x30' is none"},
        BadLine{"0x3 0xbfff 0xc000", 12, kLid, "'0xc000' is none"},
        BadLine{"0x3 0x10001 0x10001", 5, kLid, "'0x10001' is none"},
        BadLine{"0x3 0x0 0x1", 5, kLid, "'0x0' is none"},
        BadLine{"0x0 0x40 0x40", 1, kGuid, "'0x0' is none"},
        BadLine{"0x3 0x40", 9, kLid, "there is nothing"},
        BadLine{"0x3 0x40 0x40 0x41", 15, "the end of the line, behind a GUID and two LIDs,",
                "'0x41' is none"},
        BadLine{"0x3 -1 5", 5, kLid, "'-1' is none"},
        BadLine{"0x11112222333344445 1 1", 1, kGuid, "'0x11112222333344445' is none"},
        BadLine{"\x01\xff\x7f", 1, kGuid, "'?\?\?' is none"}));

TEST_F(LidMemory, AFileOfAnotherKindDoesNotFloodTheLog) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "word\n";
  write(text);
  const auto loaded = load_lids(file_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->warnings.size(), 101u);
  EXPECT_THAT(loaded->warnings.back(), HasSubstr("4900 more lines skipped"));
}

TEST_F(LidMemory, SavingReplacesTheOldContentAndLeavesNothingElse) {
  ASSERT_TRUE(save_lids(file_, kThree));
  ASSERT_TRUE(save_lids(file_, {kThree[1]}));
  EXPECT_THAT(load_lids(file_)->entries, ElementsAre(kThree[1]));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(LidMemory, EverybodyMayReadTheFileWhateverTheUmask) {
  const mode_t before = ::umask(077);
  const auto saved = save_lids(file_, kThree);
  ::umask(before);
  ASSERT_TRUE(saved);
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(LidMemory, ARemnantOfACrashIsNoObstacle) {
  write("old");
  std::ofstream(folder_ / "guid2lid.new") << "half a rec";
  ASSERT_TRUE(save_lids(file_, kThree));
  EXPECT_EQ(load_lids(file_)->entries, kThree);
  EXPECT_EQ(files_in_folder(), 1u);
}

// A limit on the size of files fails a write in its midst as a full disk does, for root too.
TEST_F(LidMemory, OnAFullDiskTheOldContentStandsAndTheErrorNamesTheFile) {
  ASSERT_TRUE(save_lids(file_, kThree));
  const std::string before = content();

  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit tight = old;
  tight.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto saved = save_lids(file_, many(1000));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);

  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("cannot write " + file_.string()));
  EXPECT_EQ(content(), before);
  EXPECT_EQ(files_in_folder(), 1u) << "the unfinished file stayed";
}

TEST_F(LidMemory, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  const auto saved = save_lids(folder_ / "no" / "guid2lid", kThree);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("/no/guid2lid"));
  EXPECT_THAT(saved.error().message, HasSubstr("No such file or directory"));
}

TEST_F(LidMemory, ATargetThatCannotBeReplacedIsAnErrorAndNothingIsLeft) {
  std::filesystem::create_directories(file_ / "occupied");
  const auto saved = save_lids(file_, kThree);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("cannot replace " + file_.string()));
  EXPECT_EQ(files_in_folder(), 1u);
}

// A pipe stands for /dev/null here: were this wrong, the test would take that from the machine.
TEST_F(LidMemory, WhatIsNoFileIsWrittenToAndStaysWhatItIs) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const int reader = ::open(file_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(save_lids(file_, kThree));
  EXPECT_TRUE(std::filesystem::is_fifo(file_));
  EXPECT_EQ(files_in_folder(), 1u);
  std::array<char, 16> got{};
  EXPECT_GT(::read(reader, got.data(), got.size()), 0);
  ::close(reader);
}

TEST_F(LidMemory, AFolderThatMayNotBeWrittenIsAnErrorForOneWhoIsNotRoot) {
  write("0x1 0x1 0x1\n\n");
  const std::string before = content();
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  // In a child, because a process cannot become root again.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const auto saved = save_lids(file_, kThree);
    const bool right =
        !saved && saved.error().message.find("Permission denied") != std::string::npos;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(), before);
}

}  // namespace
}  // namespace heddle::store
