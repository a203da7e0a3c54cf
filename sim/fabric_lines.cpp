// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/fabric_cursor.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kMaxPorts = 254;

bool starts_with_word(std::string_view line, std::string_view word) {
  if (line.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(line[i])) != word[i]) return false;
  }
  return line.size() == word.size() ||
         std::isalpha(static_cast<unsigned char>(line[word.size()])) == 0;
}

// The number behind the last or first " lid " and the like.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t' ||
                        text[at - 1] == '"' || text[at - 1] == '#';
    if (!begins) continue;
    Cursor cursor(text.substr(at + word.size()));
    if (const auto digits = cursor.digits()) return base::parse_number(*digits);
  }
  return std::nullopt;
}

// The remark behind '#': what stands before, between and behind the quotation marks.
struct Remark {
  std::string_view before;
  std::optional<std::string_view> quoted;
  std::string_view behind;
};

Remark read_remark(std::string_view text) {
  Remark remark;
  const std::size_t hash = text.find('#');
  if (hash == std::string_view::npos) return remark;
  text.remove_prefix(hash + 1);
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (open == std::string_view::npos || close == open) {
    remark.before = text;
    return remark;
  }
  remark.before = text.substr(0, open);
  remark.quoted = text.substr(open + 1, close - open - 1);
  remark.behind = text.substr(close + 1);
  return remark;
}

struct Rate {
  std::optional<Width> width;
  std::optional<Speed> speed;
  bool unknown = false;
};

Rate read_rate(std::string_view text) {
  for (const std::string_view raw : base::split(text, ' ')) {
    const std::string_view word = base::trim(raw);
    const std::size_t x = word.find('x');
    if (x == std::string_view::npos || x == 0 || word.starts_with("0x")) continue;
    const auto width = parse_width(word.substr(0, x + 1));
    const auto speed = parse_speed(word.substr(x + 1));
    return {width, speed, !width || !speed};
  }
  return {};
}

base::Result<std::optional<std::uint64_t>> read_guid_in_brackets(Cursor& cursor) {
  if (!cursor.eat('(')) return std::optional<std::uint64_t>{};
  const auto text = cursor.until(')');
  const auto guid = text ? base::parse_hex(base::trim(*text)) : std::nullopt;
  if (!guid) return base::error("a GUID in parentheses is not one");
  return std::optional(*guid);
}

// "[7]", and behind it perhaps "[ext 3]" as chassis are printed.
base::Result<std::uint8_t> read_port_number(Cursor& cursor) {
  const auto text = cursor.eat('[') ? cursor.until(']') : std::nullopt;
  if (!text) return base::error("expected a port number in square brackets");
  const auto number = base::parse_number(base::trim(*text), kMaxPorts);
  if (!number || *number == 0) {
    return base::error(
        fmt::format("'{}' is not a port number (1 to {})", base::printable(*text), kMaxPorts));
  }
  if (cursor.eat('[') && !cursor.until(']')) return base::error("a bracket is not closed");
  return static_cast<std::uint8_t>(*number);
}

base::Result<std::string_view> read_id(Cursor& cursor) {
  const auto id = cursor.eat('"') ? cursor.until('"') : std::nullopt;
  if (!id || id->empty()) return base::error("expected a node's name in quotation marks");
  return *id;
}

struct BitField {
  std::string_view name;    // of the line that holds for many ports
  std::string_view option;  // of one port's line
  std::uint64_t most;
  std::optional<std::uint8_t> EnabledBits::*member;
};
constexpr std::array<BitField, 3> kBitFields{{{"width", "w", 0x1F, &EnabledBits::width},
                                              {"speed", "s", 0x07, &EnabledBits::speed},
                                              {"extspeed", "e", 0x1F, &EnabledBits::extended}}};

base::Result<> set_bits(EnabledBits& bits, const BitField& field, std::string_view value) {
  const auto number = base::parse_number(base::trim(value), field.most);
  const bool nothing_left = field.option == "w" && number == 0u;
  if (!number || nothing_left) {
    return base::error(fmt::format("{}={} is no set of register bits (up to {})", field.option,
                                   base::printable(base::trim(value)), field.most));
  }
  bits.*field.member = static_cast<std::uint8_t>(*number);
  return {};
}

// "w=2 s=4", with or without blanks about the sign.
base::Result<EnabledBits> read_options(std::string_view text) {
  EnabledBits bits;
  Cursor cursor(text);
  while (auto name = cursor.until('=')) {
    const std::string_view option = base::trim(*name);
    const auto field = std::find_if(kBitFields.begin(), kBitFields.end(),
                                    [&](const BitField& f) { return f.option == option; });
    if (field == kBitFields.end()) {
      return base::error(fmt::format("'{}=' is no option of a port; there are w=, s= and e=",
                                     base::printable(option)));
    }
    const auto set = set_bits(bits, *field, cursor.word().value_or(""));
    if (!set) return set.error();
  }
  return bits;
}

base::Result<FabricLine> read_port_line(std::string_view line) {
  Cursor cursor(line);
  PortLine port;
  port.is_alias = cursor.eat('@');
  const auto number = read_port_number(cursor);
  if (!number) return number.error();
  port.port = *number;
  const auto guid = read_guid_in_brackets(cursor);
  if (!guid) return guid.error();
  port.guid = *guid;
  const auto peer = read_id(cursor);
  if (!peer) return peer.error();
  port.peer = *peer;
  if (cursor.stands_at('[')) {
    const auto peer_port = read_port_number(cursor);
    if (!peer_port) return peer_port.error();
    port.peer_port = *peer_port;
  }
  const auto peer_guid = read_guid_in_brackets(cursor);
  if (!peer_guid) return peer_guid.error();
  port.peer_guid = *peer_guid;
  const auto bits = read_options(cursor.rest().substr(0, cursor.rest().find('#')));
  if (!bits) return bits.error();
  port.bits = *bits;
  const Remark remark = read_remark(cursor.rest());
  const Rate rate = read_rate(remark.quoted ? remark.behind : remark.before);
  port.lid = number_after(remark.before, "lid");
  port.lmc = number_after(remark.before, "lmc");
  port.peer_lid = number_after(remark.behind, "lid");
  port.peer_description = remark.quoted;
  port.width = rate.width;
  port.speed = rate.speed;
  port.has_unknown_rate = rate.unknown;
  return FabricLine{port};
}

base::Result<FabricLine> read_node_line(std::string_view line, std::string_view word,
                                        mad::NodeType type) {
  Cursor cursor(line.substr(word.size()));
  const auto digits = cursor.digits();
  // A complaint may begin with the same word; a node's header has a number and a name.
  if (!digits && cursor.rest().find('"') == std::string_view::npos) return FabricLine{NoiseLine{}};
  const auto count = digits ? base::parse_number(*digits, kMaxPorts) : std::nullopt;
  if (!count || *count == 0) {
    return base::error(fmt::format("a node needs 1 to {} ports", kMaxPorts));
  }
  const auto id = read_id(cursor);
  if (!id) return id.error();
  const Remark remark = read_remark(cursor.rest());
  const std::string_view facts = remark.quoted ? remark.behind : remark.before;
  NodeLine node{type,
                static_cast<std::uint8_t>(*count),
                *id,
                remark.quoted,
                facts.find("enhanced port 0") != std::string_view::npos,
                std::nullopt,
                std::nullopt};
  if (type == mad::NodeType::Switch) {
    node.lid = number_after(facts, "lid");
    node.lmc = number_after(facts, "lmc");
  }
  return FabricLine{node};
}

bool is_node_guid_key(std::string_view key) {
  return key == "switchguid" || key == "caguid" || key == "hcaguid" || key == "hcaguids" ||
         key == "rtguid";
}

base::Result<FabricLine> read_key_line(std::string_view line, std::string_view key) {
  std::string_view value = line.substr(key.size());
  value = base::trim(value.substr(0, value.find('#')));
  const bool relative = value.starts_with('+');
  if (!relative && !value.starts_with('=')) return FabricLine{NoiseLine{}};
  value = base::trim(value.substr(1));
  KeyLine result{key, 0, std::nullopt, relative};
  if (relative && !is_node_guid_key(key)) {
    return base::error(fmt::format("only GUIDs of nodes can be relative, not {}", key));
  }
  const std::size_t bracket = value.find('(');
  if (bracket != std::string_view::npos) {
    Cursor cursor(value.substr(bracket));
    const auto guid = read_guid_in_brackets(cursor);
    if (!guid) return guid.error();
    result.in_brackets = *guid;
  }
  const auto number = base::parse_hex(base::trim(value.substr(0, bracket)));
  if (!number) return base::error(fmt::format("{} needs a hexadecimal number", key));
  result.value = *number;
  return FabricLine{result};
}

// 'module = "M"' and 'include "file"': what stands in the quotation marks.
base::Result<std::string_view> read_quoted(std::string_view line, std::string_view word) {
  Cursor cursor(line);
  const auto before = cursor.until('"');
  const auto quoted = before ? cursor.until('"') : std::nullopt;
  if (!quoted) return base::error(fmt::format("{} needs a name in quotation marks", word));
  return *quoted;
}

base::Result<FabricLine> read_setting_line(std::string_view line, const BitField& field) {
  std::string_view value = base::trim(line.substr(field.name.size()));
  if (!value.starts_with('=')) return FabricLine{NoiseLine{}};
  value = value.substr(1);
  SettingLine setting;
  const auto set = set_bits(setting.bits, field, value.substr(0, value.find('#')));
  if (!set) return set.error();
  return FabricLine{setting};
}

constexpr std::array<std::string_view, 8> kKeys{"vendid", "devid",    "sysimgguid", "switchguid",
                                                "caguid", "hcaguids", "hcaguid",    "rtguid"};

// Headings of grouped dumps.
constexpr std::array<std::string_view, 4> kHeadings{"chassis", "non-chassis", "spine", "line"};

struct NodeWord {
  std::string_view word;
  mad::NodeType type;
};
constexpr std::array<NodeWord, 5> kNodeWords{{{"switch", mad::NodeType::Switch},
                                              {"hca", mad::NodeType::ChannelAdapter},
                                              {"ca", mad::NodeType::ChannelAdapter},
                                              {"rt", mad::NodeType::Router},
                                              {"router", mad::NodeType::Router}}};

// A kind of node that nobody here knows, or no line of this format at all.
FabricLine read_other_line(std::string_view line) {
  Cursor cursor(line);
  const std::string_view word = cursor.word().value_or("");
  const bool is_word = std::all_of(word.begin(), word.end(),
                                   [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
  const bool has_ports = is_word && cursor.digits().has_value();
  const auto id = has_ports && cursor.eat('"') ? cursor.until('"') : std::nullopt;
  if (!id || id->empty()) return NoiseLine{};
  return UnknownNodeLine{word, *id};
}

}  // namespace

base::Result<FabricLine> read_fabric_line(std::string_view raw) {
  const std::string_view line = base::trim(raw);
  if (line.empty() || line.front() == '#') return FabricLine{EmptyLine{}};
  if (line.front() == '[' || line.starts_with("@[")) return read_port_line(line);
  for (const NodeWord& word : kNodeWords) {
    if (starts_with_word(line, word.word)) return read_node_line(line, word.word, word.type);
  }
  for (const std::string_view key : kKeys) {
    if (starts_with_word(line, key)) return read_key_line(line, key);
  }
  for (const BitField& field : kBitFields) {
    if (starts_with_word(line, field.name)) return read_setting_line(line, field);
  }
  if (starts_with_word(line, "do")) return FabricLine{CommandLine{base::trim(line.substr(2))}};
  const auto quoted = [&](std::string_view word) { return read_quoted(line, word); };
  if (starts_with_word(line, "include")) {
    const auto name = quoted("include");
    if (!name) return name.error();
    return FabricLine{IncludeLine{*name}};
  }
  if (starts_with_word(line, "module")) {
    if (line.find('=') == line.npos) return FabricLine{EmptyLine{}};  // a heading of a chassis
    const auto name = quoted("module");
    if (!name) return name.error();
    return FabricLine{ModuleLine{*name}};
  }
  for (const std::string_view heading : kHeadings) {
    if (starts_with_word(line, heading)) return FabricLine{EmptyLine{}};
  }
  return read_other_line(line);
}

}  // namespace heddle::sim
