// SPDX-License-Identifier: BSD-3-Clause
// Files that other programs read while we write them.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "base/result.hpp"

namespace heddle::app {

// Who may read a file that is written.
enum class Readers {
  Usual,  // who could read what is replaced; of a new file, whom the umask lets
  Known,  // who could read what is replaced; of a new file, its owner: it may hold keys
  Owner,  // nobody else, whoever could read what is replaced
};

// Writes beside the file and renames: a reader sees the old content or the new, never half. Mode
// and owner stay, as far as this process may give them; nobody reads the content before they are
// right. What is there and is no regular file (/dev/null, a pipe, a symbolic link) is written to.
// The error names the file and the reason.
base::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<void(std::ostream&)>& write,
                                Readers readers = Readers::Usual);

}  // namespace heddle::app
