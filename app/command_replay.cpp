// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/parallel.hpp"
#include "app/replay.hpp"

namespace heddle::app {

Exit run_replay(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    complain(fmt::format("cannot read {}", file.string()));
    return Exit::Usage;
  }
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  auto recording = transport::parse_recording(text);
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
