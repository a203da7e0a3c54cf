// SPDX-License-Identifier: BSD-3-Clause
// Which entries of a table have changed since somebody asked last. It costs nothing while nobody
// wants to know.
#pragma once

#include <utility>
#include <vector>

namespace heddle::base {

template <class Key>
class Touched {
 public:
  void watch(bool wanted) {
    wanted_ = wanted;
    keys_.clear();
  }
  void add(const Key& key) {
    if (wanted_) keys_.push_back(key);
  }
  // In order; one that changed twice may stand there twice.
  std::vector<Key> take() { return std::exchange(keys_, {}); }

 private:
  bool wanted_ = false;
  std::vector<Key> keys_;
};

}  // namespace heddle::base
