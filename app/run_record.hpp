// SPDX-License-Identifier: BSD-3-Clause
// --record: every input of the machine with its time, and every MAD it sent, so that the run can
// be played again (transport/record.hpp has the format).
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/result.hpp"
#include "base/time.hpp"
#include "sm/core.hpp"

namespace heddle::app {

class RunRecord {
 public:
  // Replaces the file. An error when it cannot be written.
  static base::Result<std::unique_ptr<RunRecord>> open(const std::filesystem::path& file);

  // Before the machine gets it. Everything but MADs is a note: "tick", "routes 3", "resweep ...".
  void input(base::Instant now, const sm::Input& input);
  void sent(base::Instant now, const mad::Datagram& datagram);

 private:
  std::ofstream file_;
};

}  // namespace heddle::app
