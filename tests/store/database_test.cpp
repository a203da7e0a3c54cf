// SPDX-License-Identifier: BSD-3-Clause
#include "store/database.hpp"

#include <cstdlib>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/writer.hpp"
#include "tests/support/folder.hpp"

namespace heddle::store {
namespace {

std::uint64_t g_now = 1'000'000;
std::uint64_t test_clock() {
  return g_now;
}

using Facts = std::map<std::string, std::string>;
Facts facts_of(const Database& database) {
  Facts facts;
  const auto records = database.read();
  EXPECT_TRUE(records);
  for (const auto& record : *records) facts[record.name] = *record.value;
  return facts;
}

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override { g_now = 1'000'000; }
  Database::Opened open() {
    auto opened = Database::open(file_, test_clock);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : Database::Opened{};
  }
  // As another program does it.
  void run(const char* sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_.path() / "memory.db";
};

TEST_F(DatabaseTest, KeepsWhatWasWritten) {
  {
    const auto opened = open();
    EXPECT_TRUE(opened.is_new);
    ASSERT_FALSE(opened.database->write({{1, true, {{"a 1", "one"}, {"b 2", "two"}}}}).has_error());
    ASSERT_FALSE(
        opened.database->write({{1, false, {{"a 1", std::nullopt}, {"b 2", "2"}, {"c", ""}}}})
            .has_error());
  }
  const auto again = open();
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.put_aside, "");
  EXPECT_EQ(facts_of(*again.database), (Facts{{"b 2", "2"}, {"c", ""}}));
  ASSERT_FALSE(again.database->write({{1, true, {{"d", "4"}}}}).has_error());
  EXPECT_EQ(facts_of(*again.database), (Facts{{"d", "4"}})) << "the whole takes the place of all";
}

TEST_F(DatabaseTest, IsForItsOwnerAlone) {
  const auto opened = open();
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  struct stat log {};
  ASSERT_FALSE(opened.database->write({{1, true, {{"a", "1"}}}}).has_error());
  ASSERT_EQ(::stat((file_.string() + "-wal").c_str(), &log), 0);
  EXPECT_EQ(log.st_mode & 0777, 0600u);
}

TEST_F(DatabaseTest, TakesNothingOfAnEpochThatIsOver) {
  const auto opened = open();
  ASSERT_FALSE(opened.database->write({{5, true, {{"a", "1"}}}}).has_error());
  const auto late = opened.database->write({{4, false, {{"a", "late"}}}});
  ASSERT_TRUE(late.has_error());
  EXPECT_NE(late.error().message.find("epoch 4 is over, it is 5 now"), std::string::npos);
  EXPECT_EQ(facts_of(*opened.database), (Facts{{"a", "1"}}));
  EXPECT_EQ(opened.database->epoch().value(), 5u);
}

TEST_F(DatabaseTest, WritesAllOfATransactionOrNothing) {
  const auto opened = open();
  ASSERT_FALSE(opened.database->write({{2, true, {{"a", "1"}}}}).has_error());
  EXPECT_TRUE(
      opened.database->write({{2, false, {{"b", "1"}}}, {1, false, {{"c", "1"}}}}).has_error());
  EXPECT_EQ(facts_of(*opened.database), (Facts{{"a", "1"}}));
  ASSERT_FALSE(opened.database->write({{2, false, {{"b", "2"}}}}).has_error()) << "and goes on";
}

TEST_F(DatabaseTest, CountsAges) {
  const auto opened = open();
  ASSERT_FALSE(
      opened.database->write({{1, true, {{"fresh", "1"}, {"old", "1", 100}}}}).has_error());
  g_now += 7;
  auto records = opened.database->read();
  ASSERT_TRUE(records);
  EXPECT_EQ((*records)[0].age, 7u);
  EXPECT_EQ((*records)[1].age, 107u);
  g_now -= 1000;  // somebody set the clock back
  records = opened.database->read();
  EXPECT_EQ((*records)[0].age, 0u);
}

TEST_F(DatabaseTest, BringsAnEarlierSchemaUpToDate) {
  run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE record (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "INSERT INTO meta VALUES ('fabric', 'f00d'), ('epoch', '3');"
      "INSERT INTO record VALUES ('lid 0x01', '5 0'); PRAGMA user_version = 1");
  const auto opened = open();
  EXPECT_EQ(facts_of(*opened.database), (Facts{{"lid 0x01", "5 0"}}));
  EXPECT_EQ(opened.database->fabric()->text, "f00d");
  EXPECT_EQ(opened.database->epoch().value(), 3u);
}

TEST_F(DatabaseTest, LeavesALaterSchemaAlone) {
  { const auto opened = open(); }
  run("PRAGMA user_version = 99");
  const auto refused = Database::open(file_, test_clock);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("later version"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(file_));
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".broken-1"));
}

TEST_F(DatabaseTest, PutsABrokenFileAside) {
  const std::string noise(10'000, '\x5a');
  std::ofstream(file_) << noise;
  auto opened = open();
  EXPECT_TRUE(opened.is_new);
  EXPECT_NE(opened.put_aside.find("memory.db.broken-1"), std::string::npos) << opened.put_aside;
  std::ifstream kept(file_.string() + ".broken-1");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), noise) << "never deleted";
  ASSERT_FALSE(opened.database->write({{1, true, {{"a", "1"}}}}).has_error());
}

TEST_F(DatabaseTest, PutsAFileWithABrokenPageAside) {
  {
    const auto opened = open();
    std::vector<base::Record> many;
    for (int i = 0; i < 5000; ++i) many.push_back({"name " + std::to_string(i), "value"});
    ASSERT_FALSE(opened.database->write({{1, true, many}}).has_error());
  }
  run("PRAGMA wal_checkpoint(TRUNCATE)");
  {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 9);
    file << std::string(4096, '\xee');
  }
  const auto opened = open();
  EXPECT_NE(opened.put_aside, "");
  EXPECT_TRUE(std::filesystem::exists(file_.string() + ".broken-1"));
  EXPECT_EQ(facts_of(*opened.database), Facts{});
}

TEST_F(DatabaseTest, SaysWhyItCannotBeOpened) {
  const auto refused = Database::open(folder_.path() / "none" / "memory.db", test_clock);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("No such file"), std::string::npos);
}

TEST_F(DatabaseTest, CopiesItselfWhileItIsInUse) {
  const auto opened = open();
  ASSERT_FALSE(opened.database->write({{3, true, {{"a", "1"}}}}).has_error());
  const auto copy = folder_.path() / "copy.db";
  auto reader = Database::open_to_read(file_, test_clock);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_FALSE((*reader)->copy_to(copy).has_error());
  EXPECT_TRUE((*reader)->copy_to(copy).has_error()) << "nothing is overwritten";
  auto copied = Database::open_to_read(copy, test_clock);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(facts_of(**copied), (Facts{{"a", "1"}}));
  EXPECT_EQ((*copied)->fabric()->text, opened.database->fabric()->text);
}

TEST_F(DatabaseTest, AWriterAnswersInOrderAndGoesOnAfterTrouble) {
  std::vector<Writer::Outcome> outcomes;
  bool there = false;
  const auto reopen = [&]() -> base::Result<std::unique_ptr<Database>> {
    if (!there) return base::error("the disk is gone");
    return std::move(open().database);
  };
  Writer writer(nullptr, reopen, [&](Writer::Outcome outcome) { outcomes.push_back(outcome); });
  writer.write(1, {1, true, {{"a", "1"}}});
  writer.drain();
  there = true;
  writer.write(2, {1, true, {{"a", "2"}}});
  writer.drain();
  writer.write(3, {1, false, {{"b", "3"}}});
  writer.drain();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].trouble, "the disk is gone");
  EXPECT_EQ(outcomes[1].trouble, "");
  EXPECT_TRUE(outcomes[1].whole);
  EXPECT_FALSE(outcomes[2].whole);
  EXPECT_EQ(outcomes[2].ticket, 3u);
  EXPECT_EQ(facts_of(*open().database), (Facts{{"a", "2"}, {"b", "3"}}));
}

TEST_F(DatabaseTest, AWriterCommitsTogetherWhatItIsGivenTogether) {
  std::vector<std::uint64_t> tickets;
  Writer writer(std::move(open().database), {},
                [&](Writer::Outcome outcome) { tickets.push_back(outcome.ticket); });
  for (std::uint64_t ticket = 1; ticket <= 64; ++ticket) {
    writer.write(ticket, {1, ticket == 1, {{"n " + std::to_string(ticket), "1"}}});
  }
  writer.begin();
  writer.begin();
  writer.drain();
  writer.begin();  // of nothing
  EXPECT_EQ(writer.commits(), 1u);
  EXPECT_EQ(tickets, std::vector<std::uint64_t>{64});
  writer.write(65, {1, false, {{"n 65", "1"}}});
  writer.drain();
  EXPECT_EQ(writer.commits(), 2u);
  EXPECT_EQ(facts_of(*open().database).size(), 65u);
}

// A child writes one record after another and is killed in the midst of it, at a moment that
// differs from time to time: all that it had been told to be durable is there.
TEST_F(DatabaseTest, LosesNothingThatWasDoneToKillMinusNine) {
  for (int round = 0; round < 25; ++round) {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_.string() + "-wal");
    std::filesystem::remove(file_.string() + "-shm");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto opened = Database::open(file_, test_clock);
      if (!opened) std::_Exit(1);
      // NOLINTNEXTLINE: it ends by a signal
      for (std::uint32_t n = 1;; ++n) {
        const std::string name = "n " + std::to_string(n);
        if (opened->database->write({{1, n == 1, {{name, name}}}}).has_error()) std::_Exit(1);
        if (::write(ends[1], &n, sizeof n) != sizeof n) std::_Exit(1);
      }
    }
    ::close(ends[1]);
    std::uint32_t done = 0, last = 0;
    while (last < 3u + static_cast<unsigned>(round) && ::read(ends[0], &done, sizeof done) > 0) {
      last = done;
    }
    ::kill(child, SIGKILL);
    while (::read(ends[0], &done, sizeof done) > 0) last = done;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    ASSERT_GE(last, 3u);
    const auto opened = open();
    EXPECT_EQ(opened.put_aside, "");
    const Facts facts = facts_of(*opened.database);
    for (std::uint32_t n = 1; n <= last; ++n) {
      EXPECT_EQ(facts.count("n " + std::to_string(n)), 1u) << n << " of " << last;
    }
  }
}

}  // namespace
}  // namespace heddle::store
