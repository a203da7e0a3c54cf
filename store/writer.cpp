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
  changed_.notify_all();
  thread_.join();
}

void Writer::write(std::uint64_t ticket, Batch batch) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(batch));
    last_ = ticket;
  }
  changed_.notify_all();
}

void Writer::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
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
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    // What comes alone is written at once. Where much comes, a commit for each few records would
    // cost more than everything else that is done for them.
    changed_.wait_until(lock, committed_ + kBetweenCommits, [this] { return ending_; });
    const auto batches = std::exchange(waiting_, {});
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
    changed_.notify_all();
  }
}

}  // namespace heddle::store
