// SPDX-License-Identifier: BSD-3-Clause
#include "store/database.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace heddle::store {
namespace {

// What leads from each version to the next; the first makes an empty file one of version 1.
constexpr std::array<const char*, Database::kVersion> kMigrations{
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE record (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('fabric', lower(hex(randomblob(16)))), ('epoch', '0');",
    // Leases count from when a record was written.
    "ALTER TABLE record ADD COLUMN written INTEGER NOT NULL DEFAULT 0;"};

// A statement, finalized whatever happens.
class Statement {
 public:
  Statement(sqlite3* handle, const char* sql) {
    good_ = sqlite3_prepare_v2(handle, sql, -1, &statement_, nullptr) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int at, std::uint64_t number) {
    sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(number));
  }
  // Runs it to its end, and makes it ready for the next values.
  bool execute() {
    if (!good_) return false;
    const bool done = sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    return done;
  }
  bool row() {
    if (!good_) return false;
    const int outcome = sqlite3_step(statement_);
    good_ = outcome == SQLITE_ROW || outcome == SQLITE_DONE;
    return outcome == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
  }
  std::uint64_t number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
  }
  void reset() { sqlite3_reset(statement_); }
  bool good() const { return good_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool good_ = false;
};

constexpr const char* kReadEpoch = "SELECT value FROM meta WHERE key = 'epoch'";

std::filesystem::path free_name(const std::filesystem::path& file) {
  for (unsigned n = 1;; ++n) {
    const std::filesystem::path name = file.string() + ".broken-" + std::to_string(n);
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) return name;
  }
}

// The write-ahead log belongs to it, and would be taken for the next file's.
base::Result<Content> put_aside(const std::filesystem::path& file) {
  const auto to = free_name(file);
  for (const char* part : {"", "-wal", "-shm"}) {
    const std::filesystem::path from = file.string() + part;
    std::error_code failure;
    if (!std::filesystem::exists(from, failure)) continue;
    std::filesystem::rename(from, to.string() + part, failure);
    if (failure) {
      return base::error(fmt::format("cannot put {} aside: {}", from.string(), failure.message()));
    }
  }
  return Content{to.string()};
}

}  // namespace

// Of each batch: to parse them anew would cost more than to carry them out.
struct Database::Statements {
  explicit Statements(sqlite3* handle)
      : epoch(handle, kReadEpoch),
        set_epoch(handle, "UPDATE meta SET value = ?1 WHERE key = 'epoch'"),
        set(handle,
            "INSERT INTO record (name, value, written) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO "
            "UPDATE SET value = excluded.value, written = excluded.written"),
        forget(handle, "DELETE FROM record WHERE name = ?1") {}
  bool good() const { return epoch.good() && set_epoch.good() && set.good() && forget.good(); }

  Statement epoch, set_epoch, set, forget;
};

void Database::Closer::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(Handle handle, std::filesystem::path file, Clock clock)
    : handle_(std::move(handle)), file_(std::move(file)), clock_(clock) {}

Database::~Database() = default;

base::Error Database::failure(const char* doing) const {
  return base::error(
      fmt::format("{}: cannot {}: {}", file_.string(), doing, sqlite3_errmsg(handle_.get())));
}

base::Result<void> Database::run(const char* sql) const {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure("do what was asked");
}

base::Result<Content> Database::value_of(const char* sql) const {
  Statement statement(handle_.get(), sql);
  if (!statement.row()) return failure("read");
  return Content{statement.text(0)};
}

base::Result<std::unique_ptr<Database>> Database::connect(const std::filesystem::path& file,
                                                          Clock clock, int flags) {
  sqlite3* raw = nullptr;
  const int outcome = sqlite3_open_v2(file.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(Handle(raw), file, clock));
  if (outcome != SQLITE_OK) return database->failure("open it");
  sqlite3_busy_timeout(raw, 2000);
  return database;
}

base::Result<void> Database::check() const {
  const auto verdict = value_of("PRAGMA quick_check(1)");
  if (!verdict) return verdict.error();
  if (verdict->text != "ok") {
    return base::error(fmt::format("{}: {}", file_.string(), verdict->text));
  }
  return {};
}

base::Result<void> Database::migrate() {
  const auto version = value_of("PRAGMA user_version");
  if (!version) return version.error();
  const auto at = base::parse_number(version->text, kVersion);
  if (!at) return base::error("");  // told apart by open(): a later version's
  for (std::size_t step = *at; step < kMigrations.size(); ++step) {
    const std::string sql = fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT",
                                        kMigrations[step], step + 1);
    const auto done = run(sql.c_str());
    if (done.has_error()) return done.error();
  }
  return {};
}

// With synchronous = FULL a commit returns when the log is on the disk.
base::Result<void> Database::prepare() {
  const auto checked = check();
  if (checked.has_error()) return checked.error();
  const auto set = run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (set.has_error()) return set.error();
  return migrate();
}

base::Result<Database::Opened> Database::open(const std::filesystem::path& file, Clock clock) {
  Opened opened;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  for (int attempt = 0;; ++attempt) {
    std::error_code ignored;
    const bool was_there = std::filesystem::exists(file, ignored);
    // It holds keys of services and of ports.
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (made < 0) {
      return base::error(
          fmt::format("cannot write {}: {}", file.string(), std::system_category().message(errno)));
    }
    ::close(made);
    auto database = connect(file, clock, kFlags);
    if (!database) return database.error();
    const auto ready = (*database)->prepare();
    opened.is_new |= !was_there;
    if (!ready.has_error()) {
      opened.database = std::move(*database);
      return opened;
    }
    if (ready.error().message.empty()) {
      return base::error(fmt::format(
          "{} was written by a later version of Heddle; run that one, or name another file",
          file.string()));
    }
    const int code = sqlite3_errcode((*database)->handle_.get());
    const bool broken = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_OK ||
                        code == SQLITE_ERROR || code == SQLITE_ROW || code == SQLITE_DONE;
    if (!broken || attempt > 0) return ready.error();
    database->reset();
    const auto to = put_aside(file);
    if (!to) return to.error();
    opened.is_new = true;
    opened.put_aside = fmt::format("{} is broken ({}) and was put aside as {}", file.string(),
                                   ready.error().message, to->text);
  }
}

base::Result<std::unique_ptr<Database>> Database::open_to_read(const std::filesystem::path& file,
                                                               Clock clock) {
  auto database = connect(file, clock, SQLITE_OPEN_READWRITE);
  if (!database) return database.error();
  const auto checked = (*database)->check();
  if (checked.has_error()) return checked.error();
  const auto version = (*database)->value_of("PRAGMA user_version");
  if (!version) return version.error();
  if (version->text != std::to_string(kVersion)) {
    return base::error(
        fmt::format("{} has version {}, not {}", file.string(), version->text, kVersion));
  }
  return database;
}

base::Result<std::uint64_t> Database::epoch_to_write() {
  if (!statements_) statements_ = std::make_unique<Statements>(handle_.get());
  if (!statements_->good()) return failure("write");
  if (!statements_->epoch.row()) return failure("read");
  const std::string text = statements_->epoch.text(0);
  statements_->epoch.reset();
  return base::parse_number(text).value_or(0);
}

base::Result<void> Database::enter(std::uint64_t epoch) {
  const std::string text = std::to_string(epoch);
  statements_->set_epoch.bind(1, text);
  if (!statements_->set_epoch.execute()) return failure("write");
  return {};
}

base::Result<void> Database::write_one(const Batch& batch, std::uint64_t known, std::uint64_t now) {
  if (batch.epoch < known) {
    return base::error(
        fmt::format("{}: epoch {} is over, it is {} now", file_.string(), batch.epoch, known));
  }
  if (batch.epoch != known) {
    const auto entered = enter(batch.epoch);
    if (entered.has_error()) return entered.error();
  }
  if (batch.whole) {
    const auto emptied = run("DELETE FROM record");
    if (emptied.has_error()) return emptied.error();
  }
  for (const base::Record& record : batch.records) {
    Statement& statement = record.value ? statements_->set : statements_->forget;
    statement.bind(1, record.name);
    if (record.value) {
      statement.bind(2, *record.value);
      statement.bind(3, now - std::min(record.age, now));
    }
    if (!statement.execute()) return failure("write");
  }
  return {};
}

base::Result<void> Database::write_all(const std::vector<Batch>& batches) {
  auto epoch = epoch_to_write();
  if (!epoch) return epoch.error();
  const std::uint64_t now = clock_();
  for (const Batch& batch : batches) {
    const auto done = write_one(batch, *epoch, now);
    if (done.has_error()) return done.error();
    epoch = batch.epoch;
  }
  return {};
}

base::Result<void> Database::write(const std::vector<Batch>& batches) {
  const auto begun = run("BEGIN IMMEDIATE");
  if (begun.has_error()) return begun.error();
  auto done = write_all(batches);
  if (!done.has_error()) done = run("COMMIT");
  // A transaction that failed may have ended by itself.
  if (done.has_error() && sqlite3_get_autocommit(handle_.get()) == 0) (void)run("ROLLBACK");
  // One that failed once would go on failing.
  if (done.has_error()) statements_.reset();
  return done;
}

base::Result<std::vector<base::Record>> Database::read() const {
  std::vector<base::Record> records;
  const std::uint64_t now = clock_();
  Statement all(handle_.get(), "SELECT name, value, written FROM record ORDER BY name");
  while (all.row()) {
    const std::uint64_t written = all.number(2);
    // A clock that was put back makes nothing older than new.
    records.push_back({all.text(0), all.text(1), now - std::min(written, now)});
  }
  if (!all.good()) return failure("read");
  return records;
}

base::Result<Content> Database::fabric() const {
  return value_of("SELECT value FROM meta WHERE key = 'fabric'");
}

base::Result<std::uint64_t> Database::epoch() const {
  const auto text = value_of(kReadEpoch);
  if (!text) return text.error();
  return base::parse_number(text->text).value_or(0);
}

base::Result<void> Database::copy_to(const std::filesystem::path& file) const {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    return base::error(fmt::format("{} is there already", file.string()));
  }
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made < 0) {
    return base::error(
        fmt::format("cannot write {}: {}", file.string(), std::system_category().message(errno)));
  }
  ::close(made);
  Statement copy(handle_.get(), "VACUUM INTO ?1");
  const std::string name = file.string();
  copy.bind(1, name);
  if (!copy.execute()) return failure("copy it");
  return {};
}

}  // namespace heddle::store
