// SPDX-License-Identifier: BSD-3-Clause
// Records (base/record.hpp) in one SQLite file: a write-ahead log, a schema with versions, and a
// check whenever it is opened. What was committed survives a crash of the program and of the
// machine, as far as its disk keeps its word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record.hpp"
#include "base/result.hpp"
#include "store/text_file.hpp"

struct sqlite3;

namespace heddle::store {

// What belongs together: all of it is kept, or nothing.
struct Batch {
  std::uint64_t epoch = 0;  // of who writes; of an earlier one nothing is taken
  bool whole = false;       // it takes the place of all records
  std::vector<base::Record> records;
};

class Database {
 public:
  // Seconds since 1970; records are stamped with it, for leases.
  using Clock = std::uint64_t (*)();

  // What became of the file.
  struct Opened {
    std::unique_ptr<Database> database;
    bool is_new = false;  // there was none, or a broken one
    // A file that is no sound database has been renamed, and this says to what and why.
    std::string put_aside = {};
  };
  // Makes it, readable by its owner alone, if it is not there. An error when it cannot be written,
  // or comes from a later version of Heddle, whose file stays as it is.
  static base::Result<Opened> open(const std::filesystem::path& file, Clock clock);
  // An existing one, to look at or to copy: nothing is changed, put aside or made.
  static base::Result<std::unique_ptr<Database>> open_to_read(const std::filesystem::path& file,
                                                              Clock clock);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // In one transaction, in their order; durable when it returns.
  base::Result<void> write(const std::vector<Batch>& batches);
  // By name, with their ages.
  base::Result<std::vector<base::Record>> read() const;

  // Random, made with the file: which fabric's memory this is, whoever copied it.
  base::Result<Content> fabric() const;
  base::Result<std::uint64_t> epoch() const;
  // A copy as of now, consistent while others write; the file must not exist.
  base::Result<void> copy_to(const std::filesystem::path& file) const;

  // Of the schema; files of earlier ones are brought up to it.
  static constexpr int kVersion = 2;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  using Handle = std::unique_ptr<sqlite3, Closer>;
  Database(Handle handle, std::filesystem::path file, Clock clock);
  static base::Result<std::unique_ptr<Database>> connect(const std::filesystem::path& file,
                                                         Clock clock, int flags);
  base::Result<void> check() const;
  base::Result<void> prepare();
  base::Result<void> migrate();
  base::Result<void> run(const char* sql) const;
  base::Result<Content> value_of(const char* sql) const;
  // All of them inside a transaction.
  base::Result<std::uint64_t> epoch_to_write();
  base::Result<void> enter(std::uint64_t epoch);
  base::Result<void> write_one(const Batch& batch, std::uint64_t known, std::uint64_t now);
  base::Result<void> write_all(const std::vector<Batch>& batches);
  base::Error failure(const char* doing) const;

  struct Statements;

  Handle handle_;
  std::unique_ptr<Statements> statements_;  // none until something is written
  std::filesystem::path file_;
  Clock clock_;
};

}  // namespace heddle::store
