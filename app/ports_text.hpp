// SPDX-License-Identifier: BSD-3-Clause
// The local ports as `heddle ports` shows them.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "transport/ports.hpp"

namespace heddle::app {

using PortChoiceResult = base::Result<transport::PortChoice>;

// A table, and below it what `heddle sm` would do.
std::string ports_table(std::span<const transport::LocalPort> ports,
                        const PortChoiceResult& choice);
// {"ports": [...], "chosen": "mlx5_0:1" or null, "remark": "..."}.
std::string ports_json(std::span<const transport::LocalPort> ports, const PortChoiceResult& choice);

}  // namespace heddle::app
