// SPDX-License-Identifier: BSD-3-Clause
// --record: every input of the machine with its time, and every MAD it sent, so that the run can
// be played again (transport/record.hpp has the format).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/record_file.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "sm/core.hpp"

namespace heddle::app {

// "tick", "routes 3", "looked-up 3", "resweep REASON", "options OPTIONS", "stored 3 [TROUBLE]",
// "shared EPOCH WHOLE[\tAGE\tNAME\tVALUE]...", "peer-silent"; nothing for a MAD.
std::optional<std::string> note_of(const sm::Input& input);

// What a machine begins with: "remember ..." (option_text.hpp), "registered LINE" for each line of
// the registrations, and "start OPTIONS".
std::vector<std::string> start_notes(const sm::Options& options,
                                     const std::vector<sm::RememberedLids>& remembered,
                                     const std::string& registrations);

class RunRecord {
 public:
  // Replaces the file; a new one is readable by its owner only, because it holds keys. An error
  // when it cannot be opened.
  static base::Result<std::unique_ptr<RunRecord>> open(const std::filesystem::path& file);

  // A machine begins: its start_notes().
  void start(base::Instant now, const sm::Options& options,
             const std::vector<sm::RememberedLids>& remembered, const std::string& registrations);
  // Before the machine gets it; a MAD or a note_of(). What it sends must be written before the next
  // input.
  void input(base::Instant now, const sm::Input& input);
  void sent(base::Instant now, const mad::Datagram& datagram);

  RecordFile& file() { return file_; }

  // For open().
  explicit RunRecord(const std::filesystem::path& file) : file_(file) {}

 private:
  RecordFile file_;
};

// A machine, and its start in the record if there is one.
sm::Core begin_machine(RunRecord* record, base::Instant now, sm::Options options,
                       std::vector<sm::RememberedLids> remembered, std::string registrations = {});

}  // namespace heddle::app
