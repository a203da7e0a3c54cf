// SPDX-License-Identifier: BSD-3-Clause
// Upgrade plans as text.
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/loss.hpp"
#include "plan/moves.hpp"

namespace heddle::plan {
namespace {

using fabric::kNoPort;
using fabric::PortIndex;
using Ends = Move::Ends;

constexpr std::size_t kMaxMoves = 10'000;

class Reader {
 public:
  Reader(const fabric::Topology& topology, std::string_view title)
      : topology_(topology), title_(title), peer_(topology.port_count(), kNoPort) {
    for (std::uint32_t p = 0; p < topology.port_count(); ++p)
      peer_[p] = topology.peer(PortIndex{p});
  }

  base::Result<Move> read(std::string_view line, unsigned number) {
    Move move;
    move.text = std::string(line);
    move.line = number;
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, blank), rest = base::trim(line.substr(blank));
    const auto problem = word == "out"    ? read_out(rest, move)
                         : word == "in"   ? read_in(rest, move)
                         : word == "move" ? read_move(rest, move)
                         : word == "swap"
                             ? read_swap(rest, move)
                             : fmt::format("'{}' is no step; there are out, in, move and swap",
                                           base::printable(word));
    if (!problem.empty()) return base::error(fmt::format("{}:{}: {}", title_, number, problem));
    for (const auto& [a, b] : move.out) peer_[a.value] = peer_[b.value] = kNoPort;
    for (const auto& [a, b] : move.in) {
      peer_[a.value] = b;
      peer_[b.value] = a;
    }
    return move;
  }

 private:
  // Each gives what is wrong, or "".
  std::string read_out(std::string_view text, Move& move) {
    const auto both = split(text, "-");
    const auto one = both ? std::optional(both->first) : port(text);
    if (!one) return no_port(text);
    if (peer_[one->value] == kNoPort) return no_cable(*one);
    if (both && peer_[one->value] != both->second) {
      return fmt::format("no cable joins {} and {}", name(both->first), name(both->second));
    }
    move.out.emplace_back(*one, peer_[one->value]);
    return {};
  }
  std::string read_in(std::string_view text, Move& move) {
    const auto both = split(text, "-");
    if (!both) return fmt::format("two ports are wanted, A:1 - B:2, not '{}'", shown(text));
    if (both->first == both->second) return "a cable has two ends";
    for (const PortIndex end : {both->first, both->second}) {
      if (peer_[end.value] != kNoPort) return taken(end);
    }
    move.in.push_back(*both);
    return {};
  }
  std::string read_move(std::string_view text, Move& move) {
    const auto both = split(text, "->");
    if (!both) return fmt::format("two ports are wanted, A:1 -> B:2, not '{}'", shown(text));
    const auto [from, to] = *both;
    const PortIndex far = peer_[from.value];
    if (far == kNoPort) return no_cable(from);
    if (peer_[to.value] != kNoPort) return taken(to);
    move.out.emplace_back(from, far);
    move.in.emplace_back(to, far);
    return {};
  }
  std::string read_swap(std::string_view text, Move& move) {
    const auto both = split(text, "<->");
    if (!both) return fmt::format("two ports are wanted, A:1 <-> B:2, not '{}'", shown(text));
    const auto [a, b] = *both;
    const PortIndex far_a = peer_[a.value], far_b = peer_[b.value];
    if (far_a == kNoPort) return no_cable(a);
    if (far_b == kNoPort) return no_cable(b);
    if (a == b || far_a == b) return "these are the two ends of one cable";
    move.out = {{a, far_a}, {b, far_b}};
    move.in = {{b, far_a}, {a, far_b}};
    return {};
  }

  std::optional<PortIndex> port(std::string_view text) const {
    const auto found = parse_port(topology_, text);
    return found ? std::optional(*found) : std::nullopt;
  }
  // At any of these that makes sense: names have hyphens too.
  std::optional<Ends> split(std::string_view text, std::string_view between) const {
    for (std::size_t at = text.find(between); at != text.npos; at = text.find(between, at + 1)) {
      const auto a = port(base::trim(text.substr(0, at)));
      const auto b = a ? port(base::trim(text.substr(at + between.size()))) : std::nullopt;
      if (b) return Ends{*a, *b};
    }
    return std::nullopt;
  }

  static std::string shown(std::string_view text) { return base::printable(text); }
  std::string name(PortIndex port) const { return port_name(topology_, port); }
  static std::string no_port(std::string_view text) {
    return fmt::format("'{}' is no port of the fabric, as leaf-1:7 would be", shown(text));
  }
  std::string no_cable(PortIndex port) const {
    return fmt::format("there is no cable in {} at this step", name(port));
  }
  std::string taken(PortIndex port) const {
    return fmt::format("{} is taken at this step: a cable to {} is in it", name(port),
                       name(peer_[port.value]));
  }

  const fabric::Topology& topology_;
  std::string_view title_;
  std::vector<PortIndex> peer_;  // by port, after the steps so far
};

}  // namespace

base::Result<std::vector<Move>> parse_moves(std::string_view text, std::string_view title,
                                            const fabric::Topology& topology) {
  Reader reader(topology, title);
  std::vector<Move> moves;
  unsigned number = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw.substr(0, raw.find('#')));
    if (line.empty()) continue;
    if (moves.size() == kMaxMoves) {
      return base::error(fmt::format("{}:{}: more than {} steps", title, number, kMaxMoves));
    }
    auto move = reader.read(line, number);
    if (move.has_error()) return move.error();
    moves.push_back(*std::move(move));
  }
  if (moves.empty()) return base::error(fmt::format("{}: there is no step in it", title));
  return {boost::system::in_place_value, std::move(moves)};
}

}  // namespace heddle::plan
