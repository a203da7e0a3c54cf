// SPDX-License-Identifier: BSD-3-Clause
#include "routing/table_dump.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file_place.hpp"
#include "base/text.hpp"

namespace heddle::routing {
namespace {

struct Entry {
  fabric::SwitchIndex at{};
  mad::Lid lid{};  // the dump's
  mad::PortNumber out{};
  mad::Guid port{};
};

// The word after `before`, up to one of the characters that end it.
std::optional<std::string_view> word_after(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + before.size());
  return rest.substr(0, rest.find_first_of(" :)\r\t"));
}

// What stands there instead of a GUID, or nothing at the end of the line, is an error.
base::Result<mad::Guid> guid_after(const base::FilePlace& place, std::string_view before,
                                   std::string_view wanted) {
  const auto word = word_after(place.line, before);
  const auto value = word ? base::parse_hex(*word) : std::nullopt;
  if (value) return mad::Guid{*value};
  return place.wrong(word.value_or(std::string_view()), wanted);
}

constexpr std::string_view kWantsLid = "a LID is wanted here, 0x0001 to 0xbfff";
constexpr std::string_view kWantsPort = "the number of an output port is wanted here, 000 to 255";

std::optional<mad::Lid> lid_of(std::string_view word) {
  const auto lid = base::parse_hex(word);
  if (!lid || *lid == 0 || *lid > mad::kLastUnicastLid.value) return std::nullopt;
  return mad::Lid{static_cast<std::uint16_t>(*lid)};
}

constexpr std::string_view kListHead = "dump_ucast_routes: Switch ";

std::string note_of_switches(std::size_t count) {
  return fmt::format("{} switches of the dump are not in the fabric", count);
}
std::string note_of_lids(std::size_t count) {
  return fmt::format("{} entries of the dump are for LIDs that the fabric does not have", count);
}

class Reader {
 public:
  Reader(const fabric::Topology& topology, const fabric::LidMap& lids, std::string_view file)
      : topology_(topology), lids_(lids), place_{file, 0, {}} {}

  std::optional<base::Error> read(std::string_view line) {
    ++place_.number;
    place_.line = line;
    if (line.substr(0, 12) == "Unicast lids") return begin_switch();
    if (line.substr(0, 2) != "0x") return std::nullopt;  // a blank line, or "702 lids dumped"
    if (!began_) {
      return place_.wrong(line,
                          "an entry before any switch: \"Unicast lids ... guid 0xGUID\" first");
    }
    const std::string_view first_word = line.substr(0, line.find(' '));
    const auto lid = lid_of(first_word);
    if (!lid) return place_.wrong(first_word, kWantsLid);
    const std::string_view rest = line.substr(std::min(first_word.size() + 1, line.size()));
    const std::string_view second_word = rest.substr(0, rest.find(' '));
    const auto out = base::parse_number(second_word, mad::kNoPortNumber.value);
    if (!out) return place_.wrong(second_word, kWantsPort);
    const auto port =
        guid_after(place_, "portguid ", "the LID's port is wanted here: \"portguid 0xGUID\"");
    if (!port) return port.error();
    const mad::Lid number = *lid;
    auto [base, first] = base_of_.emplace(*port, number);
    if (!first) base->second = std::min(base->second, number);
    if (at_) {
      entries_.push_back({*at_, number, mad::PortNumber{static_cast<std::uint8_t>(*out)}, *port});
    }
    return std::nullopt;
  }

  DumpedTables finish() {
    std::unordered_map<mad::Guid, fabric::PortIndex> port_of;
    for (const fabric::PortIndex port : topology_.endports()) {
      port_of.emplace(topology_.port(port).guid, port);
    }
    DumpedTables dumped{{topology_.switch_count(), lids_.top()}, {}};
    std::size_t unknown = 0;
    for (const Entry& entry : entries_) {
      const auto port = port_of.find(entry.port);
      const unsigned offset = entry.lid.value - base_of_.at(entry.port).value;
      if (port == port_of.end() || offset >= lids_.range(port->second).count()) {
        ++unknown;
        continue;
      }
      const unsigned lid = lids_.base(port->second).value + offset;
      dumped.tables.set(entry.at, mad::Lid{static_cast<std::uint16_t>(lid)}, entry.out);
    }
    if (switches_unknown_ > 0) dumped.notes.push_back(note_of_switches(switches_unknown_));
    if (unknown > 0) dumped.notes.push_back(note_of_lids(unknown));
    return dumped;
  }

 private:
  std::optional<base::Error> begin_switch() {
    const auto guid =
        guid_after(place_, " guid ", "the node GUID of a switch is wanted here: \"guid 0xGUID\"");
    if (!guid) return guid.error();
    began_ = true;
    const auto node = topology_.find_node(*guid);
    at_.reset();
    if (node && topology_.is_switch(*node)) at_ = fabric::SwitchIndex{node->value};
    switches_unknown_ += at_ ? 0 : 1;
    return std::nullopt;
  }

  const fabric::Topology& topology_;
  const fabric::LidMap& lids_;
  base::FilePlace place_;
  bool began_ = false;
  std::optional<fabric::SwitchIndex> at_;  // the switch in hand, if the fabric has it
  std::size_t switches_unknown_ = 0;
  std::vector<Entry> entries_;
  std::unordered_map<mad::Guid, mad::Lid> base_of_;  // the lowest LID of each port in the dump
};

}  // namespace

base::Result<DumpedTables> parse_table_dump(std::string_view text, std::string_view file,
                                            const fabric::Topology& topology,
                                            const fabric::LidMap& lids) {
  Reader reader(topology, lids, file);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (auto wrong = reader.read(text.substr(0, end))) return *wrong;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return reader.finish();
}

bool is_forwarding_list(std::string_view text) {
  return text.starts_with(kListHead);
}

// "0x0001 : 005  : 05   : yes", "0x0002 : UNREACHABLE"
base::Result<DumpedTables> parse_forwarding_list(std::string_view text, std::string_view file,
                                                 const fabric::Topology& topology,
                                                 const fabric::LidMap& lids) {
  DumpedTables dumped{{topology.switch_count(), lids.top()}, {}};
  std::size_t switches_unknown = 0, lids_unknown = 0;
  base::FilePlace place{file, 0, {}};
  constexpr fabric::SwitchIndex kNowhere{0xFFFF'FFFF};
  fabric::SwitchIndex at = kNowhere;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++place.number;
    place.line = raw;
    const std::string_view line = base::trim(raw);
    if (line.starts_with(kListHead)) {
      const std::string_view word = line.substr(kListHead.size());
      const auto guid = base::parse_hex(word);
      if (!guid) return place.wrong(word, "the node GUID of a switch is wanted here");
      const auto node = topology.find_node(mad::Guid{*guid});
      const bool is_switch = node && topology.is_switch(*node);
      at = is_switch ? fabric::SwitchIndex{node->value} : kNowhere;
      switches_unknown += is_switch ? 0u : 1u;
      continue;
    }
    const auto words = base::split(line, ':');
    if (!line.starts_with("0x") || words.size() < 2) continue;
    const auto lid = lid_of(base::trim(words[0]));
    if (!lid) return place.wrong(words[0], kWantsLid);
    const std::string_view where = base::trim(words[1]);
    if (where == "UNREACHABLE") continue;
    const auto out = base::parse_number(where, mad::kNoPortNumber.value);
    if (!out) return place.wrong(where, kWantsPort);
    const mad::Lid to = *lid;
    const bool known = to <= lids.top() && lids.owner(to) != fabric::kNoPort;
    lids_unknown += known ? 0u : 1u;
    if (at == kNowhere || !known) continue;
    const auto port = static_cast<std::uint8_t>(*out);
    dumped.tables.set(at, to, mad::PortNumber{port});
  }
  if (switches_unknown > 0) dumped.notes.push_back(note_of_switches(switches_unknown));
  if (lids_unknown > 0) dumped.notes.push_back(note_of_lids(lids_unknown));
  return dumped;
}

}  // namespace heddle::routing
