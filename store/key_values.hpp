// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a replicated store of keys and values, and what it answers: as much of etcd's
// third interface as is needed here, without the words in which it is said (store/etcd_words.hpp)
// and without the network (app/etcd_link.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle::store {

// Counts the transactions of the whole store; a key has that of the last one that wrote it, and 0
// if it is not there.
using Revision = std::int64_t;
// A key that is tied to one vanishes when it is not renewed in time. 0: none.
using LeaseId = std::int64_t;

struct Entry {
  std::string key, value;
  Revision revision = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};
// The keys from `first` up to and without `end`.
struct KeyRange {
  std::string first, end;
};

// --- what is asked

struct Read {
  KeyRange range;
};
struct Change {
  std::string key;
  std::optional<std::string> value;  // nothing: the key goes
  LeaseId lease = 0;
  friend bool operator==(const Change&, const Change&) = default;
};
// All of the changes if every key has the revision that is expected, else none.
struct Commit {
  struct Expected {
    std::string key;
    Revision revision = 0;
  };
  std::vector<Expected> expected;
  std::vector<Change> changes;
  KeyRange otherwise;  // is read if nothing is changed
};
struct Grant {
  std::int64_t seconds = 0;
};
struct Renew {
  LeaseId lease = 0;
};
using Question = std::variant<Read, Commit, Grant, Renew>;

// --- what is answered

struct Entries {
  Revision revision = 0;  // of the store, when they were so
  std::vector<Entry> entries;
};
struct Committed {
  bool done = false;
  Revision revision = 0;       // of the transaction
  std::vector<Entry> instead;  // what stands, if nothing was changed
};
struct Lease {
  LeaseId id = 0;
  std::int64_t seconds = 0;  // 0: it has ended
};
// There is no answer, so what was asked may have been done or not.
struct NoAnswer {
  std::string why;
};
using Answer = std::variant<Entries, Committed, Lease, NoAnswer>;

// --- what a watch tells: the changes of one or more transactions, whole and in order

struct Changed {
  std::string key;
  std::optional<std::string> value;
  Revision revision = 0;
};

}  // namespace heddle::store
