// SPDX-License-Identifier: BSD-3-Clause
#include "app/front_desk.hpp"

#include "app/clock.hpp"

namespace heddle::app {

bool FrontDesk::take(const mad::Datagram& received, std::optional<mad::Datagram>& reply) {
  const base::Instant now = coarse_now();
  const std::scoped_lock lock(mutex_);
  return desk_.take(now, received, reply);
}

void FrontDesk::open(const std::shared_ptr<const sa::View>& view, mad::SMKey key) {
  if (view == opened_with_ && key == key_) return;
  std::shared_ptr<const sa::View> before;  // let go behind the lock
  {
    const std::scoped_lock lock(mutex_);
    before = desk_.open(view, key);
  }
  opened_with_ = view;
  key_ = key;
}

void FrontDesk::set_trust(const sa::Trust& trust) {
  const std::scoped_lock lock(mutex_);
  desk_.set_trust(trust);
}

void FrontDesk::limit(std::uint32_t requests_per_second) {
  const std::scoped_lock lock(mutex_);
  desk_.limit(requests_per_second);
}

std::vector<sa::Talkers::Talker> FrontDesk::take_talkers() {
  const std::scoped_lock lock(mutex_);
  return desk_.take_talkers();
}

}  // namespace heddle::app
