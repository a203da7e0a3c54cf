// SPDX-License-Identifier: BSD-3-Clause
// Files that other programs read while we write them.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "base/result.hpp"

namespace heddle::app {

// Writes beside the file and renames: a reader sees the old content or the new, never half. What is
// there and is no regular file (/dev/null, a pipe, a symbolic link) is written to. The error names
// the file and the reason.
base::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<void(std::ostream&)>& write);

}  // namespace heddle::app
