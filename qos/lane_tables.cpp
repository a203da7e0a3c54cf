// SPDX-License-Identifier: BSD-3-Clause
#include "qos/lane_tables.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::qos {
namespace {

using fabric::kMaxDataVls;
using fabric::VlMap;

constexpr std::array<std::string_view, 4> kWords{"sl2vl", "high", "low", "limit"};
constexpr std::uint8_t kLeastWeight = 1;

// What OpenSM writes where nothing is said: all levels on lanes of their own, lane 0 before others.
PortLanes usual_lanes() {
  constexpr std::uint8_t kWeight = 4;
  PortLanes usual;
  for (std::uint8_t vl = 0; vl < kMaxDataVls; ++vl) {
    usual.sl_to_vl[vl] = vl;
    usual.high.push_back({mad::VirtualLane{vl}, vl == 0 ? kWeight : std::uint8_t{0}});
    usual.low.push_back({mad::VirtualLane{vl}, vl == 0 ? std::uint8_t{0} : kWeight});
  }
  usual.sl_to_vl.back() = 7;
  return usual;
}

base::Error wrong(std::string_view word, std::string_view value, std::string_view right) {
  return base::error(fmt::format("'{}={}': {}", word, base::printable(value), right));
}

base::Result<VlMap> parse_map(std::string_view text) {
  const auto pieces = base::split(text, ',');
  VlMap map{};
  if (pieces.size() != map.size()) {
    return wrong("sl2vl", text, "16 lanes with commas are expected, one for each service level");
  }
  for (std::size_t sl = 0; sl < map.size(); ++sl) {
    const auto vl = base::parse_number(pieces[sl], kDroppingVl);
    if (!vl) return wrong("sl2vl", text, "a lane is a number from 0 to 14, or 15, which drops");
    map[sl] = static_cast<std::uint8_t>(*vl);
  }
  return map;
}

base::Result<ArbitrationEntries> parse_entries(std::string_view word, std::string_view text) {
  ArbitrationEntries entries;
  if (text.empty()) return entries;
  for (const std::string_view piece : base::split(text, ',')) {
    const auto colon = std::min(piece.find(':'), piece.size());
    const auto vl = base::parse_number(piece.substr(0, colon), kMaxDataVls - 1);
    const auto weight =
        colon < piece.size() ? base::parse_number(piece.substr(colon + 1), 255) : std::nullopt;
    if (!vl || !weight) {
      return wrong(word, text, "an entry is VL:WEIGHT, the VL up to 14, the weight up to 255");
    }
    entries.push_back(
        {mad::VirtualLane{static_cast<std::uint8_t>(*vl)}, static_cast<std::uint8_t>(*weight)});
  }
  if (entries.size() <= kMostArbitrationEntries) return entries;
  return wrong(word, text, fmt::format("more than {} entries", kMostArbitrationEntries));
}

template <class T, class Value>
base::Result<void> take(std::optional<T>& place, base::Result<Value>&& parsed) {
  if (parsed.has_error()) return parsed.error();
  place = std::move(*parsed);
  return {};
}

base::Result<void> parse_word(std::string_view word, std::string_view value, LaneWords& words) {
  if (word == "sl2vl") return take(words.sl_to_vl, parse_map(value));
  if (word == "high") return take(words.high, parse_entries(word, value));
  if (word == "low") return take(words.low, parse_entries(word, value));
  const auto limit = base::parse_number(value, 255);
  if (!limit) return wrong(word, value, "a number from 0 to 255 is expected");
  words.high_limit = static_cast<std::uint8_t>(*limit);
  return {};
}

std::string entries_text(const ArbitrationEntries& entries) {
  std::string text;
  for (const auto& entry : entries) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", entry.vl.value, entry.weight);
  }
  return text;
}

std::uint8_t folded(std::uint8_t vl, unsigned vls) {
  return vl == kDroppingVl ? vl : static_cast<std::uint8_t>(vl % vls);
}

// The first `room` entries, on lanes that there are.
ArbitrationEntries fitted(ArbitrationEntries entries, std::size_t room, unsigned vls) {
  if (entries.size() > room) entries.resize(room);
  for (auto& entry : entries) entry.vl.value = folded(entry.vl.value, vls);
  return entries;
}

void serve_all(const ArbitrationEntries& high, ArbitrationEntries& low, std::size_t room,
               unsigned lanes) {
  std::bitset<kMaxDataVls + 1> served;
  for (const auto* table : {&high, &std::as_const(low)}) {
    for (const auto& entry : *table) {
      if (entry.weight > 0) served.set(entry.vl.value);
    }
  }
  for (unsigned vl = 0; vl < lanes; ++vl) {
    if (served.test(vl)) continue;
    const mad::VLArbitrationEntry entry{mad::VirtualLane{static_cast<std::uint8_t>(vl)},
                                        kLeastWeight};
    // A place that serves nobody is as good as a free one.
    const auto idle =
        std::find_if(low.begin(), low.end(), [](const auto& e) { return e.weight == 0; });
    if (idle != low.end()) {
      *idle = entry;
    } else if (low.size() < room) {
      low.push_back(entry);
    }
  }
}

void put(const ArbitrationEntries& entries, std::size_t room, mad::VLArbitrationBlock first,
         Arbitration& out) {
  constexpr std::size_t kPerBlock = mad::kVLArbitrationEntriesPerBlock;
  const auto at = static_cast<std::size_t>(first) - 1;
  for (std::size_t block = 0; block * kPerBlock < std::min(room, kMostArbitrationEntries);
       ++block) {
    auto& table = out[at + block].emplace();
    for (std::size_t i = 0; i < kPerBlock && block * kPerBlock + i < entries.size(); ++i) {
      table.entries[i] = entries[block * kPerBlock + i];
    }
  }
}

}  // namespace

base::Result<LaneWords> parse_lane_words(std::string_view text) {
  LaneWords words;
  std::vector<std::string_view> seen;
  for (const std::string_view piece : base::split(text, ' ')) {
    if (piece.empty()) continue;
    const auto equals = std::min(piece.find('='), piece.size());
    const std::string_view word = piece.substr(0, equals);
    if (equals == piece.size() || std::find(kWords.begin(), kWords.end(), word) == kWords.end()) {
      return base::error(
          fmt::format("'{}': sl2vl=, high=, low= or limit= is expected", base::printable(piece)));
    }
    if (std::find(seen.begin(), seen.end(), word) != seen.end()) {
      return base::error(fmt::format("'{}=' stands there twice", word));
    }
    seen.push_back(word);
    const auto parsed = parse_word(word, piece.substr(equals + 1), words);
    if (parsed.has_error()) return parsed.error();
  }
  return words;
}

std::string to_text(const LaneWords& words) {
  std::string text;
  const auto add = [&](std::string_view word, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word, value);
  };
  if (words.sl_to_vl) {
    std::string lanes;
    for (const auto vl : *words.sl_to_vl)
      lanes += fmt::format("{}{}", lanes.empty() ? "" : ",", vl);
    add("sl2vl", lanes);
  }
  if (words.high) add("high", entries_text(*words.high));
  if (words.low) add("low", entries_text(*words.low));
  if (words.high_limit) add("limit", std::to_string(*words.high_limit));
  return text;
}

PortKind kind_of(const fabric::Topology& topology, fabric::PortIndex port) {
  const auto node = topology.node_of(port);
  if (!topology.is_switch(node)) {
    const bool is_router = topology.node(node).type == mad::NodeType::Router;
    return is_router ? PortKind::Router : PortKind::Host;
  }
  if (topology.number_of(port).value == 0) return PortKind::SwitchPort0;
  const auto peer = topology.peer(port);
  const bool leads_on = peer != fabric::kNoPort && topology.is_switch(topology.node_of(peer));
  return leads_on ? PortKind::SwitchToSwitch : PortKind::SwitchToHost;
}

PortLanes lanes_of(const LaneTables& tables, PortKind kind) {
  PortLanes lanes = usual_lanes();
  const auto apply = [&](const LaneWords& words) {
    if (words.sl_to_vl) lanes.sl_to_vl = *words.sl_to_vl;
    if (words.high) lanes.high = *words.high;
    if (words.low) lanes.low = *words.low;
    if (words.high_limit) lanes.high_limit = *words.high_limit;
  };
  const auto of = [&](PortKind which) { return tables.by_kind[static_cast<std::size_t>(which)]; };
  apply(tables.all);
  if (kind == PortKind::SwitchToSwitch) apply(of(PortKind::SwitchToHost));
  apply(of(kind));
  return lanes;
}

VlMap folded(const VlMap& map, unsigned vls) {
  VlMap result = map;
  for (auto& vl : result) vl = folded(vl, vls);
  return result;
}

Arbitration arbitration_for(const PortLanes& lanes, const PortSizes& port, unsigned needed) {
  const auto high = fitted(lanes.high, port.high, port.vls);
  auto low = fitted(lanes.low, port.low, port.vls);
  serve_all(high, low, port.low, std::min(needed, port.vls));
  Arbitration quarters;
  put(low, port.low, mad::VLArbitrationBlock::LowerLowPriority, quarters);
  put(high, port.high, mad::VLArbitrationBlock::LowerHighPriority, quarters);
  return quarters;
}

}  // namespace heddle::qos
