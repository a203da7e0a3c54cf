// SPDX-License-Identifier: BSD-3-Clause
// One function for each verb of the table (verbs.cpp). Each reads its arguments, asks complete(),
// and acts.
#pragma once

#include "doors/control/arguments.hpp"
#include "doors/control/verbs.hpp"

namespace heddle::doors::control {

// --- cables (actions_cables.cpp)
void link_down(Context&, Arguments&, Outcome&);
void link_up(Context&, Arguments&, Outcome&);
void link_flap(Context&, Arguments&, Outcome&);
void link_degrade(Context&, Arguments&, Outcome&);
void link_heal(Context&, Arguments&, Outcome&);
void swap_cables(Context&, Arguments&, Outcome&);
void set_loss(Context&, Arguments&, Outcome&);
void set_delay(Context&, Arguments&, Outcome&);
void set_reorder(Context&, Arguments&, Outcome&);
void set_duplicate(Context&, Arguments&, Outcome&);
void add_cable(Context&, Arguments&, Outcome&);
void ibsim_link(Context&, Arguments&, Outcome&);
void ibsim_unlink(Context&, Arguments&, Outcome&);
void ibsim_relink(Context&, Arguments&, Outcome&);
void ibsim_error(Context&, Arguments&, Outcome&);

// --- nodes (actions_nodes.cpp)
void power_off(Context&, Arguments&, Outcome&);
void power_on(Context&, Arguments&, Outcome&);
void reboot(Context&, Arguments&, Outcome&);
void freeze(Context&, Arguments&, Outcome&);
void thaw(Context&, Arguments&, Outcome&);
void busy(Context&, Arguments&, Outcome&);
void slow(Context&, Arguments&, Outcome&);
void corrupt(Context&, Arguments&, Outcome&);
void storm(Context&, Arguments&, Outcome&);
void inject(Context&, Arguments&, Outcome&);
void add_node(Context&, Arguments&, Outcome&);
void ibsim_performance_set(Context&, Arguments&, Outcome&);
void set_virtual_ports(Context&, Arguments&, Outcome&);
void ibsim_guid(Context&, Arguments&, Outcome&);
void ibsim_base_lid(Context&, Arguments&, Outcome&);

// --- the data plane (actions_traffic.cpp)
void ping(Context&, Arguments&, Outcome&);
void traffic(Context&, Arguments&, Outcome&);
void mark(Context&, Arguments&, Outcome&);
void buffers(Context&, Arguments&, Outcome&);

// --- looking, and the program itself (actions_views.cpp)
void dump(Context&, Arguments&, Outcome&);
void route(Context&, Arguments&, Outcome&);
void time(Context&, Arguments&, Outcome&);
void status(Context&, Arguments&, Outcome&);
void clients(Context&, Arguments&, Outcome&);
void dismiss(Context&, Arguments&, Outcome&);
void wait(Context&, Arguments&, Outcome&);
void quit(Context&, Arguments&, Outcome&);
void help(Context&, Arguments&, Outcome&);
void ibsim_nothing(Context&, Arguments&, Outcome&);

}  // namespace heddle::doors::control
