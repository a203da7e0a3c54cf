// SPDX-License-Identifier: BSD-3-Clause
// What a FABRIC argument needs beside its text.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "sim/blueprint.hpp"

namespace heddle::app {

// `ibnl` is the folder of --ibnl, empty without; those of $IBDM_IBNL_PATH come after it, between
// colons as ibutils reads the variable.
sim::LoadOptions fabric_load_options(const std::string& ibnl);

void add_ibnl_option(CLI::App& command, std::string& ibnl);

}  // namespace heddle::app
