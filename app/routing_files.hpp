// SPDX-License-Identifier: BSD-3-Clause
// The files that the configuration's [routing] names, read again whenever the configuration is.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/logging.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "routing/engine.hpp"

namespace heddle::app {

class RoutingFiles {
 public:
  // Adds what the files say to the options. A broken or unreadable file is logged, and what it said
  // when it was last right holds on.
  void read(const config::Config& config, Log& log, routing::Options& options);
  // The same; gives back what the log would be told of broken files.
  std::vector<base::Error> read(const config::Config& config, routing::Options& options);
  // What was wrong when they were read last, and what holds instead.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  std::vector<std::string> troubles_;
  std::optional<routing::TorusFile> torus_;
  std::vector<routing::SwitchId> ids_;
  std::vector<mad::Guid> roots_, order_, compute_, io_;
  std::shared_ptr<const routing::TableFile> tables_, lid_matrix_;
  std::vector<routing::HopWeight> weights_;
  std::vector<routing::SwitchPort> uncounted_;
};

}  // namespace heddle::app
