// SPDX-License-Identifier: BSD-3-Clause
#include "store/open_file.hpp"

#include <array>

namespace heddle::store {

int OpenFile::read_all(std::string& into, std::size_t most) const {
  std::array<char, std::size_t{64} << 10> chunk;
  for (;;) {
    const ssize_t got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    into.append(chunk.data(), static_cast<std::size_t>(got));
    if (into.size() > most) return EFBIG;
  }
}

bool OpenFile::write_all(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace heddle::store
