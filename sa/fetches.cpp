// SPDX-License-Identifier: BSD-3-Clause
#include "sa/fetches.hpp"

namespace heddle::sa {

std::optional<mad::SmpData> Fetches::look(const Fetch& fetch, bool& known) {
  if (known_.size() >= kMaxFetched && idle()) clear();
  const auto [entry, is_new] = known_.try_emplace(fetch);
  if (is_new) {
    wanted_.push_back(fetch);
    ++asked_;
  }
  known = known && entry->second.answered;
  return entry->second.data;
}

void Fetches::learn(const Fetch& fetch, std::optional<mad::SmpData> data) {
  const auto entry = known_.find(fetch);
  if (entry == known_.end() || entry->second.answered) return;
  entry->second = {true, std::move(data)};
  --asked_;
}

void Fetches::clear() {
  known_.clear();
  wanted_.clear();
  asked_ = 0;
}

}  // namespace heddle::sa
