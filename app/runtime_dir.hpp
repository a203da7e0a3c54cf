// SPDX-License-Identifier: BSD-3-Clause
// Where running fabrics have the sockets by which they are found.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace heddle::app {

// `wanted`, or when it is empty $RUNTIME_DIRECTORY, which a service has, $XDG_RUNTIME_DIR/heddle,
// for root /run/heddle, for others a folder of their own among the temporary ones. Made if it is
// missing; an error when it cannot be, or when somebody else could meddle with it.
base::Result<std::string> runtime_directory(const std::filesystem::path& wanted);

}  // namespace heddle::app
