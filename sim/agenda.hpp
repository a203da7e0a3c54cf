// SPDX-License-Identifier: BSD-3-Clause
// What the world itself has to do later: links that finish training, traps that are repeated,
// cables that flap. Few and slow compared with flights.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/time.hpp"

namespace heddle::sim {

class Agenda {
 public:
  using Task = std::function<void()>;

  void add(base::Instant due, Task task) {
    tasks_.emplace(std::pair{due, ++order_}, std::move(task));
  }
  bool empty() const { return tasks_.empty(); }
  // kNever when there is nothing to do.
  base::Instant next() const { return empty() ? base::kNever : tasks_.begin()->first.first; }
  // What is due first, in the order of add() where times are equal. Not on an empty agenda.
  Task take() { return std::move(tasks_.extract(tasks_.begin()).mapped()); }

 private:
  std::map<std::pair<base::Instant, std::uint64_t>, Task> tasks_;
  std::uint64_t order_ = 0;
};

}  // namespace heddle::sim
