// SPDX-License-Identifier: BSD-3-Clause
#include "app/prefix_routes.hpp"

#include <utility>

#include "store/text_file.hpp"

namespace heddle::app {
namespace {

base::Result<sa::PrefixRoutes> read_file(const std::string& path) {
  auto content = store::TextFile(path, "prefix routes").read_named();
  if (!content) return content.error();
  return sa::parse_prefix_routes(content->text, path);
}

}  // namespace

std::shared_ptr<const sa::PrefixRoutes> PrefixRoutesFile::read(const config::Config& config,
                                                               Log& log) {
  if (config.prefix_routes.empty()) {
    last_good_.reset();
    return nullptr;
  }
  auto routes = read_file(config.prefix_routes);
  if (routes) {
    // The same routes are the same value: nobody has to look at them again.
    const bool same = last_good_ && *last_good_ == *routes;
    if (!same) last_good_ = std::make_shared<const sa::PrefixRoutes>(std::move(*routes));
    return last_good_;
  }
  log.say(sm::Severity::Error, "PrefixRoutesRefused", routes.error().message);
  log.say(sm::Severity::Error, "PrefixRoutesKept",
          last_good_ ? "The prefix routes in use stay as they were"
                     : "Until the file is right, there are no paths to other subnets");
  return last_good_;
}

}  // namespace heddle::app
