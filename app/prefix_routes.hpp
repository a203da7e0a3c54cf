// SPDX-License-Identifier: BSD-3-Clause
// The prefix routes that the configuration names, read again whenever the configuration is.
#pragma once

#include <memory>
#include <string>

#include "app/kept_file.hpp"
#include "app/logging.hpp"
#include "config/config.hpp"
#include "sa/prefix_routes.hpp"

namespace heddle::app {

class PrefixRoutesFile {
 public:
  // Null when no file is configured. A broken or unreadable file is logged and changes nothing; if
  // it was the first one, no other subnet is reached until it is mended.
  std::shared_ptr<const sa::PrefixRoutes> read(const config::Config& config, Log& log);
  // As of KeptFile.
  const std::string& trouble() const { return file_.trouble(); }

 private:
  KeptFile<sa::PrefixRoutes> file_;
};

}  // namespace heddle::app
