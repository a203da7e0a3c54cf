// SPDX-License-Identifier: BSD-3-Clause
// A store in virtual time: what was written there outlives its subnet manager. It may be slow,
// fail, hang, or be the last thing that its machine does.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "sm/core.hpp"

namespace heddle::test {

class Shelf {
 public:
  base::Duration delay = std::chrono::microseconds(300);
  std::string trouble;  // every write fails like this, unless it is empty
  bool hangs = false;
  // Somebody else has to have it too before a write counts: that takes so much longer, and is not
  // over before this moment.
  base::Duration ack_delay{};
  base::Instant ack_not_before{};
  // The manager dies with this write, the first being 0: when it is done, or just before.
  std::optional<std::uint64_t> last_write;
  bool last_is_done = true;
  // Hears what has been written, before the manager does.
  std::function<void(const sm::Store&)> on_written;

  void take(base::Instant now, sm::Store store) {
    under_way_.push_back({now + delay, std::move(store)});
  }
  base::Instant deadline() const {
    const auto next = under_way_.empty() || hangs ? base::kNever : under_way_.front().when;
    return waiting_.empty() ? next : std::min(next, acked(waiting_.front()));
  }
  // What is due now, in order; nothing more once it has died.
  std::vector<sm::Stored> take_due(base::Instant now) {
    std::vector<sm::Stored> done;
    while (!dead_ && !hangs && !under_way_.empty() && under_way_.front().when <= now) {
      sm::Store store = std::move(under_way_.front().store);
      const auto when = under_way_.front().when;
      under_way_.pop_front();
      dead_ = last_write == writes_++;
      if (dead_ && !last_is_done) break;
      if (trouble.empty()) apply(store);
      if (dead_) break;
      waiting_.push_back({when + ack_delay, {store.ticket, trouble}});
    }
    for (; !dead_ && !waiting_.empty() && acked(waiting_.front()) <= now; waiting_.pop_front()) {
      done.push_back(std::move(waiting_.front().stored));
    }
    return done;
  }
  bool dead() const { return dead_; }
  // The manager died, by whatever: it is another one that writes from now on.
  void revive() {
    under_way_.clear();
    waiting_.clear();
    last_write.reset();
    dead_ = false;
  }

  std::uint64_t writes() const { return writes_; }
  const std::map<std::string, std::string>& facts() const { return facts_; }
  std::vector<base::Record> records() const {
    std::vector<base::Record> records;
    for (const auto& [name, value] : facts_) records.push_back({name, value});
    return records;
  }

 private:
  void apply(const sm::Store& store) {
    if (store.epoch < epoch_) return;
    epoch_ = store.epoch;
    if (store.whole) facts_.clear();
    for (const base::Record& record : store.records) {
      if (record.value) {
        facts_[record.name] = *record.value;
      } else {
        facts_.erase(record.name);
      }
    }
    if (on_written) on_written(store);
  }

  struct Waiting {
    base::Instant when{};
    sm::Stored stored;
  };
  base::Instant acked(const Waiting& waiting) const {
    return std::max(waiting.when, ack_not_before);
  }

  struct UnderWay {
    base::Instant when{};
    sm::Store store;
  };
  std::deque<UnderWay> under_way_;
  std::deque<Waiting> waiting_;
  std::map<std::string, std::string> facts_;
  std::uint64_t epoch_ = 0;
  std::uint64_t writes_ = 0;
  bool dead_ = false;
};

}  // namespace heddle::test
