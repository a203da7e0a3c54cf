// SPDX-License-Identifier: BSD-3-Clause
// FABRIC as a file: which format it is, and reading it.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/blueprint.hpp"
#include "sim/fabric_lines.hpp"
#include "sim/fabric_readers.hpp"
#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

enum class Format { NetFile, LinkList, Topology, ForwardingTables };

// "L1/P1 -4x-> MTS2400 SW-1 P3": only in .topo files does a line hold an arrow behind a port.
bool is_topology_line(std::string_view line) {
  const std::size_t arrow = line.find("->");
  return arrow != line.npos && line.find_first_of("\"#[") > arrow;
}

// By the first line that tells.
Format format_of(std::string_view text) {
  Format format = Format::NetFile;
  bool known = false;
  // An error ends the search; it is not looked at.
  (void)for_each_line(text, [&](std::string_view raw, unsigned) -> base::Result<> {
    const std::string_view line = base::trim(raw);
    known = true;
    if (line.starts_with("{ CA") || line.starts_with("{ SW") || line.starts_with("{ Rt")) {
      format = Format::LinkList;
    } else if (line.starts_with("dump_ucast_routes:") || line.starts_with("Unicast lids")) {
      format = Format::ForwardingTables;
    } else if (is_topology_line(line)) {
      format = Format::Topology;
    } else {
      const auto read = read_fabric_line(raw);
      known = read && std::holds_alternative<NodeLine>(*read);
    }
    return known ? base::Result<>(base::error("found")) : base::Result<>();
  });
  return format;
}

base::Result<NamedText> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::error(fmt::format("cannot read the file '{}'", path));
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) {
      return base::error(
          fmt::format("'{}' is larger than {} bytes: no fabric file", path, kMaxFileBytes));
    }
  }
  if (file.bad()) return base::error(fmt::format("reading '{}' failed", path));
  return NamedText{path, std::move(text)};
}

fs::path folder_of(std::string_view path) {
  return fs::path(path).parent_path();
}

// Where ibutils puts its definitions depends on its version.
std::vector<fs::path> installed_definitions() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const char* root : {"/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                           "/usr/lib64", "/usr/local/lib", "/usr/share"}) {
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (!entry.path().filename().string().starts_with("ibdm")) continue;
      if (fs::is_directory(entry.path() / "ibnl", ignored)) found.push_back(entry.path() / "ibnl");
    }
  }
  return found;
}

base::Result<> read_definitions(const fs::path& folder, std::vector<NamedText>& into) {
  constexpr std::size_t kMaxDefinitions = 10'000;
  std::error_code failure;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".ibnl") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    if (into.size() >= kMaxDefinitions) {
      return base::error(fmt::format("more than {} .ibnl files", kMaxDefinitions));
    }
    auto text = read_whole(path);
    if (!text) return text.error();
    into.push_back(std::move(*text));
  }
  return {};
}

// The first definition of a system counts, so the nearest folder comes first.
base::Result<std::vector<NamedText>> definitions_for(std::string_view topology,
                                                     const LoadOptions& options) {
  std::vector<fs::path> folders{folder_of(topology), folder_of(topology) / "ibdiagnet_ibnl"};
  if (folders.front().empty()) folders.front() = ".";
  for (const std::string& folder : options.ibnl_directories) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
      return base::error(fmt::format("'{}' is no folder of .ibnl files", folder));
    }
    folders.emplace_back(folder);
  }
  for (fs::path& folder : installed_definitions()) folders.push_back(std::move(folder));
  std::vector<NamedText> found;
  for (const fs::path& folder : folders) {
    const auto read = read_definitions(folder, found);
    if (!read) return read.error();
  }
  return found;
}

}  // namespace

namespace {

base::Result<Blueprint> parse_whole(std::string_view text, std::string_view title,
                                    const OtherFiles& others) {
  switch (format_of(text)) {
    case Format::LinkList:
      return read_link_list(text, title);
    case Format::Topology:
      return read_topology_file(text, title, others);
    case Format::ForwardingTables:
      return base::error(fmt::format(
          "{}: this is a dump of forwarding tables; an ibnetdiscover dump, an ibsim net file, a "
          ".lst or a .topo is wanted",
          title));
    case Format::NetFile:
      break;
  }
  return read_net_file(text, title, others);
}

}  // namespace

// A dump that was cut off ends within a line. What comes before it is worth reading.
base::Result<Blueprint> parse_fabric_file(std::string_view text, std::string_view title,
                                          const OtherFiles& others) {
  auto blueprint = parse_whole(text, title, others);
  const std::size_t end = text.rfind('\n');
  if (!blueprint.has_error() || end == text.npos || end + 1 == text.size()) return blueprint;
  const auto last = std::count(text.begin(), text.end(), '\n') + 1;
  const std::string place = fmt::format("{}:{}: ", title, last);
  if (!blueprint.error().message.starts_with(place)) return blueprint;
  auto shorter = parse_whole(text.substr(0, end + 1), title, others);
  if (shorter.has_error()) return blueprint;
  shorter->warnings.insert(
      shorter->warnings.begin(),
      place + "the file ends within this line, which is left out; what would follow is missing");
  return shorter;
}

base::Result<Blueprint> load_fabric(std::string_view fabric, const LoadOptions& options) {
  if (is_generator_expression(fabric)) return generate_fabric(fabric);
  const std::string path(fabric);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    // What looks like an expression was meant as one: say what is wrong with it.
    const bool looks_generated = fabric.find(':') != fabric.npos && fabric.find('/') == fabric.npos;
    if (looks_generated) return generate_fabric(fabric);
    return base::error(fmt::format("cannot read the fabric file '{}'", fabric));
  }
  const auto text = read_whole(path);
  if (!text) return text.error();
  OtherFiles others;
  others.included = [](std::string_view name, std::string_view from) -> base::Result<NamedText> {
    return read_whole((folder_of(from) / fs::path(name)).string());
  };
  others.system_definitions = [&] { return definitions_for(fabric, options); };
  return parse_fabric_file(text->text, fabric, others);
}

}  // namespace heddle::sim
