// SPDX-License-Identifier: BSD-3-Clause
// The files that the configuration names. They are the operator's, and read again whenever the
// configuration is: a broken one changes nothing that runs, but is told of until it is right.
#pragma once

#include <string>
#include <vector>

#include "app/given_names.hpp"
#include "app/logging.hpp"
#include "app/partition_policy.hpp"
#include "app/prefix_routes.hpp"
#include "app/qos_policy.hpp"
#include "app/routing_files.hpp"
#include "base/result.hpp"
#include "config/config.hpp"

namespace heddle::app {

struct NamedFiles {
  PartitionPolicy partitions;
  PrefixRoutesFile prefix_routes;
  QosPolicyFile qos_policy;
  RoutingFiles routing;
  NodeNamesFile node_names;

  // What is wrong with them, as they were read last, and what holds instead; a sentence each.
  std::vector<std::string> troubles() const;
  // What is in use, and hardly meant; a sentence each.
  std::vector<std::string> doubts() const;
};

// Reads the files that a configuration names, for who only wants to know what is wrong with them.
base::Result<NamedFiles> read_named_files(const config::Config& config);

}  // namespace heddle::app
