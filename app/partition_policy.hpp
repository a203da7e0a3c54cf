// SPDX-License-Identifier: BSD-3-Clause
// The partition policy that the configuration names, read again whenever the configuration is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/kept_file.hpp"
#include "app/logging.hpp"
#include "config/config.hpp"
#include "partitions/policy.hpp"

namespace heddle::app {

class PartitionPolicy {
 public:
  // Null when no file is configured. A broken or unreadable file is logged and changes nothing; if
  // it was the first one, nobody but the subnet manager reaches anybody until it is mended: a slip
  // of the pen must not open what the file was meant to close.
  std::shared_ptr<const partitions::Policy> read(const config::Config& config, Log& log);
  // As of KeptFile.
  const std::string& trouble() const { return file_.trouble(); }
  // What the file says, as it was read last, and hardly means; a sentence each, with its place.
  const std::vector<std::string>& doubts() const { return doubts_; }

 private:
  KeptFile<partitions::Policy> file_;
  std::vector<std::string> doubts_;
};

}  // namespace heddle::app
