// SPDX-License-Identifier: BSD-3-Clause
#include "app/keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/clock.hpp"
#include "app/partition_records.hpp"

namespace heddle::app {

std::filesystem::path Keeper::file_beside(std::filesystem::path lid_memory) {
  lid_memory += ".db";
  return lid_memory;
}

std::filesystem::path Keeper::lid_memory_of(std::filesystem::path database) {
  return database.extension() == ".db" ? database.replace_extension() : std::filesystem::path();
}

base::Result<std::unique_ptr<MemoryLock>> MemoryLock::take(const std::filesystem::path& database) {
  const std::string file = database.string() + ".lock";
  const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made < 0) {
    return base::error(
        fmt::format("cannot write {}: {}", file, std::system_category().message(errno)));
  }
  std::unique_ptr<MemoryLock> lock(new MemoryLock(made));
  if (::flock(made, LOCK_EX | LOCK_NB) == 0) return lock;
  return base::error(
      fmt::format("another subnet manager of this host writes to {}", database.string()));
}

MemoryLock::~MemoryLock() {
  ::close(descriptor_);
}

base::Result<void> Keeper::mark_whole(const std::filesystem::path& database) {
  const std::string file = database.string() + ".whole";
  if (std::ofstream(file).flush()) return {};
  return base::error(fmt::format("cannot write {}", file));
}

std::uint64_t Keeper::wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

Keeper::Keeper(std::filesystem::path file, boost::asio::io_context& loop, Log& log, Found& found)
    : file_(std::move(file)), loop_(loop), log_(log) {
  auto opened = open_locked();
  if (!opened) {
    log_.say(sm::Severity::Error, "MemoryNotOpened",
             fmt::format("What clients register is not stored, and would be lost by a crash: {}",
                         opened.error().message));
  } else {
    if (!opened->put_aside.empty()) {
      log_.say(sm::Severity::Error, "MemoryPutAside",
               opened->put_aside + "; the subnet manager goes on with an empty one");
    }
    found.is_new = opened->is_new && opened->put_aside.empty();
    recall(found, *opened->database);
    if (const auto epoch = opened->database->epoch()) epoch_ = *epoch;
  }
  std::error_code ignored;
  marked_ = std::filesystem::exists(mark(), ignored);
  writer_.emplace(
      opened ? std::move(opened->database) : nullptr, [this] { return open(); },
      [this](store::Writer::Outcome outcome) { written(std::move(outcome)); });
}

Keeper::~Keeper() = default;

// There while all that was promised is in the database. It goes when something could not be
// written: removing a file needs no room.
std::filesystem::path Keeper::mark() const {
  return file_.string() + ".whole";
}

void Keeper::recall(Found& found, store::Database& database) {
  auto records = database.read();
  if (!records) {
    log_.say(sm::Severity::Error, "MemoryNotRead", records.error().message);
    return;
  }
  take_partition_records(*records);  // they have a file
  found.recalled = sm::recall(*records);
  std::error_code ignored;
  std::string& registrations = found.recalled.registrations;
  const auto keys = sm::to_text(sm::take_keys(registrations));
  const bool lost = !registrations.empty() && !std::filesystem::exists(mark(), ignored);
  registrations = lost ? keys : keys + registrations;
  if (!lost) return;
  log_.say(sm::Severity::Warning, "MemoryNotWhole",
           "The last run could not store all that clients had registered, so they are asked again");
}

base::Result<store::Database::Opened> Keeper::open_locked() {
  if (!lock_) {
    auto lock = MemoryLock::take(file_);
    if (!lock) return lock.error();
    lock_ = std::move(*lock);
  }
  return store::Database::open(file_, wall_clock);
}

base::Result<std::unique_ptr<store::Database>> Keeper::open() {
  auto opened = open_locked();
  if (!opened) return opened.error();
  if (!opened->put_aside.empty()) {
    boost::asio::post(loop_, [this, text = opened->put_aside, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) log_.say(sm::Severity::Error, "MemoryPutAside", text);
    });
  }
  return std::move(opened->database);
}

// On the writer's thread. What is promised is promised when the mark agrees.
void Keeper::written(store::Writer::Outcome outcome) {
  const bool well = outcome.trouble.empty();
  if (marked_ && !well) {
    std::error_code ignored;
    std::filesystem::remove(mark(), ignored);
    marked_ = false;
  } else if (!marked_ && well && outcome.whole) {
    marked_ = !mark_whole(file_).has_error();
  }
  boost::asio::post(loop_, [this, outcome = std::move(outcome), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) on_written(outcome);
  });
}

void Keeper::on_written(const store::Writer::Outcome& outcome) {
  for (Pending& pending : pending_) {
    if (pending.number > outcome.ticket) break;
    if (pending.written) continue;
    pending.written = true;
    pending.trouble = outcome.trouble;
  }
  report();
}

std::uint64_t Keeper::taken() const {
  if (partner_) return partner_->taken();
  return replica_ ? replica_->taken() : number_;
}

// In order; of several at once the last will do.
void Keeper::report() {
  const std::uint64_t taken = this->taken();
  std::optional<sm::Stored> last;
  while (!pending_.empty() && pending_.front().written && pending_.front().number <= taken) {
    Pending done = std::move(pending_.front());
    pending_.pop_front();
    if (last && last->trouble != done.trouble && listener_) listener_(std::move(*last));
    last = sm::Stored{done.ticket, std::move(done.trouble)};
  }
  if (last && listener_) listener_(std::move(*last));
}

void Keeper::set_listener(Listener listener) {
  writer_->drain();
  pending_.clear();  // of another machine
  listener_ = std::move(listener);
  if (listener_ && replica_) listener_(sm::Shared{epoch_, false, {}});  // it comes after that one
  if (!listener_ || !was_told_ || mirror_.empty()) return;
  auto records = mirror_.records(steady_now());
  take_partition_records(records);
  listener_(sm::Shared{mirror_.epoch(), true, std::move(records)});
}

void Keeper::store(sm::Store store) {
  ++number_;
  was_told_ = false;
  state_ = mad::SMState::Master;
  epoch_ = std::max(epoch_, store.epoch);
  own_epoch_ = store.epoch;
  pending_.push_back({number_, store.ticket, {}, false});
  store::State state{number_, {store.epoch, store.whole, std::move(store.records)}};
  if (store.whole && managed_ && is_shared()) {
    store::State with_partitions = state;
    auto& records = with_partitions.batch.records;
    auto partitions = partition_changes({}, *managed_);
    records.insert(records.end(), std::make_move_iterator(partitions.begin()),
                   std::make_move_iterator(partitions.end()));
    share(with_partitions);
  } else {
    share(state);
  }
  write(std::move(state.batch));
}

// Many requests that come together are carried out one by one, and all that comes of them goes into
// one commit: the writer begins when the loop has done what it is at.
void Keeper::write(store::Batch batch) {
  writer_->write(number_, std::move(batch));
  if (std::exchange(begins_, true)) return;
  boost::asio::post(loop_, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    begins_ = false;
    writer_->begin();
  });
}

void Keeper::share(const store::State& state) {
  if (replica_) replica_->publish(state);
  if (!partner_) return;
  mirror_.take(steady_now(), state.batch.epoch, state.batch.whole, state.batch.records);
  partner_->publish(state);
}

void Keeper::share_partitions(std::shared_ptr<const partitions::Managed> managed,
                              PartitionsTold told) {
  managed_ = std::move(managed);
  partitions_told_ = std::move(told);
}

// Nobody waits for it: what counts here is the file, which has it already, and not the database.
void Keeper::store(std::shared_ptr<const partitions::Managed> managed) {
  const auto before = std::exchange(managed_, std::move(managed));
  if (own_epoch_ == 0 || !is_shared()) return;
  share({++number_, {own_epoch_, false, partition_changes(*before, *managed_)}});
}

void Keeper::hear_partitions(bool whole, std::vector<base::Record>& records, bool only_newer) {
  const auto partitions = take_partition_records(records);
  if (partitions.empty() || !managed_) return;
  if (!whole && !partitions_understood_) return;  // it builds upon what is not known here
  auto told = with_records(*managed_, whole, partitions);
  partitions_understood_ = told.has_value();
  if (!told) return on_partitions_misunderstood(whole);
  // Each change has a generation of its own.
  const bool same = whole ? *told == *managed_ : told->generation == managed_->generation;
  if (same || (only_newer && told->generation <= managed_->generation)) return;
  managed_ = std::make_shared<const partitions::Managed>(std::move(*told));
  if (partitions_told_) partitions_told_(managed_);
}

// Everything is asked for anew, unless that was what is not understood.
void Keeper::on_partitions_misunderstood(bool whole) {
  log_.say(sm::Severity::Error, "PartitionsNotUnderstood",
           "What the master tells of partitions that programs have made is not understood; those "
           "that were known here stay");
  if (whole) return;
  if (partner_) partner_->begin_anew("what it tells of partitions is not understood");
  if (replica_) replica_->read_again();
}

// --- with a partner

base::Result<void> Keeper::join(Partner::Options options) {
  auto partner = Partner::open(loop_, log_, std::move(options), partner_events());
  if (!partner) return partner.error();
  partner_ = std::move(*partner);
  return {};
}

Partner::Events Keeper::partner_events() {
  Partner::Events events;
  events.now = [this] {
    auto role = store::Role::None;
    if (state_ == mad::SMState::Master) role = store::Role::Master;
    if (state_ == mad::SMState::Standby) role = store::Role::Standby;
    return store::Beat{role, epoch_};
  };
  events.everything = [this]() -> std::optional<store::State> {
    if (state_ != mad::SMState::Master || was_told_ || mirror_.empty()) return std::nullopt;
    return store::State{number_, {mirror_.epoch(), true, mirror_.records(steady_now())}};
  };
  events.told = [this](store::State& state) { return told(state); };
  events.behind = [this](std::uint64_t epoch) {
    if (listener_) listener_(sm::Shared{epoch, false, {}});
  };
  events.silent = [this] {
    if (listener_) listener_(sm::PeerSilent{});
  };
  // Not at once: it may be the machine's own output that made a link too full.
  events.taken = [this, alive = std::weak_ptr(alive_)] {
    boost::asio::post(loop_, [this, alive] {
      if (!alive.expired()) report();
    });
  };
  events.overtaken = [this](std::uint64_t epoch) { give_way(epoch); };
  events.doubted = [this] { hear(store::Quorum::Doubted{}); };
  return events;
}

// To a master of a later epoch: said once, the fabric decides the rest.
void Keeper::give_way(std::uint64_t epoch) {
  if (!listener_ || std::exchange(warned_of_, epoch) == epoch) return;
  listener_(sm::Shared{epoch, true, {}});
}

// What is over is not taken: its master hears of our epoch, and says everything anew under a later
// one, unless it finds that it is none.
bool Keeper::told(store::State& state) {
  store::Batch& batch = state.batch;
  if (batch.epoch < epoch_) return false;
  epoch_ = batch.epoch;
  mirror_.take(steady_now(), batch.epoch, batch.whole, batch.records);
  was_told_ = true;
  own_epoch_ = 0;
  hear_partitions(batch.whole, batch.records, false);
  if (listener_) listener_(sm::Shared{batch.epoch, batch.whole, batch.records});
  write(std::move(batch));
  return true;
}

}  // namespace heddle::app
