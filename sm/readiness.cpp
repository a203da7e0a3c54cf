// SPDX-License-Identifier: BSD-3-Clause
// After a full sweep all that it read and wrote is news to whoever passes over the ports. In the
// pause behind it, that is made what the next look at few devices goes on from: then the first of
// them takes no longer than the others.
#include "sm/machine.hpp"

namespace heddle::sm {

void Core::Machine::make_ready_for_looks() {
  unready_since.reset();
  if (!may_revisit() || options.shadow || !picture.routes) return;
  accept_what_was_written();
  const fabric::SwitchIntent written = picture.intent.switches;
  plan_ports();
  picture.intent.switches = written;  // whatever groups there are by now
  set_high_limits(options.lane_tables, *picture.frozen.topology, picture.intent);
  set_sm_levels();
  partition_programming.set_enforcement(picture.intent);
  data_vls.of(picture);
  Context with = context();
  programming.look_at_links(with);
}

// Answers to what was written change no link, mostly: then the topology is that of what is known
// by now.
void Core::Machine::accept_what_was_written() {
  auto now_known =
      fabric::freeze(picture.observation, picture.frozen.basis.held_back, &picture.frozen);
  const bool same_links = now_known.contradictions.empty() &&
                          now_known.topology->has_links_of(*picture.frozen.topology);
  if (same_links) picture.frozen.basis = std::move(now_known.basis);
}

}  // namespace heddle::sm
