// SPDX-License-Identifier: BSD-3-Clause
#include "app/prefix_routes.hpp"

namespace heddle::app {
namespace {

constexpr KeptFileWords kWords{
    .what = "prefix routes",
    .refused = "PrefixRoutesRefused",
    .kept = "PrefixRoutesKept",
    .as_before = "The prefix routes in use stay as they were",
    .until_right = "Until the file is right, there are no paths to other subnets",
};

}  // namespace

std::shared_ptr<const sa::PrefixRoutes> PrefixRoutesFile::read(const config::Config& config,
                                                               Log& log) {
  return file_.read(config.prefix_routes, kWords, log, sa::parse_prefix_routes);
}

}  // namespace heddle::app
