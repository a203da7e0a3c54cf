// SPDX-License-Identifier: BSD-3-Clause
#include "sm/notary.hpp"

#include <limits>

namespace heddle::sm {
namespace {

// What is noticed so late was not waited for: nobody was awake.
constexpr base::Duration kSlept = std::chrono::milliseconds(250);

}  // namespace

void Notary::begin_anew() {
  running_ = true;
  all_due_ = true;
  retry_ = {};
}

void Notary::stop() {
  running_ = all_due_ = failing_ = false;
  trouble_.clear();
  pending_.clear();
  held_.clear();
  released_.clear();
}

bool Notary::wants_all(base::Instant now) const {
  if (!running_ || !all_due_) return false;
  // A store that hangs is not given more to do.
  return failing_ ? pending_.empty() && now >= retry_ : true;
}

std::uint64_t Notary::submit(base::Instant now, bool all) {
  ++last_;
  if (all) {
    last_all_ = last_;
    all_due_ = false;
  }
  pending_.push_back({last_, now});
  return last_;
}

void Notary::release(std::uint64_t up_to) {
  for (; !held_.empty() && held_.front().ticket <= up_to; held_.pop_front()) {
    released_.push_back(std::move(held_.front().promise));
  }
}

bool Notary::fail(std::string trouble) {
  const bool news = !std::exchange(failing_, true) || trouble_ != trouble;
  trouble_ = std::move(trouble);
  all_due_ = true;
  release(std::numeric_limits<std::uint64_t>::max());
  return news;
}

bool Notary::on_stored(base::Instant now, std::uint64_t ticket, const std::string& trouble) {
  if (pending_.empty() || ticket < pending_.front().ticket) return false;
  while (!pending_.empty() && pending_.front().ticket <= ticket) pending_.pop_front();
  if (!trouble.empty()) {
    retry_ = now + kRetry;
    return fail(trouble);
  }
  if (!failing_) {
    release(ticket);
    return false;
  }
  // Changes were left out meanwhile, so only all that there is makes it whole.
  if (all_due_ || ticket < last_all_) return false;
  failing_ = false;
  trouble_.clear();
  return true;
}

bool Notary::pump(base::Instant now) {
  if (!running_ || failing_ || pending_.empty()) return false;
  if (now < pending_.front().since + kPatience) return false;
  // We slept: what was to come may have come, and so may another master.
  if (now >= pending_.front().since + kPatience + kSlept) {
    for (Pending& pending : pending_) pending.since = now;
    return false;
  }
  retry_ = now;
  return fail("the store does not answer");
}

base::Instant Notary::deadline() const {
  if (!running_) return base::kNever;
  if (!failing_) return pending_.empty() ? base::kNever : pending_.front().since + kPatience;
  return all_due_ && pending_.empty() ? retry_ : base::kNever;
}

void Notary::hold(mad::Datagram promise) {
  if (failing_ || pending_.empty()) return released_.push_back(std::move(promise));
  held_.push_back({last_, std::move(promise)});
}

}  // namespace heddle::sm
