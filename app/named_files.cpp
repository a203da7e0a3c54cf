// SPDX-License-Identifier: BSD-3-Clause
#include "app/named_files.hpp"

#include <memory>

namespace heddle::app {

std::vector<std::string> NamedFiles::troubles() const {
  std::vector<std::string> all;
  for (const std::string* one : {&partitions.trouble(), &qos_policy.trouble(),
                                 &prefix_routes.trouble(), &node_names.trouble()}) {
    if (!one->empty()) all.push_back(*one);
  }
  all.insert(all.end(), routing.troubles().begin(), routing.troubles().end());
  return all;
}

std::vector<std::string> NamedFiles::doubts() const {
  std::vector<std::string> all = partitions.doubts();
  all.insert(all.end(), qos_policy.doubts().begin(), qos_policy.doubts().end());
  return all;
}

base::Result<NamedFiles> read_named_files(const config::Config& config) {
  const auto nowhere = Log::open({.file = "/dev/null"});
  if (!nowhere) return nowhere.error();
  NamedFiles files;
  routing::Options options;
  files.partitions.read(config, **nowhere);
  files.qos_policy.read(config, **nowhere);
  files.prefix_routes.read(config, **nowhere);
  files.node_names.read(config, **nowhere);
  files.routing.read(config, **nowhere, options);
  return files;
}

}  // namespace heddle::app
