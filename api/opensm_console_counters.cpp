// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/counters.hpp"
#include "api/opensm_console_verbs.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

using perf::Counter;

struct Row {
  std::string_view name;  // as OpenSM's console has it
  Counter counter;
};
constexpr std::array kErrors{
    Row{"symbol_err_cnt", Counter::SymbolError},
    Row{"link_err_recover", Counter::LinkErrorRecovery},
    Row{"link_downed", Counter::LinkDowned},
    Row{"rcv_err", Counter::ReceiveErrors},
    Row{"rcv_rem_phys_err", Counter::ReceiveRemotePhysicalErrors},
    Row{"rcv_switch_relay_err", Counter::ReceiveSwitchRelayErrors},
    Row{"xmit_discards", Counter::TransmitDiscards},
    Row{"xmit_constraint_err", Counter::TransmitConstraintErrors},
    Row{"rcv_constraint_err", Counter::ReceiveConstraintErrors},
    Row{"link_integrity_err", Counter::LocalLinkIntegrityErrors},
    Row{"buf_overrun_err", Counter::ExcessiveBufferOverrunErrors},
    Row{"vl15_dropped", Counter::VL15Dropped},
};
constexpr std::array kTraffic{
    Row{"xmit_data", Counter::TransmitData},
    Row{"rcv_data", Counter::ReceiveData},
    Row{"xmit_pkts", Counter::TransmitPackets},
    Row{"rcv_pkts", Counter::ReceivePackets},
    Row{"unicast_xmit_pkts", Counter::UnicastTransmitPackets},
    Row{"unicast_rcv_pkts", Counter::UnicastReceivePackets},
    Row{"multicast_xmit_pkts", Counter::MulticastTransmitPackets},
    Row{"multicast_rcv_pkts", Counter::MulticastReceivePackets},
};

std::string when(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%a %b %d %H:%M:%S %Y}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(seconds)));
}

bool has_errors(const perf::PortReading& reading) {
  for (const Row& row : kErrors) {
    if (reading.total(row.counter) != 0) return true;
  }
  return false;
}

template <class Rows>
void add_rows(const Rows& rows, const perf::PortReading& reading, bool zeros, std::string& text) {
  for (const auto& row : rows) {
    const std::uint64_t value = reading.total(row.counter);
    if (value != 0 || zeros) text += fmt::format("     {:<20} : {}\n", row.name, value);
  }
}

// What is wanted of one node, or of all of them.
struct Wish {
  std::optional<mad::Guid> node;
  std::optional<std::uint8_t> port;
  bool errors_only = false;
  std::string began;  // since when counters are summed up
  std::string read;   // when they were read last
};

std::string text_of(const sm::Snapshot& fabric, const perf::Readings& readings,
                    const perf::Readings::Node& node, const Wish& wish) {
  const auto index = fabric.topology.find_node(node.guid);
  const std::string name = index ? base::printable(fabric.topology.node(*index).description) : "";
  std::string text;
  for (const perf::PortReading& reading : readings.of(node)) {
    if (reading.known == 0 || (wish.port && *wish.port != reading.number.value)) continue;
    if (wish.errors_only && !has_errors(reading)) continue;
    text += fmt::format("\"{}\" {:#x} active {} port {}\n", name, node.guid.value,
                        index ? "TRUE" : "FALSE", reading.number.value);
    text += fmt::format("     Last Reset           : {}\n     Last Error Update    : {}\n",
                        wish.began, wish.read);
    add_rows(kErrors, reading, !wish.errors_only, text);
    if (wish.errors_only) continue;
    text += fmt::format("     {:<20} : {}\n     Last Data Update     : {}\n", "xmit_wait",
                        reading.total(Counter::TransmitWait), wish.read);
    add_rows(kTraffic, reading, true, text);
  }
  return text;
}

// "NODE" or "NODE:PORT"; a name may hold colons.
std::optional<mad::Guid> node_of(const perf::Readings& readings, const sm::Snapshot& fabric,
                                 std::string_view word) {
  const auto guid = base::parse_number(word);
  for (const perf::Readings::Node& node : readings.nodes) {
    if (guid && node.guid.value == *guid) return node.guid;
    const auto index = fabric.topology.find_node(node.guid);
    if (index && fabric.topology.node(*index).description == word) return node.guid;
  }
  return std::nullopt;
}

ConsoleAnswer print(const State& state, ConsoleWords words, bool errors_only) {
  if (state.readings == nullptr || state.fabric == nullptr) return {};
  Wish wish{{}, {}, errors_only, when(state.identity.started), when(state.measured)};
  if (!words.empty()) {
    // Names have blanks in them.
    const char* begin = words.front().data();
    const char* end = words.back().data() + words.back().size();
    const std::string_view word(begin, static_cast<std::size_t>(end - begin));
    wish.node = node_of(*state.readings, *state.fabric, word);
    const std::size_t colon = word.rfind(':');
    if (!wish.node && colon != std::string_view::npos) {
      const auto port = base::parse_number(word.substr(colon + 1), 254);
      if (port) wish.port = static_cast<std::uint8_t>(*port);
      if (port) wish.node = node_of(*state.readings, *state.fabric, word.substr(0, colon));
    }
    if (!wish.node)
      return console_says(fmt::format("Node {} not found...\n", base::printable(word)));
  }
  ConsoleAnswer answer;
  answer.pieces = [wish, fabric = state.fabric, readings = state.readings,
                   at = std::size_t{0}]() mutable -> std::optional<std::string> {
    while (at < readings->nodes.size()) {
      const perf::Readings::Node& node = readings->nodes[at++];
      if (!wish.node || *wish.node == node.guid) return text_of(*fabric, *readings, node, wish);
    }
    return std::nullopt;
  };
  return answer;
}

ConsoleAnswer describe(const State& state) {
  const auto& told = state.seat.told;
  return console_says(
      fmt::format("Performance Manager status:\nstate                        : {}\n"
                  "sweep state                  : Sleeping\nsweep time                   : {}s\n"
                  "outstanding queries/max      : 0/{}\nremove missing nodes from DB : TRUE\n"
                  "query ClassPortInfo          : TRUE\n",
                  told.counters ? "Enabled" : "Disabled", told.counters_interval.count(),
                  told.counters_window));
}

}  // namespace

ConsoleAnswer console_counters(const State& state, ConsoleWords words) {
  struct Reason {
    std::string_view word, why;
  };
  constexpr std::array kReasons{
      Reason{"enable", "[performance] enabled = true, and heddle ctl reload"},
      Reason{"disable", "[performance] enabled = false, and heddle ctl reload"},
      Reason{"sweep", "counters are read by themselves, every [performance] interval"},
      Reason{"sweep_time", "set [performance] interval, and heddle ctl reload"},
      Reason{"clear_counters", "what is counted since the start is kept, and never set back"},
      Reason{"dump_counters", "no file is written for a console: perfmgr print_counters"},
      Reason{"set_rm_nodes", "nodes that are gone are always forgotten"},
      Reason{"clear_rm_nodes", "nodes that are gone are always forgotten"},
      Reason{"clear_inactive", "nodes that are gone are always forgotten"},
      Reason{"set_query_cpi", "[performance] ask_capabilities = true, and heddle ctl reload"},
      Reason{"clear_query_cpi", "[performance] ask_capabilities = false, and heddle ctl reload"},
      Reason{"dump_redir", "agents that redirect are followed, and no table of them is kept here"},
      Reason{"clear_redir", "agents that redirect are followed, and no table of them is kept here"},
  };
  if (words.empty()) return describe(state);
  const std::string_view word = words[0];
  if (word == "print_counters" || word == "pc") return print(state, words.subspan(1), false);
  if (word == "print_errors" || word == "pe") return print(state, words.subspan(1), true);
  for (const Reason& reason : kReasons) {
    if (word == reason.word) return console_says(fmt::format("perfmgr {}: {}\n", word, reason.why));
  }
  return console_says(fmt::format("\"{}\" option not found\n", base::printable(word)));
}

}  // namespace heddle::api
