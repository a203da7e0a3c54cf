// SPDX-License-Identifier: BSD-3-Clause
#include "store/writer.hpp"

#include <algorithm>
#include <utility>

namespace heddle::store {

Writer::Writer(std::unique_ptr<Database> database, Open open, Done done)
    : database_(std::move(database)),
      open_(std::move(open)),
      done_(std::move(done)),
      thread_([this] { run(); }) {}

Writer::~Writer() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_one();
  thread_.join();
}

void Writer::write(std::uint64_t ticket, Batch batch) {
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(std::move(batch));
  last_ = ticket;
}

// The thread is woken only where it has nothing to do. It comes by itself where it commits, or
// pauses between commits: to be woken there for each of many batches, only to go on sleeping, would
// cost more than what is done for them.
void Writer::begin() {
  bool sleeps = false;
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty()) return;  // it has been taken with what was begun before
    begun_ = true;
    sleeps = std::exchange(idle_, false);
  }
  if (sleeps) wanted_.notify_one();
}

void Writer::drain() {
  begin();
  std::unique_lock lock(mutex_);
  drained_.wait(lock, [this] { return waiting_.empty() && !busy_; });
}

std::uint64_t Writer::commits() const {
  const std::scoped_lock lock(mutex_);
  return commits_;
}

// A database that failed is looked at anew: its file may be gone, or another one.
base::Result<void> Writer::commit(const std::vector<Batch>& batches) {
  if (!database_) {
    auto opened = open_();
    if (!opened) return opened.error();
    database_ = std::move(*opened);
  }
  auto written = database_->write(batches);
  if (written.has_error()) database_.reset();
  return written;
}

void Writer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    idle_ = true;
    wanted_.wait(lock, [this] { return ending_ || begun_; });
    idle_ = false;
    if (waiting_.empty()) return;
    // What comes alone is written at once. Where much comes, a commit for each few records would
    // cost more than everything else that is done for them.
    wanted_.wait_until(lock, committed_ + kBetweenCommits, [this] { return ending_; });
    const auto batches = std::exchange(waiting_, {});
    begun_ = false;
    const std::uint64_t ticket = last_;
    busy_ = true;
    lock.unlock();
    const auto written = commit(batches);
    const bool whole =
        std::any_of(batches.begin(), batches.end(), [](const Batch& batch) { return batch.whole; });
    done_({ticket, written.has_error() ? written.error().message : std::string(), whole});
    lock.lock();
    busy_ = false;
    committed_ = Clock::now();
    ++commits_;
    drained_.notify_all();
  }
}

}  // namespace heddle::store
