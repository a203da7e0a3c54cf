// SPDX-License-Identifier: BSD-3-Clause
// Writes to a database on a thread of its own. What came while one commit was under way, and in the
// two milliseconds after it, goes into the next one together, so however slow the disk, nobody
// waits for more than two commits and that pause.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/database.hpp"

namespace heddle::store {

class Writer {
 public:
  // Everything up to the ticket is written; or is not, and why.
  struct Outcome {
    std::uint64_t ticket = 0;
    std::string trouble;
    bool whole = false;  // with all records among it
  };
  // Told on the writer's thread, in the order of the tickets.
  using Done = std::function<void(Outcome)>;
  // Where a database comes from if there is none, or it has failed: on the writer's thread, each
  // time that something is to be written.
  using Open = std::function<base::Result<std::unique_ptr<Database>>()>;

  // The database may be null.
  Writer(std::unique_ptr<Database> database, Open open, Done done);
  // Writes what it was given, and ends.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Any thread; tickets grow. Several batches may be given before begin(), to go into one commit;
  // nothing is sure to be written without it.
  void write(std::uint64_t ticket, Batch batch);
  void begin();
  // Returns when all that was given until now has been written, or has failed. Nobody may write
  // meanwhile.
  void drain();
  // Commits so far.
  std::uint64_t commits() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenCommits{2};

  void run();
  base::Result<void> commit(const std::vector<Batch>& batches);

  std::unique_ptr<Database> database_;
  Open open_;
  Done done_;
  mutable std::mutex mutex_;
  std::condition_variable wanted_;   // the thread waits
  std::condition_variable drained_;  // who waits for it
  std::vector<Batch> waiting_;
  std::uint64_t last_ = 0;
  std::uint64_t commits_ = 0;
  Clock::time_point committed_{};  // when the latest commit ended
  bool begun_ = false;             // what waits, or a part of it, is to be written
  bool idle_ = false;              // the thread sleeps until that is so
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace heddle::store
