// SPDX-License-Identifier: BSD-3-Clause
// A replicated store in virtual time, after etcd's promises, and managers that share it by links
// that are slow, or cut in either direction.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.hpp"
#include "store/quorum.hpp"

namespace heddle::test {

// Transactions one after the other, leases by the world's clock, and a history for watches.
class StoreModel {
 public:
  store::Answer answer(base::Instant now, const store::Question& question);
  // Leases that have ended take their keys with them.
  void expire(base::Instant now);
  // Of this range, from this revision on.
  std::vector<store::Changed> changes(const store::KeyRange& range, store::Revision from) const;

  const std::map<std::string, store::Entry>& keys() const { return keys_; }
  store::Revision revision() const { return revision_; }
  std::uint64_t commits() const { return commits_; }
  std::uint64_t refused() const { return refused_; }

 private:
  struct Tied {
    std::chrono::seconds time{};
    base::Instant until{};
  };
  std::vector<store::Entry> read(const store::KeyRange& range) const;
  void write(const store::Change& change);

  std::map<std::string, store::Entry> keys_;
  std::map<std::string, store::LeaseId> tied_;
  std::map<store::LeaseId, Tied> leases_;
  std::vector<store::Changed> history_;
  store::Revision revision_ = 1;
  store::LeaseId last_lease_ = 0;
  std::uint64_t commits_ = 0, refused_ = 0;
};

struct QuorumWorld;

// One manager's side: a Quorum, the link, and what it has been told.
class Member {
 public:
  Member(QuorumWorld& world, const std::string& name);

  // Is made master by the fabric, with all that it knows; or by the way, changes.
  void become_master(std::uint64_t epoch);
  void stand_by();
  std::uint64_t say(const std::string& name, std::optional<std::string> value);
  void die() { alive_ = false; }
  void stop() { stopped_ = true; }
  void resume() { stopped_ = false; }
  bool alive() const { return alive_; }
  bool stopped() const { return stopped_; }
  bool master() const { return master_; }
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t number() const { return number_; }
  std::uint64_t taken() const { return quorum_.taken(); }

  // What a takeover would believe: empty if nothing.
  bool believes() const { return believes_; }
  const std::map<std::string, std::string>& copy() const { return copy_; }
  void forget() { believes_ = false; }

  template <class What>
  std::size_t count() const {
    std::size_t found = 0;
    for (const auto& event : events) found += std::holds_alternative<What>(event);
    return found;
  }
  std::vector<store::Quorum::Event> events;
  std::function<void(const store::Quorum::Event&)> on_event;

  // The link.
  bool cut_out = false, cut_in = false;  // questions, answers and what a watch tells
  base::Duration delay = std::chrono::milliseconds(2);

  // What its host takes for the time: how fast its own clock goes, how far it is ahead of the
  // world's, and what it says of the date.
  struct HostClock {
    std::int64_t drift_ppm = 0;
    base::Duration ahead{};
    std::chrono::seconds wall_ahead{};
  };
  HostClock clock;

  void step();

 private:
  struct Letter {
    base::Instant when{};
    std::function<void()> arrives;
  };
  store::Quorum::Moment here() const;
  void post(std::function<void()> arrives);
  void take_outputs();
  void take(const store::Quorum::Event& event);
  void ask(const store::Quorum::Ask& ask);
  void look_at_watch();

  QuorumWorld& world_;
  store::Quorum quorum_;
  std::deque<Letter> letters_;
  bool alive_ = true, stopped_ = false, master_ = false;
  std::uint64_t epoch_ = 0, number_ = 0;
  std::map<std::string, std::string> facts_;  // as master
  std::map<std::string, std::string> copy_;
  std::uint64_t copy_epoch_ = 0;
  bool believes_ = false;
  std::optional<std::pair<std::uint64_t, base::Instant>> gives_up_;  // on a question
  std::uint64_t watch_number_ = 0;
  store::Revision watched_ = 0;  // sent up to it
};

struct QuorumWorld {
  base::Instant now{std::chrono::seconds(1)};
  StoreModel store;
  bool store_up = true;
  std::vector<std::unique_ptr<Member>> members;

  Member& add(const std::string& name);
  void run_for(base::Duration time);
  std::uint64_t wall() const;
};

}  // namespace heddle::test
