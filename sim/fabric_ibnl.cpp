// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_ibnl.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/fabric_cursor.hpp"
#include "sim/fabric_readers.hpp"
#include "sim/generators.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

// "U1 7 -4x-> leaf2 P3": from a port of the piece to another piece's port, or, without the second
// name, to a connector of the board itself.
struct Wire {
  std::string from;
  ArrowRate rate;
  std::string to;
  std::string to_port;  // empty: `to` is a connector
};

// A node, or a board within a board.
struct Piece {
  std::string name;
  std::string board;  // empty for a node
  mad::NodeType type{};
  std::uint8_t ports = 0;
  std::string device;
  std::vector<Wire> wires;
};

struct Board {
  std::vector<Piece> pieces;
  unsigned line = 0;
};

using NumbersByName = std::map<std::string, std::size_t, std::less<>>;

}  // namespace

struct DefinitionFile {
  std::string name;
  std::vector<Board> boards;
  NumbersByName by_name;         // of all boards, variants included
  std::vector<std::string> top;  // those that are whole systems
};

namespace {

constexpr unsigned kDeepestBoard = 8;
constexpr std::size_t kMaxDefinitionLines = 1'000'000;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  Cursor cursor(line);
  while (const auto word = cursor.word()) words.push_back(*word);
  return words;
}

class DefinitionReader {
 public:
  explicit DefinitionReader(DefinitionFile& into) : into_(into) {}

  base::Result<> add(std::string_view line, unsigned number) {
    line_ = number;
    line = base::trim(line.substr(0, line.find('#')));
    if (line.empty()) return {};
    const Words words = words_of(line);
    if (words[0] == "SYSTEM" || words[0] == "TOPSYSTEM") {
      return begin_board(line.substr(words[0].size()), words[0] == "TOPSYSTEM");
    }
    if (into_.boards.empty()) return wrong("expected SYSTEM or TOPSYSTEM first");
    if (words[0] == "NODE") return add_node(words);
    if (words[0] == "SUBSYSTEM") return add_board(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto arrow = read_arrow(words[i]);
      if (!arrow) return wrong(arrow.error().message);
      if (*arrow) return add_wire(words, i, **arrow);
    }
    // "spine1/U1=isChaBma": an attribute that says nothing of cables.
    if (line.find('=') != line.npos) return {};
    return wrong("this line is not understood");
  }

 private:
  base::Error wrong(std::string_view what) const {
    return base::error(fmt::format("{}:{}: {}", into_.name, line_, what));
  }

  base::Result<> begin_board(std::string_view names, bool is_top) {
    into_.boards.push_back({{}, line_});
    for (const std::string_view raw : base::split(names, ',')) {
      const std::string name(base::trim(raw));
      if (name.empty()) return wrong("a system needs a name");
      if (!into_.by_name.emplace(name, into_.boards.size() - 1).second) {
        return wrong(fmt::format("'{}' is defined twice", base::printable(name)));
      }
      if (is_top) into_.top.push_back(name);
    }
    return {};
  }

  // "NODE SW 24 MT47396 U1"
  base::Result<> add_node(const Words& words) {
    if (words.size() != 5) return wrong("expected NODE SW|CA|HCA PORTS DEVICE NAME");
    const auto ports = base::parse_number(words[2], kMaxSwitchPorts);
    const bool is_switch = words[1] == "SW";
    if (!is_switch && words[1] != "CA" && words[1] != "HCA") {
      return wrong(fmt::format("'{}' is no kind of node", base::printable(words[1])));
    }
    if (!ports || *ports == 0) {
      return wrong(fmt::format("a node needs 1 to {} ports", kMaxSwitchPorts));
    }
    return add_piece({std::string(words[4]),
                      {},
                      is_switch ? mad::NodeType::Switch : mad::NodeType::ChannelAdapter,
                      static_cast<std::uint8_t>(*ports),
                      std::string(words[3]),
                      {}});
  }

  // "SUBSYSTEM LEAF leaf1"
  base::Result<> add_board(const Words& words) {
    if (words.size() != 3) return wrong("expected SUBSYSTEM BOARD NAME");
    return add_piece({std::string(words[2]), std::string(words[1]), {}, 0, {}, {}});
  }

  base::Result<> add_piece(Piece piece) {
    for (const Piece& other : into_.boards.back().pieces) {
      if (other.name == piece.name) {
        return wrong(fmt::format("'{}' is here twice", base::printable(piece.name)));
      }
    }
    if (into_.boards.back().pieces.size() >= kMaxSwitchPorts * kMaxSwitchPorts / 16) {
      return wrong("too many pieces on one board");
    }
    into_.boards.back().pieces.push_back(std::move(piece));
    return {};
  }

  base::Result<> add_wire(const Words& words, std::size_t arrow, const ArrowRate& rate) {
    if (into_.boards.back().pieces.empty())
      return wrong("a connection before any NODE or SUBSYSTEM");
    const std::size_t behind = words.size() - arrow - 1;
    if (arrow != 1 || behind < 1 || behind > 2) {
      return wrong("expected PORT -> CONNECTOR or PORT -> NAME PORT");
    }
    Piece& piece = into_.boards.back().pieces.back();
    const std::uint64_t ports = piece.board.empty() ? piece.ports : 0;
    if (ports > 0) {
      const auto number = base::parse_number(words[0], ports);
      if (!number || *number == 0) {
        return wrong(fmt::format("'{}' is no port of {}, which has {}", base::printable(words[0]),
                                 base::printable(piece.name), ports));
      }
    }
    piece.wires.push_back({std::string(words[0]), rate, std::string(words[arrow + 1]),
                           behind == 2 ? std::string(words[arrow + 2]) : std::string()});
    return {};
  }

  DefinitionFile& into_;
  unsigned line_ = 0;
};

}  // namespace

base::Result<std::optional<ArrowRate>> read_arrow(std::string_view word) {
  if (!word.ends_with("->")) return std::optional<ArrowRate>{};
  ArrowRate rate;
  word.remove_suffix(2);
  for (const std::string_view piece : base::split(word, '-')) {
    if (piece.empty()) continue;
    if (piece.back() == 'x' || piece.back() == 'X') {
      rate.width = parse_width(piece.substr(0, piece.size() - 1));
      if (rate.width) continue;
    }
    constexpr std::array<std::pair<std::string_view, Speed>, 8> kSpeeds{{{"2.5G", Speed::SDR},
                                                                         {"5G", Speed::DDR},
                                                                         {"10G", Speed::QDR},
                                                                         {"14G", Speed::FDR},
                                                                         {"25G", Speed::EDR},
                                                                         {"50G", Speed::HDR},
                                                                         {"100G", Speed::NDR},
                                                                         {"200G", Speed::XDR}}};
    const auto speed = std::find_if(kSpeeds.begin(), kSpeeds.end(),
                                    [&](const auto& known) { return known.first == piece; });
    if (speed == kSpeeds.end()) {
      return base::error(
          fmt::format("'{}' is no width (4x) and no speed (2.5G)", base::printable(piece)));
    }
    rate.speed = speed->second;
  }
  return std::optional(rate);
}

namespace {

// What is said nearer to the node wins.
ArrowRate nearer_first(const ArrowRate& near, const ArrowRate& far) {
  return {near.width ? near.width : far.width, near.speed ? near.speed : far.speed};
}

// Dissolves a board: its pieces one after another, then the wires among them. `prefix` ends with
// '/' below the top.
class Dissolver {
 public:
  Dissolver(const DefinitionFile& file, const BoardModifiers& modifiers)
      : file_(file), modifiers_(modifiers) {}

  using Panel = std::map<std::string, DissolvedSystem::Port, std::less<>>;

  base::Result<Panel> dissolve(std::size_t index, const std::string& prefix, unsigned depth) {
    if (depth > kDeepestBoard) return base::error("boards within boards go too deep");
    if (++boards_seen_ > kMaxNodes) return base::error("too many boards within boards");
    const Board& board = file_.boards[index];
    std::map<std::string_view, Panel> panels;  // of each piece
    for (const Piece& piece : board.pieces) {
      auto panel = piece.board.empty() ? add_node(piece, prefix) : add_board(piece, prefix, depth);
      if (!panel) return panel.error();
      panels.emplace(piece.name, std::move(*panel));
    }
    Panel own;
    for (const Piece& piece : board.pieces) {
      for (const Wire& wire : piece.wires) {
        const DissolvedSystem::Port* from = find(panels, piece.name, wire.from);
        // Connectors that this variant of a board does not have lead nowhere.
        if (from == nullptr) continue;
        DissolvedSystem::Port port = *from;
        port.rate = nearer_first(port.rate, wire.rate);
        if (wire.to_port.empty()) {
          own.emplace(wire.to, port);
        } else if (const auto* to = find(panels, wire.to, wire.to_port)) {
          system.links.push_back({port, *to});
        }
      }
    }
    return own;
  }

  DissolvedSystem system;

 private:
  static const DissolvedSystem::Port* find(const std::map<std::string_view, Panel>& panels,
                                           std::string_view piece, std::string_view port) {
    const auto panel = panels.find(piece);
    if (panel == panels.end()) return nullptr;
    const auto found = panel->second.find(port);
    return found == panel->second.end() ? nullptr : &found->second;
  }

  base::Result<Panel> add_node(const Piece& piece, const std::string& prefix) {
    if (system.nodes.size() >= kMaxNodes) {
      return base::error(fmt::format("more than {} nodes", kMaxNodes));
    }
    const auto node = static_cast<std::uint32_t>(system.nodes.size());
    system.nodes.push_back({prefix + piece.name, piece.type, piece.ports, piece.device});
    Panel panel;
    for (unsigned port = 1; port <= piece.ports; ++port) {
      panel.emplace(fmt::format("{}", port),
                    DissolvedSystem::Port{node, static_cast<std::uint8_t>(port), {}});
    }
    return panel;
  }

  base::Result<Panel> add_board(const Piece& piece, const std::string& prefix, unsigned depth) {
    const std::string path = prefix + piece.name;
    const auto modifier = modifiers_.find(path);
    std::string wanted = piece.board;
    if (modifier != modifiers_.end()) {
      if (modifier->second == "R") return Panel{};
      wanted += ":" + modifier->second;
    }
    const auto found = file_.by_name.find(wanted);
    if (found == file_.by_name.end()) {
      return base::error(fmt::format("no board '{}' is defined for {}", base::printable(wanted),
                                     base::printable(path)));
    }
    return dissolve(found->second, path + "/", depth + 1);
  }

  const DefinitionFile& file_;
  const BoardModifiers& modifiers_;
  std::uint64_t boards_seen_ = 0;
};

}  // namespace

SystemLibrary::SystemLibrary() = default;
SystemLibrary::~SystemLibrary() = default;
SystemLibrary::SystemLibrary(SystemLibrary&&) noexcept = default;

base::Result<> SystemLibrary::add(const NamedText& file) {
  DefinitionFile definitions;
  definitions.name = file.name;
  DefinitionReader reader(definitions);
  const auto done =
      for_each_line(file.text, [&](std::string_view line, unsigned number) -> base::Result<> {
        if (number > kMaxDefinitionLines) return base::error(file.name + ": too many lines");
        return reader.add(line, number);
      });
  if (!done) return done.error();
  for (const std::string& name : definitions.top) {
    top_.emplace(name, std::pair{files_.size(), definitions.by_name.at(name)});
  }
  files_.push_back(std::move(definitions));
  return {};
}

std::optional<std::string> SystemLibrary::find(std::string_view system) const {
  const auto found = top_.find(system);
  if (found == top_.end()) return std::nullopt;
  const auto [file, board] = found->second;
  return fmt::format("{}:{}", files_[file].name, files_[file].boards[board].line);
}

std::vector<std::string_view> SystemLibrary::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, where] : top_) names.push_back(name);
  return names;
}

base::Result<DissolvedSystem> SystemLibrary::dissolve(std::string_view system,
                                                      const BoardModifiers& modifiers) const {
  const auto found = top_.find(system);
  if (found == top_.end()) return base::error(fmt::format("no system is called '{}'", system));
  const auto [file, board] = found->second;
  Dissolver dissolver(files_[file], modifiers);
  auto panel = dissolver.dissolve(board, "", 0);
  if (!panel) return panel.error();
  dissolver.system.panel = std::move(*panel);
  return std::move(dissolver.system);
}

}  // namespace heddle::sim
