// SPDX-License-Identifier: BSD-3-Clause
// What a command that runs for long says when Ctrl-C ends it.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::app {

// While one lives, SIGINT, SIGTERM and SIGHUP end the program at once, as they would without it (a
// shell sees 130 for Ctrl-C), but first it says the sentence that was set last on standard error
// and removes the file that is being written. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // "interrupted while proving; nothing was written"
  void say(const std::string& sentence);

  // A file that is no use until it is whole, and nothing again; no effect if none lives.
  static void writing(const std::filesystem::path& temporary);
  static void written();
};

}  // namespace heddle::app
