// SPDX-License-Identifier: BSD-3-Clause
#include "api/opensm_console.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/opensm_console_verbs.hpp"
#include "api/rows.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

ConsoleAnswer request(std::string target, const Json& body, std::string text = {}) {
  ConsoleAnswer answer = console_says(std::move(text));
  answer.request = Request{"POST", std::move(target), dump(body), {}, Role::Nobody};
  return answer;
}

struct Verb {
  std::string_view name;
  std::string_view other_name;  // may be empty
  std::string_view usage;       // in the words that OpenSM has for it, which scripts may look for
  std::string_view help;        // what it does here; whole lines
  // Nothing: the words behind it are wrong, which is told with the usage.
  std::optional<ConsoleAnswer> (*answer)(const State& state, ConsoleWords words);
};
std::span<const Verb> verbs();

std::string help_of(const Verb& verb) {
  return fmt::format("{}\n{}", verb.usage, verb.help);
}

std::string all_verbs() {
  std::string text = "Supported commands and syntax:\n";
  for (const Verb& verb : verbs()) text += fmt::format("{}\n", verb.usage);
  return text;
}

const Verb* find_verb(std::string_view name) {
  const auto all = verbs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Verb& verb) {
    return verb.name == name || (!name.empty() && verb.other_name == name);
  });
  return found == all.end() ? nullptr : &*found;
}

ConsoleAnswer unknown(std::string_view name) {
  return console_says(
      fmt::format("{} : Command not found\n\n{}", base::printable(name), all_verbs()));
}

// --- what is done -------------------------------------------------------------------------------

std::optional<ConsoleAnswer> help(const State&, ConsoleWords words) {
  if (words.empty()) return console_says(all_verbs());
  const Verb* verb = find_verb(words[0]);
  return verb == nullptr ? unknown(words[0]) : console_says(help_of(*verb));
}

std::optional<ConsoleAnswer> quit(const State&, ConsoleWords) {
  ConsoleAnswer answer;
  answer.ends = true;
  return answer;
}

// OpenSM's bits, as `heddle config import` takes them: errors, information, verbose, debug.
constexpr unsigned kVerboseOrDebug = 0x0C, kInformation = 0x02;

unsigned flags_of(std::string_view level) {
  if (level == "debug") return 0x0F;
  return level == "info" ? 0x03 : 0x01;
}

std::string_view level_of(std::uint64_t flags) {
  if ((flags & kVerboseOrDebug) != 0) return "debug";
  return (flags & kInformation) != 0 ? "info" : "error";
}

std::optional<ConsoleAnswer> log_level(const State& state, ConsoleWords words) {
  if (words.empty()) {
    return console_says(
        fmt::format("Current log level is {:#x}\n", flags_of(state.seat.told.log_level)));
  }
  const auto flags = base::parse_number(words[0], 0xFF);
  if (!flags) return console_says(fmt::format("Invalid log level {}\n", base::printable(words[0])));
  return request("/v1/log-level", {{"level", level_of(*flags)}},
                 fmt::format("Setting log level to {:#x}\n", *flags));
}

std::optional<ConsoleAnswer> module_log(const State&, ConsoleWords) {
  return console_says("There is one log level for all of Heddle: see loglevel\n");
}

std::optional<ConsoleAnswer> priority(const State& state, ConsoleWords words) {
  constexpr unsigned kHighest = 15;
  if (words.empty()) {
    return console_says(fmt::format("Current sm-priority is {}\n", state.seat.priority));
  }
  const auto wanted = base::parse_number(words[0], kHighest);
  if (!wanted) {
    return console_says(fmt::format("Invalid sm-priority {}; must be between 0 and 15\n",
                                    base::printable(words[0])));
  }
  return request("/v1/priority", {{"priority", *wanted}},
                 fmt::format("Setting sm-priority to {}\n", *wanted));
}

ConsoleAnswer resweep_for(std::string_view verb) {
  return request("/v1/resweep", {{"reason", fmt::format("OpenSM's console was told: {}", verb)}});
}

std::optional<ConsoleAnswer> resweep(const State&, ConsoleWords words) {
  if (words.size() == 1 && words[0] == "heavy") return resweep_for("resweep heavy");
  if (words.size() == 1 && words[0] == "light") return resweep_for("resweep light");
  return std::nullopt;
}

std::optional<ConsoleAnswer> reroute(const State&, ConsoleWords) {
  return resweep_for("reroute");
}

std::optional<ConsoleAnswer> update_descriptions(const State&, ConsoleWords) {
  return resweep_for("update_desc");
}

std::optional<ConsoleAnswer> sweep(const State&, ConsoleWords words) {
  if (words.size() == 1 && words[0] == "on") return ConsoleAnswer{};
  if (words.size() != 1 || words[0] != "off") return std::nullopt;
  return console_says(
      "Sweeping is not switched off: a fabric that nobody looks at is not managed. [sweep] "
      "interval says how often; heddle sm --shadow looks and writes nothing\n");
}

std::optional<ConsoleAnswer> flush_log(const State&, ConsoleWords words) {
  if (words.size() != 1 || (words[0] != "on" && words[0] != "off")) return std::nullopt;
  return words[0] == "on" ? ConsoleAnswer{}
                          : console_says("Each line of the log is written at once\n");
}

std::optional<ConsoleAnswer> dump_configuration(const State& state, ConsoleWords) {
  if (state.seat.told.opensm_conf) return console_says(*state.seat.told.opensm_conf);
  return console_says(
      "This subnet manager was not started by heddle opensm, and has a configuration file of its "
      "own: heddle config check\n");
}

std::string version_text(const State& state) {
  return fmt::format("Heddle {}, in the place of OpenSM", state.identity.version);
}

std::optional<ConsoleAnswer> version(const State& state, ConsoleWords) {
  return console_says(version_text(state) + "\n");
}

// --- status -------------------------------------------------------------------------------------

// Padded, as columns are cut by scripts.
std::string_view word_of(mad::SMState state) {
  constexpr std::array<std::string_view, 4> kWords{"Not Active ", "Discovering", "Standby    ",
                                                   "Master     "};
  const auto index = static_cast<std::size_t>(state);
  return index < kWords.size() ? kWords[index] : "UNKNOWN    ";
}

std::string traffic_text(const State& state) {
  const Traffic& smps = state.traffic;
  const Demand& demand = state.demand;
  const auto row = [](std::string_view name, std::uint64_t value) {
    return fmt::format("   {:<31}: {}\n", name, value);
  };
  return "\n   MAD stats\n   ---------\n" + row("QP0 MADs outstanding", 0) +
         row("QP0 MADs outstanding (on wire)", 0) + row("QP0 MADs rcvd", smps.answered) +
         row("QP0 MADs sent", smps.sent) + row("QP0 unicasts sent", 0) +
         row("QP0 unknown MADs rcvd", 0) + row("SA MADs outstanding", 0) +
         row("SA MADs rcvd", demand.requests) + row("SA MADs sent", demand.requests) +
         row("SA unknown MADs rcvd", 0) + row("SA MADs ignored", demand.put_off);
}

std::string flags_text(const State& state) {
  const bool is_master = state.role == mad::SMState::Master;
  const bool troubled = state.fabric != nullptr && !state.fabric->problems.empty();
  const auto row = [](std::string_view name, std::int64_t value) {
    return fmt::format("   {:<31}: {}\n", name, value);
  };
  return "\n   Subnet flags\n   ------------\n" + row("Sweeping enabled", 1) +
         row("Sweep interval (seconds)", state.seat.told.sweep_interval.count()) +
         row("Ignore existing lfts", 0) + row("Subnet Init errors", troubled) +
         row("In sweep hop 0", 0) + row("First time master sweep", is_master && !state.fabric) +
         row("Coming out of standby", 0);
}

std::string managers_text(const State& state) {
  std::string text =
      "\n   Known SMs\n   ---------\n"
      "   Port GUID       SM State    Priority\n"
      "   ---------       --------    --------\n";
  if (state.fabric == nullptr || state.fabric->sm_port == fabric::kNoPort) return text + "\n";
  const sm::Snapshot& fabric = *state.fabric;
  text +=
      fmt::format("   {:#x} {} {}        SELF\n", fabric.topology.port(fabric.sm_port).guid.value,
                  word_of(state.role), state.seat.priority);
  for (const sm::OtherManager& other : fabric.other_managers) {
    text += fmt::format("   {:#x} {} {}\n", other.guid.value, word_of(other.state), other.priority);
  }
  return text + "\n";
}

std::string status_text(const State& state) {
  const bool answers = state.fabric != nullptr && state.fabric->view != nullptr;
  const bool routed = state.fabric != nullptr && state.fabric->routes != nullptr;
  std::string text = fmt::format(
      "   OpenSM Version       : {}\n   SM State             : {}\n"
      "   SM Priority          : {}\n   SA State             : {}\n"
      "   Routing Engine       : {}\n   Loaded event plugins : <none>\n\n"
      "   PerfMgr state/sweep state : {}/Sleeping\n",
      version_text(state), word_of(state.role), state.seat.priority, answers ? "Ready" : "Init",
      routed ? state.fabric->routes->routes.engine : "none",
      state.seat.told.counters ? "Enabled" : "Disabled");
  return text + traffic_text(state) + flags_text(state) + managers_text(state);
}

std::optional<ConsoleAnswer> status(const State& state, ConsoleWords words) {
  if (words.empty()) return console_says(status_text(state));
  if (words[0] != "loop") return std::nullopt;
  ConsoleAnswer answer = console_says(status_text(state));
  answer.repeats = true;
  return answer;
}

// --- the fabric ---------------------------------------------------------------------------------

template <auto kVerb>
std::optional<ConsoleAnswer> of_fabric(const State& state, ConsoleWords words) {
  if (state.fabric == nullptr) {
    return console_says("The first sweep is not finished; nothing is known about the fabric\n");
  }
  return kVerb(state, words);
}

std::optional<ConsoleAnswer> counters(const State& state, ConsoleWords words) {
  return console_counters(state, words);
}

constexpr std::string_view kPerfmgr =
    "perfmgr(pm) [enable|disable\n"
    "             |clear_counters|dump_counters|print_counters(pc)|print_errors(pe)\n"
    "             |set_rm_nodes|clear_rm_nodes|clear_inactive\n"
    "             |set_query_cpi|clear_query_cpi\n"
    "             |dump_redir|clear_redir\n"
    "             |sweep|sweep_time[seconds]]";

constexpr Verb kVerbs[] = {
    {"help", "", "help [<command>]", "what there is, or what a command does\n", &help},
    {"quit", "", "quit", "ends this console; the subnet manager goes on\n", &quit},
    {"loglevel", "", "loglevel [<log-level>]",
     "bits as OpenSM has them: with 0x04 or 0x08 all is logged, with 0x02 what is of interest,\n"
     "else errors; until the configuration is read again\n",
     &log_level},
    {"permodlog", "", "permodlog", "not here: there is one log level\n", &module_log},
    {"priority", "", "priority [<sm-priority>]", "0 to 15, until the configuration is read again\n",
     &priority},
    {"resweep", "", "resweep [heavy|light]", "either reads the whole fabric now\n", &resweep},
    {"reroute", "", "reroute",
     "reads the whole fabric now; routes that are right stay as they are\n", &reroute},
    {"sweep", "", "sweep [on|off]", "it is always on\n", &sweep},
    {"status", "", "status [loop]", "loop: every ten seconds, until q is said\n", &status},
    {"logflush", "", "logflush [on|off] -- toggle opensm.log file flushing",
     "it is always on: lines are written at once\n", &flush_log},
    {"querylid", "", "querylid lid -- print internal information about the lid specified",
     "whose it is, and whether orders keep its ports from being used\n",
     &of_fabric<&console_query_lid>},
    {"portstatus", "", "portstatus [ca|switch|router]",
     "states, widths and speeds, counted; ports that are slower than they may be, by name\n",
     &of_fabric<&console_port_status>},
    {"switchbalance", "", "switchbalance [verbose] [guid]",
     "paths to hosts over each link between switches: where two links of a switch differ by more\n"
     "than one, or of all switches (verbose), or of this one\n",
     &of_fabric<&console_switch_balance>},
    {"lidbalance", "", "lidbalance [switchguid]",
     "with an LMC: where the LIDs of a host leave a switch unevenly\n",
     &of_fabric<&console_lid_balance>},
    {"dump_conf", "", "dump_conf", "the configuration in OpenSM's words, without keys\n",
     &dump_configuration},
    {"update_desc", "", "update_desc", "reads the whole fabric now, names of nodes included\n",
     &update_descriptions},
    {"version", "", "version -- print the OSM version", "of Heddle\n", &version},
    {"perfmgr", "pm", kPerfmgr,
     "without a word how counters are read; print_counters [NODE[:PORT]] (pc) what they say;\n"
     "print_errors [NODE] (pe) only of ports with errors; sweep_time how often they are read.\n"
     "NODE is a name or a GUID\n",
     &counters},
    {"dump_portguid", "",
     "dump_portguid [file filename] regexp1 [regexp2 [regexp3 ...]] -- Dump port GUID matching a "
     "regexp ",
     "of nodes whose description one of the extended regular expressions fits; into no file\n",
     &of_fabric<&console_port_guids>},
};

std::span<const Verb> verbs() {
  return kVerbs;
}

}  // namespace

ConsoleAnswer answer_console(std::string_view line, const State& state) {
  const auto words = base::words(line);
  if (words.empty()) return {};
  // A page in a browser that was made to lead here: nothing in what follows is meant for us.
  if (line.find(" HTTP/") != std::string_view::npos) return quit(state, {}).value();
  const Verb* verb = find_verb(words[0]);
  if (verb == nullptr) return unknown(words[0]);
  auto answer = verb->answer(state, ConsoleWords(words).subspan(1));
  if (answer) return std::move(*answer);
  return console_says(fmt::format("Invalid {} command\n{}", verb->name, help_of(*verb)));
}

std::string console_complaint(const Response& refused) {
  const Json body = Json::parse(refused.body, nullptr, /*allow_exceptions=*/false);
  const bool sound = body.is_object() && body.contains("error");
  const std::string why = sound ? body["error"].value("message", "") : std::string();
  return fmt::format("Refused: {}\n", why.empty() ? "it cannot be done" : why);
}

}  // namespace heddle::api
