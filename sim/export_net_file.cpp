// SPDX-License-Identifier: BSD-3-Clause
// The text that ibnetdiscover prints of a fabric, which ibsim and our own importer load.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/export.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

// One line must stay one line.
std::string one_line(std::string_view text) {
  std::string safe(text);
  for (char& c : safe) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return safe;
}

// ibsim takes any '=' behind a port for an option.
std::string without_equals(std::string text) {
  std::replace(text.begin(), text.end(), '=', '-');
  return text;
}

// ibsim keeps '#' and '@' for itself and cuts longer names.
bool can_be_id(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  if (name.empty() || name.size() > kLongest) return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '#' || c == '@') return false;
  }
  return true;
}

std::vector<std::string> ids_of(const Blueprint& blueprint, bool by_name) {
  std::vector<std::string> ids;
  std::set<std::string> used;
  for (const PlannedNode& node : blueprint.nodes) {
    const char kind = node.type == mad::NodeType::Switch   ? 'S'
                      : node.type == mad::NodeType::Router ? 'R'
                                                           : 'H';
    std::string id = by_name && can_be_id(node.name)
                         ? node.name
                         : fmt::format("{}-{:016x}", kind, node.guid.value);
    // A GUID may be there twice: faulty fabrics are worth keeping too.
    for (unsigned copy = 2; !used.insert(id).second; ++copy) {
      id = fmt::format("{}-{:016x}-{}", kind, node.guid.value, copy);
    }
    ids.push_back(std::move(id));
  }
  return ids;
}

class NetFileWriter {
 public:
  NetFileWriter(const Blueprint& blueprint, bool by_name)
      : blueprint_(blueprint), ids_(ids_of(blueprint, by_name)), ports_(blueprint) {}

  std::string write() && {
    text_ = fmt::format("#\n# Topology file: {}\n#\n", one_line(blueprint_.title));
    for (std::uint32_t node = 0; node < blueprint_.nodes.size(); ++node) {
      write_header(node);
      for (unsigned port = 1; port <= blueprint_.nodes[node].port_count; ++port) {
        if (ports_.at(node, port).cable != nullptr) write_port(node, port);
      }
    }
    return std::move(text_);
  }

 private:
  void write_header(std::uint32_t index) {
    const PlannedNode& node = blueprint_.nodes[index];
    text_ += fmt::format("\nvendid=0x{:x}\ndevid=0x{:x}\nsysimgguid=0x{:x}\n", node.vendor_id,
                         node.device_id, node.system_image_guid.value);
    const std::string description = one_line(node.description);
    if (node.type == mad::NodeType::Switch) {
      const PlannedPort own = shown_port(node, 0);
      text_ += fmt::format(
          "switchguid=0x{:x}({:x})\nSwitch\t{} \"{}\"\t\t# \"{}\" {} port 0 lid {} lmc {}\n",
          node.guid.value, own.guid.value, node.port_count, ids_[index], description,
          node.enhanced_port0 ? "enhanced" : "base", own.lid.value, own.lmc);
      return;
    }
    const bool is_router = node.type == mad::NodeType::Router;
    text_ += fmt::format("{}guid=0x{:x}\n{}\t{} \"{}\"\t\t# \"{}\"\n", is_router ? "rt" : "ca",
                         node.guid.value, is_router ? "Rt" : "Ca", node.port_count, ids_[index],
                         description);
  }

  void write_port(std::uint32_t index, unsigned port) {
    const PlannedNode& node = blueprint_.nodes[index];
    const PortMap::Plug& plug = ports_.at(index, port);
    const PlannedNode& peer = blueprint_.nodes[plug.peer.node];
    const PlannedPort own = shown_port(node, port);
    const PlannedPort other = shown_port(peer, plug.peer.port);
    const bool is_switch = node.type == mad::NodeType::Switch;
    text_ += fmt::format("[{}]", port);
    if (!is_switch) text_ += fmt::format("({:x}) ", own.guid.value);
    text_ += fmt::format("\t\"{}\"[{}]", ids_[plug.peer.node], plug.peer.port);
    if (peer.type != mad::NodeType::Switch) text_ += fmt::format("({:x})", other.guid.value);
    text_ += "\t\t# ";
    if (!is_switch) text_ += fmt::format("lid {} lmc {} ", own.lid.value, own.lmc);
    text_ += fmt::format("\"{}\" lid {} {}{}\n", without_equals(one_line(peer.description)),
                         other.lid.value, name_of(plug.cable->width), name_of(plug.cable->speed));
  }

  const Blueprint& blueprint_;
  std::vector<std::string> ids_;
  PortMap ports_;
  std::string text_;
};

}  // namespace

std::string net_file_text(const Blueprint& blueprint, bool by_name) {
  return NetFileWriter(blueprint, by_name).write();
}

}  // namespace heddle::sim
