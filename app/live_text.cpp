// SPDX-License-Identifier: BSD-3-Clause
#include "app/live_text.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/snapshot_blueprint.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "sim/export.hpp"

namespace heddle::app {
namespace {

using fabric::SwitchIndex;

constexpr std::string_view kHead = "heddle-live 1";

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// What mad::data_vl_count() reads.
std::uint8_t code_of_vls(std::uint64_t vls) {
  return vls >= 15 ? 5 : vls >= 8 ? 4 : vls >= 4 ? 3 : vls >= 2 ? 2 : 1;
}

// That all links to other switches have.
unsigned data_vls(const sm::Snapshot& picture, SwitchIndex at) {
  unsigned least = 0;
  for (const fabric::Channel& channel : picture.topology.channels_from(at)) {
    const auto& info = picture.registers->ports[picture.topology.port_of(at, channel.out).value];
    const unsigned own =
        mad::data_vl_count(info.operational_vls != 0 ? info.operational_vls : info.vl_cap);
    if (own != 0) least = least == 0 ? own : std::min(least, own);
  }
  return least;
}

std::string head_of(const sm::Snapshot& picture, const std::string& options) {
  const std::string fabric =
      sim::export_fabric(blueprint_of(picture), sim::ExportFormat::Ibnetdiscover);
  std::string text =
      fmt::format("{}\nsweep {}\noptions {}\n{}fabric {}\n{}", kHead, picture.sweep.number,
                  lines_of(options), options, lines_of(fabric), fabric);
  for (std::uint32_t s = 0; s < picture.topology.switch_count(); ++s) {
    const auto& node = picture.topology.node(SwitchIndex{s});
    text += fmt::format("caps {} {} {} {}\n", base::hex(node.guid.value), node.linear_fdb_cap,
                        node.multicast_fdb_cap, data_vls(picture, SwitchIndex{s}));
  }
  return text;
}

std::string table_line(const sm::Snapshot& picture, SwitchIndex at) {
  const auto row = picture.routes->routes.tables.row(at);
  const std::size_t count = std::min<std::size_t>(row.size(), picture.lids.top().value + 1u);
  return fmt::format("table {} {}\n", base::hex(picture.topology.node(at).guid.value),
                     base::hex_bytes(std::as_bytes(row.first(count))));
}

std::optional<std::uint8_t> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

std::optional<std::vector<std::uint8_t>> bytes_of(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto high = digit(text[i]), low = digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(*high << 4 | *low));
  }
  if (text.size() % 2 != 0) return std::nullopt;
  return bytes;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view title) : left_(text), title_(title) {}

  base::Result<ReadLive> read() {
    if (line() != kHead) return wrong("this is no picture that this version reads");
    ReadLive out;
    std::string fabric;
    while (!left_.empty()) {
      const auto words = base::split(line(), ' ');
      const bool understood = words[0] == "sweep"     ? take_number(words, out.picture.sweep)
                              : words[0] == "options" ? take_lines(words, out.picture.options)
                              : words[0] == "fabric"  ? take_lines(words, fabric)
                              : words[0] == "caps"
                                  ? take_caps(words)
                                  : words[0] == "table" && take_table(words, out.picture);
      if (!understood) return wrong("this line is not understood");
    }
    auto blueprint = sim::parse_fabric_file(fabric, title_);
    if (blueprint.has_error()) return blueprint.error();
    out.blueprint = *std::move(blueprint);
    finish(out.blueprint);
    return {boost::system::in_place_value, std::move(out)};
  }

 private:
  struct Caps {
    std::uint64_t linear = 0, multicast = 0, vls = 0;
  };

  std::string_view line() {
    ++number_;
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return line;
  }

  bool take_number(const std::vector<std::string_view>& words, std::uint64_t& into) {
    const auto number = words.size() == 2 ? base::parse_number(words[1]) : std::nullopt;
    into = number.value_or(0);
    return number.has_value();
  }

  bool take_lines(const std::vector<std::string_view>& words, std::string& into) {
    std::uint64_t count = 0;
    if (!take_number(words, count)) return false;
    for (; count > 0 && !left_.empty(); --count) {
      into += line();
      into += '\n';
    }
    return count == 0;
  }

  bool take_caps(const std::vector<std::string_view>& words) {
    if (words.size() != 5) return false;
    const auto guid = base::parse_hex(words[1]);
    const auto linear = base::parse_number(words[2], 0xFFFF);
    const auto multicast = base::parse_number(words[3], 0xFFFF);
    const auto vls = base::parse_number(words[4], 15);
    if (!guid || !linear || !multicast || !vls) return false;
    caps_[*guid] = {*linear, *multicast, *vls};
    return true;
  }

  bool take_table(const std::vector<std::string_view>& words, LivePicture& picture) {
    if (words.size() != 3) return false;
    const auto guid = base::parse_hex(words[1]);
    auto bytes = bytes_of(words[2]);
    if (!guid || !bytes || bytes->size() > 0x10000) return false;
    picture.tables.push_back({mad::Guid{*guid}, *std::move(bytes)});
    return true;
  }

  void finish(sim::Blueprint& blueprint) const {
    for (sim::PlannedNode& node : blueprint.nodes) {
      node.line = 0;
      const auto found = caps_.find(node.guid.value);
      if (found == caps_.end()) continue;
      node.linear_fdb_cap = static_cast<std::uint16_t>(found->second.linear);
      node.multicast_fdb_cap = static_cast<std::uint16_t>(found->second.multicast);
      if (found->second.vls != 0) node.vl_cap = code_of_vls(found->second.vls);
    }
    for (sim::PlannedCable& cable : blueprint.cables) cable.line = 0;
  }

  base::Error wrong(std::string_view what) const {
    return base::error(fmt::format("{}:{}: {}", title_, number_, what));
  }

  std::string_view left_;
  std::string_view title_;
  std::size_t number_ = 0;
  std::map<std::uint64_t, Caps> caps_;
};

}  // namespace

std::function<std::optional<std::string>()> live_text(std::shared_ptr<const sm::Snapshot> picture,
                                                      std::string options) {
  if (!options.empty() && options.back() != '\n') options += '\n';
  return [picture = std::move(picture), options = std::move(options), begun = false,
          at = 0u]() mutable -> std::optional<std::string> {
    if (!std::exchange(begun, true)) return head_of(*picture, options);
    if (picture->routes == nullptr || at == picture->topology.switch_count()) return std::nullopt;
    return table_line(*picture, SwitchIndex{at++});
  };
}

base::Result<ReadLive> parse_live(std::string_view text, std::string_view title) {
  return Reader(text, title).read();
}

std::optional<fabric::ForwardingTables> standing_tables(const LivePicture& picture,
                                                        const fabric::Topology& topology) {
  std::size_t most = 0;
  for (const auto& table : picture.tables) most = std::max(most, table.out_ports.size());
  if (most == 0) return std::nullopt;
  fabric::ForwardingTables tables(topology.switch_count(),
                                  mad::Lid{static_cast<std::uint16_t>(most - 1)});
  std::vector<bool> told(topology.switch_count());
  for (const auto& table : picture.tables) {
    const auto node = topology.find_node(table.at);
    if (!node || node->value >= told.size()) continue;
    told[node->value] = true;
    const auto row = tables.row(SwitchIndex{node->value});
    std::copy(table.out_ports.begin(), table.out_ports.end(), row.begin());
  }
  if (std::find(told.begin(), told.end(), false) != told.end()) return std::nullopt;
  return tables;
}

}  // namespace heddle::app
