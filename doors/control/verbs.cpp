// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/verbs.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/control/actions.hpp"

namespace heddle::doors::control {
namespace {

constexpr std::array kVerbs{
    Verb{"link down", "NODE PORT", "Cuts the cable", link_down},
    Verb{"link up", "NODE PORT", "Mends the cable", link_up},
    Verb{"link flap", "NODE PORT [DOWN UP TIMES]", "Down and up again: 1s 1s 1", link_flap},
    Verb{"link degrade", "NODE PORT WIDTH SPEED", "It carries no more than this", link_degrade},
    Verb{"link heal", "NODE PORT", "Full width and speed, no loss, no delay", link_heal},
    Verb{"swap", "NODE PORT NODE PORT", "The far ends of two cables change places", swap_cables},
    Verb{"loss", "NODE PORT CHANCE", "The cable loses MADs: 0.01, 1%", set_loss},
    Verb{"drop", "NODE PORT CHANCE", "As loss", set_loss},
    Verb{"delay", "NODE PORT TIME", "The cable takes so much longer", set_delay},
    Verb{"reorder", "NODE PORT CHANCE", "The cable lets later MADs overtake", set_reorder},
    Verb{"duplicate", "NODE PORT CHANCE", "The cable carries MADs twice", set_duplicate},
    Verb{"add cable", "NODE PORT NODE PORT [WIDTH SPEED]", "A new cable: 4x HDR", add_cable},
    Verb{"kill", "NODE", "As power off", power_off},
    Verb{"power off", "NODE", "Its links go down", power_off},
    Verb{"power on", "NODE", "Comes back with LIDs and tables empty", power_on},
    Verb{"reboot", "NODE [TIME]", "Off, and on again after 1s", reboot},
    Verb{"freeze", "NODE", "Its agent answers nothing; it forwards on", freeze},
    Verb{"silence", "NODE", "As freeze", freeze},
    Verb{"thaw", "NODE", "Its agent answers again", thaw},
    Verb{"busy", "NODE on|off", "Its agent answers that it is busy", busy},
    Verb{"slow", "NODE TIME", "Its agent takes so much longer", slow},
    Verb{"corrupt", "NODE CHANCE", "A bit of its answers is wrong", corrupt},
    Verb{"storm", "NODE [TIME COUNT]", "Traps, one each TIME: 1ms 1000", storm},
    Verb{"inject", "NODE PORT COUNTER AMOUNT", "Adds to a counter of the port", inject},
    Verb{"add node", "NAME PORTS [switch|ca|router]", "Powered, without cables: switch", add_node},
    Verb{"vports", "NODE PORT COUNT [own|shared]", "Virtual ports; LIDs: shared",
         set_virtual_ports},
    Verb{"dump", "[NODE]", "Nodes and ports as they are", dump},
    Verb{"route", "LID LID", "The way through the switches' tables", route},
    Verb{"ping", "NODE NODE [MLID [P_KEY]]", "Whether IP would work: ARP over MLID, there, back",
         ping},
    Verb{"traffic", "PATTERN [PACKETS [NUMBER]]", "Packets that move the counters: 1000 1",
         traffic},
    Verb{"mark", "NODE PORT NODE NODE [PACKETS [SL]]",
         "Congestion at the port, for packets from the one to the other: 1 0", mark},
    Verb{"buffers", "PATTERN [PACKETS [CREDITS [NUMBER]]]", "Buffers that block: 32 2 1", buffers},
    Verb{"time", "[real|virtual|FACTORx]", "How the fabric's time goes", time},
    Verb{"status", "", "What runs here, and what it counted", status},
    Verb{"clients", "", "The programs on the socket door", clients},
    Verb{"dismiss", "CLIENT", "Sends a program away", dismiss},
    Verb{"wait", "TIME", "What follows waits", wait},
    Verb{"quit", "", "Ends the fabric", quit},
    Verb{"help", "[VERB]", "This list", help},
    // ibsim's console; where it has a verb of the same name as ours, ours understands both.
    Verb{"link", "NODE PORT NODE PORT", "ibsim: mends or lays the cable between", ibsim_link},
    Verb{"unlink", "NODE [PORT]", "ibsim: cuts one cable or all of the node", ibsim_unlink},
    Verb{"relink", "NODE [PORT]", "ibsim: mends one cable or all of the node", ibsim_relink},
    Verb{"clear", "NODE [PORT]", "ibsim: here as unlink, LIDs stay", ibsim_unlink},
    Verb{"error", "NODE PORT PERCENT", "ibsim: the cable loses MADs", ibsim_error},
    Verb{"performanceset", "NODE PORT COUNTER=NUMBER", "ibsim: the counter is this now",
         ibsim_performance_set},
    Verb{"attached", "", "ibsim: as clients", clients},
    Verb{"x", "CLIENT", "ibsim: as dismiss", dismiss},
    Verb{"guid", "NODE PORT GUID", "ibsim: another PortGUID", ibsim_guid},
    Verb{"baselid", "NODE PORT LID [LMC]", "ibsim: another LID", ibsim_base_lid},
    Verb{"start", "", "ibsim: does nothing, it runs", ibsim_nothing},
    Verb{"verbose", "[NUMBER]", "ibsim: does nothing", ibsim_nothing},
    Verb{"exit", "", "As quit", quit},
};

std::string lower(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

std::string unknown_verb(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name.substr(0, verb.name.find(' ')));
  const auto like = base::closest(lower(word), names);
  return fmt::format("there is no verb '{}'; {}", base::printable(word),
                     like ? fmt::format("do you mean '{}'?", *like) : "'help' lists them");
}

// The others look, or are about this program: a recording need not have them.
bool is_about_the_world(const Verb& verb) {
  constexpr std::array kOthers{"dump",    "route",   "ping",    "buffers", "time", "status",
                               "clients", "dismiss", "wait",    "quit",    "help", "attached",
                               "x",       "start",   "verbose", "exit"};
  return std::find(kOthers.begin(), kOthers.end(), verb.name) == kOthers.end();
}

Outcome run(Context& context, std::string_view line, bool dry) {
  Outcome outcome;
  const Words split = split_words(line);
  if (!split.error.empty()) {
    outcome.error = split.error;
    outcome.column = split.column;
    return outcome;
  }
  if (split.words.empty()) return outcome;
  const Verb* verb = find_verb(split.words);
  if (verb == nullptr) {
    outcome.error = unknown_verb(split.words.front().text);
    outcome.column = split.words.front().column;
    return outcome;
  }
  const std::size_t own = verb->name.find(' ') == std::string_view::npos ? 1 : 2;
  Arguments arguments(context.host.world(), std::span(split.words).subspan(own), dry);
  const FabricHost::Held held(context.host);
  if (!dry && is_about_the_world(*verb)) context.host.note_verb(line);
  verb->act(context, arguments, outcome);
  if (!arguments.error().empty()) {
    outcome.error = fmt::format("{} ({} {})", arguments.error(), verb->name, verb->arguments);
    outcome.column = arguments.column();
  }
  return outcome;
}

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}

const Verb* find_verb(std::span<const Word> words) {
  if (words.empty()) return nullptr;
  const std::string first = lower(words[0].text);
  const std::string both = words.size() > 1 ? first + " " + lower(words[1].text) : first;
  const Verb* found = nullptr;
  for (const Verb& verb : kVerbs) {
    if (verb.name == both) return &verb;
    if (verb.name == first) found = &verb;
  }
  return found;
}

Outcome run_line(Context& context, std::string_view line) {
  return run(context, line, false);
}

Outcome check_line(Context& context, std::string_view line) {
  return run(context, line, true);
}

}  // namespace heddle::doors::control
