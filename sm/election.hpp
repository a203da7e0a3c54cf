// SPDX-License-Identifier: BSD-3-Clause
// Who is master (IBA vol. 1, 14.4): decides after each discovery, polls the master while standing
// by, and obeys the control packets of other SMs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "mad/sm_info.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class Election {
 public:
  // How often a standby asks the master, and how many silent times in a row make it gone.
  static constexpr base::Duration kPollInterval = std::chrono::seconds(5);
  static constexpr unsigned kPollMisses = 3;

  mad::SMState state() const { return state_; }

  // After discovery: may we program the fabric? Otherwise we stand by and poll.
  bool decide(Context& context, mad::Guid own_guid);

  // The last decision met another SM that calls itself master.
  bool rival_seen() const { return rival_seen_; }

  // While standing by: asks the master. Its answer, or its silence, may end the standing by.
  void poll(Context& context);
  void on_answer(Context& context, const Answer& answer);

  // Set(SMInfo) from another SM: the status to answer with.
  mad::Status on_control(Context& context, std::uint32_t modifier, const mad::SMInfo& sender);

  // A full sweep is wanted, for this reason; asked once.
  std::optional<std::string> take_wish();

 private:
  void change(Context& context, mad::SMState to, std::string reason);

  mad::SMState state_ = mad::SMState::Discovering;
  std::optional<OtherSM> master_;  // whom we poll
  unsigned misses_ = 0;
  bool rival_seen_ = false;
  bool handed_over_ = false;  // the former master gave us the fabric
  std::optional<std::string> wish_;
};

}  // namespace heddle::sm
