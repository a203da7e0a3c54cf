// SPDX-License-Identifier: BSD-3-Clause
// The policy of quality of service that the configuration names, read again whenever the
// configuration is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/kept_file.hpp"
#include "app/logging.hpp"
#include "config/config.hpp"
#include "qos/policy.hpp"

namespace heddle::app {

class QosPolicyFile {
 public:
  // Null when no file is configured. A broken or unreadable file is logged and changes nothing; if
  // it was the first one, there is no policy until it is mended.
  std::shared_ptr<const qos::Policy> read(const config::Config& config, Log& log);
  // As of KeptFile.
  const std::string& trouble() const { return file_.trouble(); }
  // What the file says, as it was read last, and has no effect; a sentence each, with its place.
  const std::vector<std::string>& doubts() const { return doubts_; }

 private:
  KeptFile<qos::Policy> file_;
  std::vector<std::string> doubts_;
};

// The partitions with the levels that the policy gives to IPoIB; as they are when there is none.
std::shared_ptr<const partitions::Policy> with_levels(
    std::shared_ptr<const partitions::Policy> partitions, const qos::Policy* policy);

}  // namespace heddle::app
