// SPDX-License-Identifier: BSD-3-Clause
#include "app/files.hpp"

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record_file.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() { ::umask(022); }

  std::filesystem::path put(const char* name, mode_t mode) const {
    const auto file = folder_.path() / name;
    std::ofstream(file) << "old";
    EXPECT_EQ(::chmod(file.c_str(), mode), 0);
    return file;
  }

  static struct stat look(const std::filesystem::path& file) {
    struct stat found {};
    EXPECT_EQ(::stat(file.c_str(), &found), 0) << file;
    return found;
  }
  static unsigned mode(const std::filesystem::path& file) { return look(file).st_mode & 0777; }

  // The modes that somebody sees who looks at the folder while it is written, in one.
  unsigned seen_while_written(const std::filesystem::path& file, Readers readers) const {
    unsigned seen = 0;
    const auto written = replace_file(
        file,
        [&](std::ostream& out) {
          out << "new" << std::flush;
          for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
            if (look(each.path()).st_size == 3 && each.path() != file) seen |= mode(each.path());
          }
        },
        readers);
    EXPECT_TRUE(written);
    std::string text;
    std::ifstream(file) >> text;
    EXPECT_EQ(text, "new");
    return seen;
  }

  test::Folder folder_;
};

TEST_F(Files, ANewOneIsReadByWhomTheUmaskLets) {
  const auto file = folder_.path() / "plot.svg";
  seen_while_written(file, Readers::Usual);
  EXPECT_EQ(mode(file), 0644u);
}

TEST_F(Files, ANewOneWithKeysIsItsOwners) {
  const auto file = folder_.path() / "heddle.toml";
  EXPECT_EQ(seen_while_written(file, Readers::Known), 0600u);
  EXPECT_EQ(mode(file), 0600u);
}

TEST_F(Files, OneThatIsReplacedKeepsItsReaders) {
  const auto file = put("heddle.toml", 0640);
  constexpr gid_t kGroup = 4711;
  const bool may_give = ::chown(file.c_str(), static_cast<uid_t>(-1), kGroup) == 0;
  for (const auto readers : {Readers::Known, Readers::Usual}) {
    EXPECT_EQ(seen_while_written(file, readers) & 0077, 0u) << "before it had its group";
    EXPECT_EQ(mode(file), 0640u);
    if (may_give) {
      EXPECT_EQ(look(file).st_gid, kGroup);
    }
  }
}

TEST_F(Files, OneForItsOwnerAloneIsClosedToThoseWhoReadTheOldOne) {
  const auto file = put("support.tar", 0644);
  EXPECT_EQ(seen_while_written(file, Readers::Owner), 0600u);
  EXPECT_EQ(mode(file), 0600u);
}

// Where the link leads.
TEST_F(Files, ASymbolicLinkStaysAndItsFileIsAsClosed) {
  const auto file = folder_.path() / "real", link = folder_.path() / "link";
  std::filesystem::create_symlink(file, link);
  ASSERT_TRUE(replace_file(
      link, [](std::ostream& out) { out << "new"; }, Readers::Known));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(mode(file), 0600u);
  EXPECT_EQ(::chmod(file.c_str(), 0644), 0);
  ASSERT_TRUE(replace_file(
      link, [](std::ostream& out) { out << "new"; }, Readers::Known));
  EXPECT_EQ(mode(file), 0644u);
  ASSERT_TRUE(replace_file(
      link, [](std::ostream& out) { out << "new"; }, Readers::Owner));
  EXPECT_EQ(mode(file), 0600u);
}

TEST_F(Files, WhatCannotBeWrittenLeavesNothingBehind) {
  const auto nowhere = folder_.path() / "none" / "file";
  const auto missing = replace_file(nowhere, [](std::ostream& out) { out << "new"; });
  ASSERT_TRUE(missing.has_error());
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
  const auto full = replace_file("/dev/full", [](std::ostream& out) { out << "new"; });
  ASSERT_TRUE(full.has_error());
  EXPECT_THAT(full.error().message, HasSubstr("No space left"));
  const auto file = put("file", 0644);
  const auto broken = replace_file(file, [](std::ostream& out) { out.setstate(std::ios::badbit); });
  EXPECT_TRUE(broken.has_error());
  EXPECT_EQ(look(file).st_size, 3);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Files, AnErrorSaysWhyAFileCannotBeRead) {
  const auto directory = read_text_file(folder_.path());
  ASSERT_TRUE(directory.has_error());
  EXPECT_EQ(directory.error().message,
            folder_.path().string() + ": cannot be read: Is a directory");
  const auto missing = read_text_file(folder_.path() / "none");
  ASSERT_TRUE(missing.has_error());
  EXPECT_THAT(missing.error().message, HasSubstr("/none: cannot be read: No such file"));
  const auto file = put("file", 0644);
  EXPECT_EQ(read_text_file(file, 3).value(), "old");
  EXPECT_THAT(read_text_file(file, 2).error().message, HasSubstr("larger than 2 bytes"));
  EXPECT_TRUE(read_text_file("/dev/zero", 100'000).has_error()) << "it has no end";
}

// As a shell gives one: heddle config import <(ssh ...)
TEST_F(Files, APipeIsReadToItsEnd) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string much(200'000, 'x');
  std::thread writer([&] { std::ofstream(pipe) << much; });
  EXPECT_EQ(read_text_file(pipe).value(), much);
  writer.join();
}

TEST_F(Files, ARecordTellsOnceThatItIsNotWhole) {
  std::vector<std::string> told;
  const auto listen = [&told](const std::string& sentence) { told.push_back(sentence); };
  RecordFile sound(folder_.path() / "record");
  sound.set_warn(listen);
  sound.write("a line");
  EXPECT_TRUE(sound.is_whole());
  RecordFile full("/dev/full");
  full.set_warn(listen);
  ASSERT_TRUE(full.is_open());
  EXPECT_TRUE(told.empty());
  for (int i = 0; i < 1000; ++i) full.write("a line that goes nowhere, and many more of them");
  EXPECT_EQ(told.size(), 1u);
  EXPECT_FALSE(full.is_whole());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("/dev/full"));
  EXPECT_THAT(told[0], HasSubstr("No space left"));
}

}  // namespace
}  // namespace heddle::app
