// SPDX-License-Identifier: BSD-3-Clause
#include "app/start_script.hpp"

#include <iostream>
#include <string>
#include <utility>

#include "app/files.hpp"

namespace heddle::app {
namespace {

void say(const std::string& line) {
  std::cerr << line << (line.ends_with('\n') ? "" : "\n") << std::flush;
}

}  // namespace

base::Result<std::unique_ptr<doors::control::ScriptRunner>> start_script(
    doors::control::Context context, const std::filesystem::path& file) {
  const auto text = read_text_file(file);
  if (text.has_error()) return text.error();
  auto script = doors::control::parse_script(*text, file.string(), context);
  for (const std::string& problem : script.problems) say(problem);
  return std::make_unique<doors::control::ScriptRunner>(std::move(context), std::move(script), say);
}

}  // namespace heddle::app
