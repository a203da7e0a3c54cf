// SPDX-License-Identifier: BSD-3-Clause
// Keeps what the machine wants to survive: in a database beside the LID memory, written by a thread
// of its own (store/writer.hpp). It outlives the daemons of a session, one after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "app/logging.hpp"
#include "app/partner.hpp"
#include "app/replica.hpp"
#include "partitions/managed.hpp"
#include "sm/core.hpp"
#include "sm/memory.hpp"
#include "store/writer.hpp"

namespace heddle::app {

// Who has it writes to this database, and nobody else: a second subnet manager on this host, or
// `heddle snapshot restore`. It ends with the process, however that ends.
class MemoryLock {
 public:
  static base::Result<std::unique_ptr<MemoryLock>> take(const std::filesystem::path& database);
  ~MemoryLock();
  MemoryLock(const MemoryLock&) = delete;
  MemoryLock& operator=(const MemoryLock&) = delete;

 private:
  explicit MemoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

class Keeper {
 public:
  // How long the start waits for a replicated store.
  static constexpr std::chrono::milliseconds kFirst{1000};
  // What was there.
  struct Found {
    sm::Recalled recalled;
    bool is_new = false;  // nothing was, so older files count
  };
  // Of a database that cannot be opened the log tells; it is tried again with everything that is to
  // be written.
  Keeper(std::filesystem::path file, boost::asio::io_context& loop, Log& log, Found& found);
  ~Keeper();

  static std::filesystem::path file_beside(std::filesystem::path lid_memory);
  // Beside which it is; empty when it has a name of its own.
  static std::filesystem::path lid_memory_of(std::filesystem::path database);
  // Says that all that was promised is in this database.
  static base::Result<void> mark_whole(const std::filesystem::path& database);
  // Seconds since 1970.
  static std::uint64_t wall_clock();

  // Who hears what became of stores, on the loop; nobody after an empty one. What was asked for
  // before is done when this returns, and the next one does not hear of it.
  using Listener = std::function<void(sm::Input)>;
  void set_listener(Listener listener);
  void store(sm::Store store);

  // From now on the same goes to a standby, or comes from a master.
  base::Result<void> join(Partner::Options options);
  // Or to a replicated store, and from there. What LIDs it knows now are a beginning; if it does
  // not answer soon, it is gone on without.
  base::Result<std::vector<sm::RememberedLids>> join(Replica::Options options);
  // What the machine is, for others to hear.
  void set_state(mad::SMState state);

  // What programs have made of partitions goes the same ways from now on. `told`, on the loop: what
  // a master has instead.
  using PartitionsTold = std::function<void(std::shared_ptr<const partitions::Managed>)>;
  void share_partitions(std::shared_ptr<const partitions::Managed> managed, PartitionsTold told);
  // Whether it is for this manager to change them: else another one tells it what they are.
  bool says_partitions() const { return !(partner_ || replica_) || state_ == mad::SMState::Master; }
  // They were changed here.
  void store(std::shared_ptr<const partitions::Managed> managed);

 private:
  // Handed to the store, and to standbys under a number that grows from daemon to daemon.
  struct Pending {
    std::uint64_t number = 0, ticket = 0;
    std::string trouble;
    bool written = false;
  };

  base::Result<store::Database::Opened> open_locked();
  base::Result<std::unique_ptr<store::Database>> open();
  void recall(Found& found, store::Database& database);
  void write(store::Batch batch);
  void written(store::Writer::Outcome outcome);
  void on_written(const store::Writer::Outcome& outcome);
  void report();
  std::uint64_t taken() const;
  Partner::Events partner_events();
  void on_replica(const std::vector<store::Quorum::Event>& events);
  void hear(const store::Quorum::Told& told);
  void hear(const store::Quorum::Doubted&);
  void hear(const store::Quorum::Silent&);
  void hear(const store::Quorum::Overtaken& overtaken);
  void hear(const store::Quorum::Behind& behind);
  void hear(const store::Quorum::Lost& lost);
  void hear(const store::Quorum::Whole&);
  void hear(const store::Quorum::Heard&);
  bool told(store::State& state);
  void give_way(std::uint64_t epoch);
  // Somebody else is told what is stored here.
  bool is_shared() const { return partner_ || replica_; }
  void share(const store::State& state);
  void hear_partitions(bool whole, std::vector<base::Record>& records, bool only_newer);
  void on_partitions_misunderstood(bool whole);
  std::filesystem::path mark() const;

  std::filesystem::path file_;
  boost::asio::io_context& loop_;
  Log& log_;
  std::unique_ptr<MemoryLock> lock_;  // null: somebody else has it
  Listener listener_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool marked_ = false;  // of the writer's thread
  mad::SMState state_ = mad::SMState::Discovering;
  std::uint64_t number_ = 0;
  std::uint64_t epoch_ = 0;  // the highest that was ever heard of here
  std::deque<Pending> pending_;
  sm::Replica mirror_;                                  // all that was stored, or told by a master
  bool was_told_ = false;                               // and nothing stored since
  std::uint64_t warned_of_ = 0;                         // an epoch
  std::shared_ptr<const partitions::Managed> managed_;  // null: programs may change none
  PartitionsTold partitions_told_;
  bool partitions_understood_ = true;  // all that was told of them, since all of them were
  std::uint64_t own_epoch_ = 0;        // of what is stored here now; 0: nothing, or a master's
  std::optional<store::Writer> writer_;
  bool begins_ = false;  // it has been given something, and is going to be told to begin
  std::unique_ptr<Partner> partner_;
  std::unique_ptr<Replica> replica_;
  bool replica_is_there_ = false;  // and the log says so
};

}  // namespace heddle::app
