// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli_sim.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "base/text.hpp"
#include "sim/export.hpp"

namespace heddle::app {

void add_sim_export(CLI::App& sim, std::function<Exit()>& command) {
  CLI::App* app = sim.add_subcommand(
      "export", "Write a fabric as a file of other tools, a cabling list or a drawing");
  auto arguments = std::make_shared<SimExportArguments>();
  app->add_option("FABRIC", arguments->fabric, "A generator's expression or a file")
      ->required()
      ->option_text(" ");
  app->add_option("--format", arguments->format, fmt::format("One of {}", sim::kExportFormatNames))
      ->option_text("FORMAT [ibnetdiscover]")
      ->check([](const std::string& text) {
        return sim::parse_export_format(text)
                   ? std::string()
                   : fmt::format("'{}' is no format ({})", text, sim::kExportFormatNames);
      });
  app->add_option("-o,--output", arguments->output, "Write to this file")
      ->option_text("FILE [standard output]");
  add_ibnl_option(*app, arguments->ibnl);
  app->footer(
      "ibnetdiscover and ibsim files and .lst lists can be loaded again, by Heddle and by others,\n"
      "and so can a .topo, beside which its system definitions are written (SW36.ibnl);\n"
      "cabling is CSV with one cable in a line; dot is for graphviz; svg is a drawing, in which\n"
      "large fabrics stand in bundles.\n"
      "Exit codes: 0 fine, 2 command line, 6 FABRIC cannot be built, 7 FILE cannot be written.");
  app->callback(
      [arguments, &command] { command = [arguments] { return run_sim_export(*arguments); }; });
}

}  // namespace heddle::app
