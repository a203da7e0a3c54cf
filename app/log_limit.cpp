// SPDX-License-Identifier: BSD-3-Clause
#include "app/log_limit.hpp"

#include <utility>

namespace heddle::app {

bool LogLimit::admits(std::string_view event, Time now) {
  if (limit_ == 0) return true;
  auto at = counts_.find(event);
  if (at == counts_.end()) at = counts_.emplace(std::string(event), Count{now}).first;
  Count& count = at->second;
  // A window of which something is still to be told ends by take().
  if (now - count.began >= kWindow && count.left_out == 0) count = {now};
  if (count.written < limit_) {
    ++count.written;
    return true;
  }
  ++count.left_out;
  some_left_out_ = true;
  return false;
}

std::vector<LogLimit::LeftOut> LogLimit::take(Time now) {
  std::vector<LeftOut> all;
  if (!some_left_out_) return all;
  some_left_out_ = false;
  for (auto& [event, count] : counts_) {
    if (count.left_out == 0) continue;
    if (now - count.began < kWindow) {
      some_left_out_ = true;
      continue;
    }
    all.push_back({event, count.left_out});
    count = {now};
  }
  return all;
}

}  // namespace heddle::app
