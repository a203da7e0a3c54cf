// SPDX-License-Identifier: BSD-3-Clause
// Who is master (IBA vol. 1, 14.4): decides after each discovery, polls the master while standing
// by, hands the office over to whoever ranks higher, and obeys the control packets of other SMs.
//
// Rank is priority, then the lower port GUID. A master that meets another master of lower rank
// sends DISCOVER, for that one may not have met it, and waits for its HANDOVER; one that meets a
// master, or unless it is `sticky` a standby, of higher rank sends HANDOVER. Who shows another
// SM_Key, or refuses, is not given the office.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "mad/sm_info.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class Election {
 public:
  mad::SMState state() const { return state_; }
  // Somebody else has the office, or shall hand it over: it is asked from time to time.
  bool polls() const { return master_.has_value(); }
  // The last poll was not answered.
  bool misses() const { return misses_ > 0; }
  // The last decision met another SM that calls itself master.
  bool rival_seen() const { return rival_seen_; }
  // Decisions met SMs that may since have become master without having met us, and have written.
  // After a look that asked them all: forgets those that follow us. True if one is gone instead, or
  // had not met us in office when we took it: it may have begun anew since.
  bool overlooked_writer(const Context& context);
  // Everything is read anew. True if there were any.
  bool forget_undecided();

  // After discovery: may we program the fabric? Otherwise we stand by, or wait for a rival.
  bool decide(Context& context, mad::Guid own_guid);
  // The last decision gave us an office that somebody else had held before.
  bool succeeds() const { return succeeds_; }
  // What was known of devices does not hold any more; the next decision tells anew.
  void lose_devices() { reachable_ = false; }

  // When nothing is being programmed: queues a HANDOVER if there is somebody to give the office to.
  // False if there is nobody.
  bool hand_over(Context& context);
  // Asks whom we stand by for, or the rival that we wait for. An answer, or silence, may end that.
  void poll(Context& context);
  void on_answer(Context& context, const Answer& answer);

  // Somebody else was made master while this one did not notice, stopped as it was: a master begins
  // as who has just come, and so finds the other one and stands by, whatever their ranks.
  void lay_down(Context& context, std::string reason);

  // Set(SMInfo) from another SM: the status to answer with.
  mad::Status on_control(Context& context, std::uint32_t modifier, const mad::SMInfo& sender);

  // A full sweep is wanted, for this reason; asked once.
  std::optional<std::string> take_wish();
  // A standby that ranks higher than its master tells it of that by trap 144, a few times unless it
  // is heard.
  bool has_to_announce() const;
  void count_announcement() { --announcements_; }
  void on_repressed() { announcements_ = 0; }

 private:
  struct Candidates {
    const OtherSM* master = nullptr;   // the highest of those that call themselves so
    const OtherSM* standby = nullptr;  // the highest of those that stand by and may have the office
    const OtherSM* highest = nullptr;  // of all that take part
    std::set<mad::Guid> undecided;     // those that may not know of us
  };
  Candidates candidates(Context& context);
  bool may_take_part(Context& context, mad::Guid guid);
  bool may_be_given_office(Context& context, const OtherSM& other);
  void settle_gift(Context& context, const Candidates& others);
  bool outranks_us(const Options& options, const OtherSM& other) const;
  bool decide_in_office(Context& context, const Candidates& others);
  bool decide_anew(Context& context, const Candidates& others);
  void take_office(Context& context, std::string reason);
  void follow(Context& context, const OtherSM& master, std::string reason);
  void control(Context& context, DeviceId device, std::uint32_t modifier);
  void on_poll(Context& context, const std::optional<mad::SMInfo>& master);
  void on_rival(Context& context, const std::optional<mad::SMInfo>& rival);
  void on_handed_over(Context& context, const Answer& answer);
  void seek(Context& context, std::string reason);
  void change(Context& context, mad::SMState to, std::string reason);

  mad::SMState state_ = mad::SMState::Discovering;
  mad::Guid own_guid_{};
  std::optional<OtherSM> master_;     // whom we poll: the master, or a rival as master
  bool reachable_ = false;            // master_->device is one
  std::optional<OtherSM> successor_;  // to whom a HANDOVER is to be sent, or is under way
  std::set<mad::Guid> unwilling_;     // who did not take the office, and were told of
  // Who may have become master since we decided; true of those that were there before our office.
  std::map<mad::Guid, bool> undecided_;
  std::set<mad::Guid> strangers_;   // who must not take part, and have been told of
  std::optional<mad::Guid> giver_;  // the former master, who gave us the office
  mad::Guid stubborn_{};            // a rival that keeps its office, or does not take ours
  unsigned misses_ = 0;             // polls in a row without an answer
  unsigned idle_ = 0;               // with one, but not the hoped for
  unsigned announcements_ = 0;      // yet to be made
  bool rival_seen_ = false;
  bool stood_by_ = false;  // since we were last master
  bool succeeds_ = false;
  bool decided_ = false;  // once at least
  std::optional<std::string> wish_;
};

}  // namespace heddle::sm
