// SPDX-License-Identifier: BSD-3-Clause
// `heddle snapshot` without a manager: what is in the copy, and what others may read.
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/commands.hpp"
#include "app/keeper.hpp"
#include "app/managed_partitions.hpp"
#include "app/opensm_memory.hpp"
#include "sm/memory.hpp"
#include "store/database.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using partitions::BaseKey;
using partitions::Managed;

constexpr BaseKey kBlue{0x12}, kRed{0x34};

class SnapshotTest : public testing::Test {
 protected:
  void write(const std::vector<base::Record>& records) {
    auto opened = store::Database::open(memory_, Keeper::wall_clock);
    ASSERT_TRUE(opened);
    ASSERT_FALSE(opened->database->write({{5, true, records}}).has_error());
  }
  void save_partitions(std::uint64_t generation, BaseKey key) {
    Managed managed;
    managed.generation = generation;
    managed.partitions[key].members[mad::Guid{7}] = partitions::Membership::Full;
    ASSERT_FALSE(partitions_.save(managed).has_error());
  }
  Exit snapshot(bool restores) {
    SnapshotArguments arguments;
    arguments.file = folder_.path() / "kept.db";
    arguments.memory = memory_;
    arguments.restores = restores;
    return run_snapshot(arguments);
  }
  Exit export_to(const std::filesystem::path& folder, const std::filesystem::path& config = {}) {
    return run_snapshot_export({{}, folder, memory_, config});
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static unsigned mode(const std::filesystem::path& file) {
    struct stat is {};
    EXPECT_EQ(::stat(file.c_str(), &is), 0) << file;
    return is.st_mode & 0777;
  }

  test::Folder folder_;
  std::filesystem::path memory_ = folder_.path() / "lids.db";
  ManagedPartitionsFile partitions_{folder_.path() / "lids"};
};

TEST_F(SnapshotTest, HasThePartitionsOfPrograms) {
  write({{"lid 0x0000000000000007", "3 0"}});
  save_partitions(4, kBlue);
  ASSERT_EQ(snapshot(false), Exit::Ok);
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
    const auto name = each.path().filename().string();
    if (name.starts_with("kept.db")) files.push_back(name);
  }
  EXPECT_EQ(files, std::vector<std::string>{"kept.db"}) << "one file";
  save_partitions(9, kRed);
  ASSERT_EQ(snapshot(true), Exit::Ok);
  const auto restored = partitions_.read();
  ASSERT_TRUE(restored);
  EXPECT_EQ((*restored)->partitions.count(kBlue), 1u);
  EXPECT_EQ((*restored)->partitions.size(), 1u);
  EXPECT_EQ((*restored)->generation, 10u) << "later than what others may have";
}

TEST_F(SnapshotTest, OfPartitionsThatItDoesNotHaveChangesNone) {
  write({{"lid 0x0000000000000007", "3 0"}});
  ASSERT_EQ(snapshot(false), Exit::Ok);
  save_partitions(9, kRed);
  ASSERT_EQ(snapshot(true), Exit::Ok);
  EXPECT_EQ((*partitions_.read())->partitions.count(kRed), 1u);
}

// Which key a port has depends on the configuration: without it the file would say another one.
TEST_F(SnapshotTest, KeysAreExportedWithTheConfigurationAlone) {
  sm::RememberedKeys keys;
  keys.masters = {mad::MKey{0x1234}};
  auto records = sm::to_records(keys);
  records.push_back({"lid 0x0000000000000007", "3 0"});
  write(records);
  const auto folder = folder_.path() / "opensm";
  EXPECT_NE(export_to(folder), Exit::Ok);
  EXPECT_FALSE(std::filesystem::exists(folder / "guid2mkey"));
  const auto config = folder_.path() / "heddle.toml";
  std::ofstream(config) << "[sm]\nm_key = \"0x1234\"\n";
  ASSERT_EQ(export_to(folder, config), Exit::Ok);
  EXPECT_NE(content(folder / "guid2mkey").find("0x0000000000001234"), std::string::npos);
}

TEST_F(SnapshotTest, ExportedKeysAreForTheirOwnerWhateverWasThere) {
  sm::RememberedKeys keys;
  keys.by_port[mad::Guid{7}] = mad::MKey{0x77};
  auto records = sm::to_records(keys);
  records.push_back({"lid 0x0000000000000007", "3 0"});
  write(records);
  for (const char* name : {"guid2mkey", "opensm-sa.dump"}) {
    std::ofstream(folder_.path() / name) << "old";
    ASSERT_EQ(::chmod((folder_.path() / name).c_str(), 0644), 0);
  }
  ASSERT_EQ(export_to(folder_.path()), Exit::Ok);
  for (const char* name : {"guid2mkey", "opensm-sa.dump"}) {
    EXPECT_EQ(mode(folder_.path() / name), 0600u) << name;
    EXPECT_NE(content(folder_.path() / name), "old");
  }
}

}  // namespace
}  // namespace heddle::app
