// SPDX-License-Identifier: BSD-3-Clause
// Files that users name: read whole, and written while other programs read them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

#include "base/result.hpp"

namespace heddle::app {

// The content of a file or a pipe, of so many bytes at most. What is too large, is a directory, or
// cannot be read is an error that names the file and the reason.
inline constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;
base::Result<std::string> read_text_file(const std::filesystem::path& file,
                                         std::size_t most = kMostFileBytes);

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
