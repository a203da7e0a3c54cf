// SPDX-License-Identifier: BSD-3-Clause
// Sampling (IBA vol. 1, 16.1.3.2 to 16.1.3.4): counters of one port, counted from SampleStart on
// for SampleInterval. Each management port has one mechanism, which serves one port at a time; the
// world ends what begins here at its time.
#pragma once

#include "base/time.hpp"
#include "mad/port_samples.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

// A tick: SampleStart, SampleInterval and PortXmitWait count these. Tick's own unit is the time of
// ten bits at 2.5 Gbit/s, less one.
inline constexpr base::Duration kSampleTick = std::chrono::microseconds(1);
inline constexpr std::uint8_t kTickCode = 249;

// What PortSamplesControl shows of a port: the settings of the sample that was taken of it last,
// else none; SampleStatus is the mechanism's, whichever port it serves.
mad::PortSamplesControl samples_control(const Devices& devices, PortIndex port);

// Begins what `wanted` asks for. While a sample is under way nothing changes, as on silicon.
void start_sample(Devices& devices, PortIndex port, const mad::PortSamplesControl& wanted);

mad::PortSamplesResult samples_result(const Devices& devices, PortIndex management_port);

// For the world: what is due of the sample that bears this number. One that is not under way any
// more is left alone.
void begin_interval(Devices& devices, PortIndex management_port, std::uint64_t number);
void end_interval(Devices& devices, PortIndex management_port, std::uint64_t number);

}  // namespace heddle::sim
