// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <string>

#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "app/files.hpp"
#include "sim/export.hpp"

namespace heddle::app {
Exit run_sim_export(const SimExportArguments& arguments) {
  const auto blueprint = sim::load_fabric(arguments.fabric, fabric_load_options(arguments.ibnl));
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  for (const std::string& warning : blueprint->warnings) complain(warning);
  const auto format = sim::parse_export_format(arguments.format);
  const std::string text =
      sim::export_fabric(*blueprint, format.value_or(sim::ExportFormat::Ibnetdiscover));
  if (arguments.output.empty()) {
    std::cout << text << std::flush;
    if (std::cout) return Exit::Ok;
    complain("cannot write to standard output");
    return Exit::Output;
  }
  const auto written = replace_file(arguments.output, [&](std::ostream& out) { out << text; });
  if (written.has_error()) {
    complain(written.error().message);
    return Exit::Output;
  }
  // Who reads a .topo looks for the systems' definitions beside it.
  if (format != sim::ExportFormat::Topology) return Exit::Ok;
  for (const sim::NamedText& file : sim::system_definitions(*blueprint)) {
    const auto beside = arguments.output.parent_path() / file.name;
    const auto defined = replace_file(beside, [&](std::ostream& out) { out << file.text; });
    if (defined.has_error()) {
      complain(defined.error().message);
      return Exit::Output;
    }
  }
  return Exit::Ok;
}

}  // namespace heddle::app
