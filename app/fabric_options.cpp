// SPDX-License-Identifier: BSD-3-Clause
#include "app/fabric_options.hpp"

#include <cstdlib>
#include <string_view>

#include "base/text.hpp"

namespace heddle::app {

sim::LoadOptions fabric_load_options(const std::string& ibnl) {
  sim::LoadOptions options;
  if (!ibnl.empty()) options.ibnl_directories.push_back(ibnl);
  const char* path = std::getenv("IBDM_IBNL_PATH");
  if (path == nullptr) return options;
  for (const std::string_view folder : base::split(path, ':')) {
    if (!folder.empty()) options.ibnl_directories.emplace_back(folder);
  }
  return options;
}

void add_ibnl_option(CLI::App& command, std::string& ibnl) {
  command
      .add_option("--ibnl", ibnl,
                  "Look here too for the system definitions (.ibnl) of a .topo file")
      ->option_text("DIR [$IBDM_IBNL_PATH]");
}

}  // namespace heddle::app
