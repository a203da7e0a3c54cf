// SPDX-License-Identifier: BSD-3-Clause
// The port state machine (IBA vol. 1, 7.2 and 14.2.5.6): how cables, power and physical states make
// ports Down or Initialize. Armed and Active are the SM's doing (agent).
#pragma once

#include "sim/devices.hpp"

namespace heddle::sim {

// Brings both ends to where cable, power and physical states put them: a link that can be up and
// is Down trains to Initialize, one that cannot be up goes Down. Switches remember the change in
// PortStateChange and in Devices::changed_switches. With Devices::training_takes_time the link is
// put into Devices::training instead and comes up in finish_training().
void train(Devices& devices, CableIndex cable);

// The training that began at this epoch of the cable is over; nothing if the link went down since.
void finish_training(Devices& devices, CableIndex cable, std::uint32_t epoch);

// Down now, as by Set(PortInfo.PortState = Down); then train() brings it back if it can.
void take_down(Devices& devices, CableIndex cable);

}  // namespace heddle::sim
