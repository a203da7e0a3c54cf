// SPDX-License-Identifier: BSD-3-Clause
// The script of `heddle sim --script` and `heddle sim run --script`.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.hpp"
#include "doors/control/script.hpp"

namespace heddle::app {

// Begins to carry it out. What is wrong in it goes to standard error, and those lines are left out;
// a file that cannot be read is an error.
base::Result<std::unique_ptr<doors::control::ScriptRunner>> start_script(
    doors::control::Context context, const std::filesystem::path& file);

}  // namespace heddle::app
