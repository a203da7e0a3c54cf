// SPDX-License-Identifier: BSD-3-Clause
// How well links are: what is known of each is held against named conditions, and what to do about
// it follows from a policy. It only says what it would; whoever asks does it, or does not.
//
// Once something is to be done about a link it stays so until restore(): a link that nobody uses
// shows no errors, and one that is used again by itself would come and go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "perf/readings.hpp"

namespace heddle::perf {

enum class Condition : std::uint8_t {
  Errors,        // a counter grows faster than its threshold allows
  Degraded,      // narrower or slower than both ends can
  Flapping,      // lost so often in the window
  Unresponsive,  // a device does not answer so many times in a row
  Rebooting,     // a device was gone and came back so often in the window
  Noisy,         // a device sends traps without end
};
inline constexpr std::size_t kConditionCount = 6;
std::string_view name_of(Condition condition);

enum class Action : std::uint8_t {
  Report,
  RouteAround,  // no route uses it, unless something is reached by it alone
  Isolate,      // the same, and a host that it alone leads to is cut off
  Disable,      // and the port is switched off; never the last way to something
};
std::string_view name_of(Action action);

struct HealthPolicy {
  bool act = false;  // false: say what would be done
  std::array<Action, kConditionCount> actions{};
  std::uint32_t losses = 5;    // of a link in the window: flapping
  std::uint32_t reboots = 3;   // of a device in the window
  std::uint32_t silences = 3;  // readings in a row that a device does not answer
  base::Duration window = std::chrono::hours(1);
  // Links about which anything is done at once: no more than both of these.
  std::uint32_t most_links = 4;
  double most_share = 0.02;
  friend bool operator==(const HealthPolicy&, const HealthPolicy&) = default;
};
// "errors disable": what to do about a condition.
base::Result<std::pair<Condition, Action>> parse_health_action(std::string_view text);

struct LinkEnd {
  mad::Guid node{};
  mad::PortNumber port{};
  friend auto operator<=>(const LinkEnd&, const LinkEnd&) = default;
};
struct LinkEnds {
  LinkEnd a, b;  // a < b
  friend auto operator<=>(const LinkEnds&, const LinkEnds&) = default;
};
LinkEnds link_of(LinkEnd one, LinkEnd other);

struct LinkFact {
  LinkEnds ends;
  bool degraded = false;
};

struct Finding {
  LinkEnds link;
  std::uint8_t conditions = 0;  // by 1 << Condition, those that hold now
  std::uint32_t counters = 0;   // that grow too fast
  Action action{};              // the strongest that the policy has for what held
  bool wanted = false;          // something is to be done, and has been since this was found
  bool capped = false;          // and is not, because enough is being done
  bool restored = false;        // somebody said so: nothing is done until it was well for a while
  friend bool operator==(const Finding&, const Finding&) = default;
};
bool has(const Finding& finding, Condition condition);
// "errors (symbol_error), degraded".
std::string text_of_conditions(const Finding& finding);

class LinkHealth {
 public:
  void set_policy(const HealthPolicy& policy) { policy_ = policy; }
  const HealthPolicy& policy() const { return policy_; }

  // The fabric as it is now, in any order, after each sweep.
  void see(base::Instant now, std::vector<LinkFact> links, std::vector<mad::Guid> nodes);
  void see(const Readings& readings);
  void see_noise(mad::Guid node, bool noisy);
  // Links that were taken out by what was wanted here are not lost.
  void judge(base::Instant now);

  // Undo. False when nothing was found there.
  bool restore(LinkEnd end);

  // By link.
  const std::map<LinkEnds, Finding>& findings() const { return findings_; }
  // Of these, where something is to be done: one for each link.
  struct Wish {
    LinkEnds link;
    Action action{};
    friend bool operator==(const Wish&, const Wish&) = default;
  };
  std::vector<Wish> wishes() const;

 private:
  using Times = std::deque<base::Instant>;
  void age(Times& times, base::Instant now) const;
  std::uint8_t conditions_of(const LinkEnds& link) const;
  std::size_t most() const;

  HealthPolicy policy_;
  std::map<LinkEnds, bool> links_;  // that are there, and whether they are degraded
  std::set<mad::Guid> nodes_;
  std::map<LinkEnds, Times> losses_;
  std::set<mad::Guid> gone_;
  std::map<mad::Guid, Times> reboots_;
  std::map<mad::Guid, std::uint32_t> silences_;
  std::set<mad::Guid> noisy_;
  std::map<LinkEnd, std::uint32_t> errors_;  // counters that exceed, where there are any
  std::map<LinkEnds, Finding> findings_;
};

}  // namespace heddle::perf
