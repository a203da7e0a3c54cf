// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kMaxPorts = 254;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Eats a line from the left. Blanks between pieces do not matter: terminals lose tabs.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }

  bool eat(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string_view> digits() {
    skip_blanks();
    std::size_t length = 0;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    if (length == 0) return std::nullopt;
    return take(length);
  }

  std::optional<std::string_view> until(char end) {
    const std::size_t length = rest_.find(end);
    if (length == std::string_view::npos) return std::nullopt;
    const std::string_view piece = take(length);
    rest_.remove_prefix(1);
    return piece;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }
  std::string_view take(std::size_t length) {
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return piece;
  }

  std::string_view rest_;
};

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

base::Result<FabricLine> read_port_line(std::string_view line) {
  Cursor cursor(line);
  PortLine port;
  const auto number = read_port_number(cursor);
  if (!number) return number.error();
  const auto guid = read_guid_in_brackets(cursor);
  if (!guid) return guid.error();
  const auto peer = read_id(cursor);
  if (!peer) return peer.error();
  const auto peer_port = read_port_number(cursor);
  if (!peer_port) return peer_port.error();
  const auto peer_guid = read_guid_in_brackets(cursor);
  if (!peer_guid) return peer_guid.error();
  const Remark remark = read_remark(cursor.rest());
  const Rate rate = read_rate(remark.quoted ? remark.behind : remark.before);
  port = {*number,
          *guid,
          *peer,
          *peer_port,
          *peer_guid,
          number_after(remark.before, "lid"),
          number_after(remark.before, "lmc"),
          number_after(remark.behind, "lid"),
          rate.width,
          rate.speed,
          rate.unknown};
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

base::Result<FabricLine> read_key_line(std::string_view line, std::string_view key) {
  std::string_view value = line.substr(key.size());
  value = base::trim(value.substr(0, value.find('#')));
  if (value.starts_with('+')) {
    return base::error(
        fmt::format("{}+ (relative numbers) is not understood; write {}=0x...", key, key));
  }
  if (!value.starts_with('=')) return FabricLine{NoiseLine{}};
  value = base::trim(value.substr(1));
  KeyLine result{key, 0, std::nullopt};
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

constexpr std::array<std::string_view, 7> kKeys{"vendid", "devid",   "sysimgguid", "switchguid",
                                                "caguid", "hcaguid", "rtguid"};

// Headings of grouped dumps, and settings of ibsim that say nothing about the fabric.
constexpr std::array<std::string_view, 9> kHeadings{
    "chassis", "non-chassis", "spine", "line", "module", "width", "speed", "extspeed", "do"};

struct NodeWord {
  std::string_view word;
  mad::NodeType type;
};
constexpr std::array<NodeWord, 5> kNodeWords{{{"switch", mad::NodeType::Switch},
                                              {"hca", mad::NodeType::ChannelAdapter},
                                              {"ca", mad::NodeType::ChannelAdapter},
                                              {"rt", mad::NodeType::Router},
                                              {"router", mad::NodeType::Router}}};

}  // namespace

base::Result<FabricLine> read_fabric_line(std::string_view raw) {
  const std::string_view line = base::trim(raw);
  if (line.empty() || line.front() == '#') return FabricLine{EmptyLine{}};
  if (line.front() == '[') return read_port_line(line);
  for (const NodeWord& word : kNodeWords) {
    if (starts_with_word(line, word.word)) return read_node_line(line, word.word, word.type);
  }
  for (const std::string_view key : kKeys) {
    if (starts_with_word(line, key)) return read_key_line(line, key);
  }
  if (starts_with_word(line, "include")) {
    return base::error("'include' is not followed; put the other file's lines here");
  }
  for (const std::string_view heading : kHeadings) {
    if (starts_with_word(line, heading)) return FabricLine{EmptyLine{}};
  }
  return FabricLine{NoiseLine{}};
}

}  // namespace heddle::sim
