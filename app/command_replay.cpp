// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/parallel.hpp"
#include "app/replay.hpp"

namespace heddle::app {

Exit run_replay(const std::filesystem::path& file) {
  // Of days; what is too large for the memory is not one to play again.
  constexpr std::size_t kMost = std::size_t{16} << 30;
  const auto text = read_text_file(file, kMost);
  if (text.has_error()) {
    complain(text.error().message);
    return Exit::Usage;
  }
  auto recording = transport::parse_recording(*text);
  if (recording.has_error()) {
    complain(fmt::format("{}: {}", file.string(), recording.error().message));
    return Exit::Usage;
  }
  const auto played = replay(std::move(recording.value()), all_cores());
  if (played.has_error()) {
    complain(fmt::format("{}: {}", file.string(), played.error().message));
    return Exit::Usage;
  }
  const bool same = played->difference.empty();
  std::cout << (same ? "same" : played->difference) << "\n";
  return same ? Exit::Ok : Exit::Internal;
}

}  // namespace heddle::app
