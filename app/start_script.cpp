// SPDX-License-Identifier: BSD-3-Clause
#include "app/start_script.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

namespace heddle::app {
namespace {

void say(const std::string& line) {
  std::cerr << line << (line.ends_with('\n') ? "" : "\n") << std::flush;
}

}  // namespace

std::unique_ptr<doors::control::ScriptRunner> start_script(doors::control::Context context,
                                                           const std::filesystem::path& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  auto script = doors::control::parse_script(text, file.string(), context);
  for (const std::string& problem : script.problems) say(problem);
  return std::make_unique<doors::control::ScriptRunner>(std::move(context), std::move(script), say);
}

}  // namespace heddle::app
