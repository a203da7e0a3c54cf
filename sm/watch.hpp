// SPDX-License-Identifier: BSD-3-Clause
// The light sweep: a few cheap questions that tell whether anything has changed since the last
// sweep. It sends only Gets, and its outcome is what to read again, a reason for a full sweep, or
// nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "mad/switch_port_state_table.hpp"
#include "sm/context.hpp"
#include "sm/patience.hpp"
#include "sm/revisit.hpp"

namespace heddle::sm {

class Watch {
 public:
  // Along which cables to look as well: a cable that changed places while PortStateChange was being
  // cleared shows nowhere else.
  struct Cables {
    bool all = false;
    std::set<mad::Guid> of;  // these switches, if not all
  };
  // Asks every switch for its SwitchInfo, every other one for its SwitchPortStateTable where it has
  // one (all of them if all cables are looked along), the own port for its PortInfo, and once more
  // whatever did not answer behind a link that is up, and other SMs who they are. Done when the
  // transactions are idle. `patience` is asked about those that are silent, and must live until
  // then.
  void begin(Context& context, const Cables& cables, Patience& patience);
  void on_answer(Context& context, const Answer& answer);

  // Why to sweep the whole fabric; empty when there is no need to.
  const std::string& reason() const { return reason_; }
  // What to read again.
  const Suspicion& suspicion() const { return suspicion_; }

 private:
  void ask_own_port(Context& context);
  void ask_switches(Context& context, bool all_states);
  void ask_behind_silent_links(Context& context);
  void ask_along_cables(Context& context, const Cables& cables);
  void ask_neighbour(Context& context);
  void ask_managers(Context& context);
  void ask_beyond(Context& context, fabric::ObservedEnd end);
  void ask_port_states(Context& context, fabric::ObservedIndex of);
  void on_switch_info(Context& context, const Answer& answer);
  void on_port_states(Context& context, const Answer& answer);
  void on_own_port(Context& context, const Answer& answer);
  void on_neighbour(Context& context, const Answer& answer);
  void on_manager(Context& context, const Answer& answer);
  void found(std::string reason);
  void suspect(const Context& context, fabric::ObservedIndex node, std::string reason);
  void suspect_cable(const Context& context, fabric::ObservedEnd end, std::string reason);

  std::string reason_;
  Suspicion suspicion_;
  unsigned looks_ = 0;  // since the start
  Patience* patience_ = nullptr;
  std::set<std::uint32_t> answered_;  // switches, by ObservedIndex
  // By switch and block: states that did not fit what its ports say, and led to a look already.
  std::map<std::pair<mad::Guid, std::uint32_t>, mad::SwitchPortStateTable> looked_into_;
};

}  // namespace heddle::sm
