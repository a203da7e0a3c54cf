// SPDX-License-Identifier: BSD-3-Clause
// FABRIC as a file: which format it is, and reading it.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/blueprint.hpp"
#include "sim/fabric_assembly.hpp"
#include "sim/fabric_lines.hpp"
#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

// Formats that people have lying about beside the ones we read.
std::optional<std::string_view> foreign_format(std::string_view text) {
  const std::string_view head = text.substr(0, std::min<std::size_t>(text.size(), 4096));
  const std::string_view start = base::trim(head);
  if (start.starts_with("{ CA") || start.starts_with("{ SW") || start.starts_with("{ Rt")) {
    return "a .lst list of links (ibdiagnet, opensm-subnet.lst)";
  }
  if (head.find("dump_ucast_routes:") != head.npos || head.find("Unicast lids") != head.npos) {
    return "a dump of forwarding tables";
  }
  if (head.find("-> ") != head.npos && head.find("/P") != head.npos) {
    return "an ibdm .topo file";
  }
  return std::nullopt;
}

base::Error no_nodes(std::string_view text, std::string_view title) {
  constexpr std::string_view kAsk = "an ibnetdiscover dump or an ibsim net file is wanted";
  if (const auto foreign = foreign_format(text)) {
    return base::error(fmt::format("{}: this is {}; {}", title, *foreign, kAsk));
  }
  return base::error(fmt::format("{}: no node is described here; {}", title, kAsk));
}

}  // namespace

base::Result<Blueprint> parse_fabric_file(std::string_view text, std::string_view title) {
  if (foreign_format(text)) return no_nodes(text, title);
  FabricAssembly assembly(title);
  unsigned number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++number;
    const auto line = read_fabric_line(text.substr(start, end - start));
    if (!line) {
      return base::error(fmt::format("{}:{}: {}", title, number, line.error().message));
    }
    const auto added = assembly.add(*line, number);
    if (!added) return added.error();
    start = end + 1;
  }
  if (!assembly.has_nodes()) return no_nodes(text, title);
  return std::move(assembly).finish();
}

base::Result<Blueprint> load_fabric(std::string_view fabric) {
  if (is_generator_expression(fabric)) return generate_fabric(fabric);
  const std::string path(fabric);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    // What looks like an expression was meant as one: say what is wrong with it.
    const bool looks_generated = fabric.find(':') != fabric.npos && fabric.find('/') == fabric.npos;
    if (looks_generated) return generate_fabric(fabric);
    return base::error(fmt::format("cannot read the fabric file '{}'", fabric));
  }
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
      return base::error(
          fmt::format("'{}' is larger than {} bytes: no fabric file", fabric, kMaxFileBytes));
    }
  }
  if (file.bad()) return base::error(fmt::format("reading '{}' failed", fabric));
  return parse_fabric_file(text, fabric);
}

}  // namespace heddle::sim
