// SPDX-License-Identifier: BSD-3-Clause
// What subnet administration is told after a sweep.
#pragma once

#include <memory>
#include <optional>

#include "fabric/registers.hpp"
#include "mad/sm_info.hpp"
#include "sa/subnet.hpp"
#include "sm/options.hpp"
#include "sm/picture.hpp"

namespace heddle::sm {

// kNoPort when the device's port is not in the topology.
fabric::PortIndex port_of(const Picture& picture, DeviceId device);

// Nothing when the sweep saw no subnet. The forwarding tables are those that the switches said to
// hold; where a switch did not answer, its entries lead nowhere. They are looked through unless
// `tables_hold`: all are known to be those of the picture's routes. `registers`: of that picture.
std::optional<sa::Subnet> subnet_of(const Picture& picture,
                                    std::shared_ptr<const fabric::Registers> registers,
                                    const mad::SMInfo& own, const Options& options,
                                    bool tables_hold);

}  // namespace heddle::sm
