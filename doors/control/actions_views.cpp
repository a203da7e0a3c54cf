// SPDX-License-Identifier: BSD-3-Clause
// Verbs that look, and those about the program itself.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "doors/control/actions.hpp"
#include "sim/devices.hpp"

namespace heddle::doors::control {
namespace {

using nlohmann::json;

constexpr const char* kStates[] = {"NoChange", "Down", "Init", "Armed", "Active"};
constexpr unsigned kMostHops = 64;

const char* state_name(mad::PortState state) {
  const auto number = static_cast<std::size_t>(state);
  return number < std::size(kStates) ? kStates[number] : "?";
}

const char* type_name(mad::NodeType type) {
  if (type == mad::NodeType::Switch) return "switch";
  return type == mad::NodeType::Router ? "router" : "ca";
}

std::string port_text(const sim::Devices& devices, sim::PortIndex port) {
  const sim::Line& line = devices.lines[port];
  std::string text = fmt::format("  [{}] {:<6}", line.number, state_name(line.state));
  const mad::PortInfo& info = devices.ports[port].info;
  if (info.lid != mad::kNoLid) text += fmt::format(" lid {} lmc {}", info.lid.value, info.lmc);
  if (line.peer != sim::kNone) {
    const sim::Line& peer = devices.lines[line.peer];
    text += fmt::format(" - \"{}\"[{}]{}", base::printable(devices.plan.nodes[peer.node].name),
                        peer.number, devices.cables[line.cable].cut ? " (cut)" : "");
  }
  return text + "\n";
}

json port_json(const sim::Devices& devices, sim::PortIndex port) {
  const sim::Line& line = devices.lines[port];
  const mad::PortInfo& info = devices.ports[port].info;
  json value{{"port", line.number}, {"state", state_name(line.state)}, {"lid", info.lid.value}};
  if (line.peer != sim::kNone) {
    const sim::Line& peer = devices.lines[line.peer];
    value["peer"] = base::printable(devices.plan.nodes[peer.node].name);
    value["peer_port"] = peer.number;
    value["cut"] = devices.cables[line.cable].cut;
  }
  return value;
}

json dump_node(const sim::Devices& devices, sim::NodeIndex node, std::string& text) {
  const sim::Device& device = devices.nodes[node];
  const std::string name = base::printable(devices.plan.nodes[node].name);
  json value{{"node", name},
             {"type", type_name(device.type)},
             {"guid", base::hex(device.info.node_guid.value)},
             {"powered", device.powered},
             {"ports", json::array()}};
  text += fmt::format("{} \"{}\" guid {}{}\n", type_name(device.type), name,
                      base::hex(device.info.node_guid.value), device.powered ? "" : " (off)");
  for (unsigned number = devices.is_switch(node) ? 0 : 1; number <= device.port_count; ++number) {
    const sim::PortIndex port = devices.port_at(node, static_cast<std::uint8_t>(number));
    text += port_text(devices, port);
    value["ports"].push_back(port_json(devices, port));
  }
  return value;
}

// The management port that owns the LID.
sim::PortIndex owner_of(const sim::Devices& devices, std::uint64_t lid) {
  for (sim::PortIndex port = 0; port < devices.lines.size(); ++port) {
    const mad::PortInfo& info = devices.ports[port].info;
    const bool own = devices.management_port(port) == port && info.lid != mad::kNoLid &&
                     lid >= info.lid.value && lid < info.lid.value + (1u << info.lmc);
    if (own) return port;
  }
  return sim::kNone;
}

void add_traffic(json& value, const ibsim::ClientCounters& counters) {
  value["requests"] = counters.requests;
  value["received"] = counters.received;
  value["timed_out"] = counters.timed_out;
  value["undeliverable"] = counters.undeliverable;
  value["lost"] = counters.lost;
  value["garbage"] = counters.garbage;
}

std::string lines_of(const json& value) {
  std::string text;
  for (const auto& [key, field] : value.items()) {
    if (!field.is_object()) text += fmt::format("{}: {}\n", key, field.dump());
  }
  for (const auto& [key, part] : value.items()) {
    if (!part.is_object()) continue;
    text += fmt::format("{}:", key);
    for (const auto& [name, field] : part.items())
      text += fmt::format(" {} {}", name, field.dump());
    text += "\n";
  }
  return text;
}

}  // namespace

void dump(Context& context, Arguments& arguments, Outcome& outcome) {
  const sim::Devices& devices = context.host.world().devices();
  const bool one = arguments.more();
  const std::uint32_t only = one ? arguments.node() : 0;
  if (!arguments.complete()) return;
  json all = json::array();
  const auto last = static_cast<sim::NodeIndex>(one ? only + 1 : devices.nodes.size());
  for (sim::NodeIndex node = only; node < last; ++node) {
    all.push_back(dump_node(devices, node, outcome.text));
  }
  outcome.json = all.dump();
}

void route(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint64_t from = arguments.number("the LID", 1, mad::kLastUnicastLid.value);
  const std::uint64_t to = arguments.number("the LID", 1, mad::kLastUnicastLid.value);
  if (!arguments.complete()) return;
  const sim::Devices& devices = context.host.world().devices();
  const sim::PortIndex source = owner_of(devices, from);
  if (source == sim::kNone || owner_of(devices, to) == sim::kNone) {
    outcome.error = fmt::format("no port has LID {}", source == sim::kNone ? from : to);
    return;
  }
  json way = json::array();
  sim::PortIndex at = source;
  for (unsigned hop = 0; hop < kMostHops; ++hop) {
    const sim::Line& here = devices.lines[at];
    const std::string name = base::printable(devices.plan.nodes[here.node].name);
    unsigned out = here.number;
    const sim::PortIndex own = devices.management_port(at);
    const bool arrived = owner_of(devices, to) == own;
    if (devices.is_switch(here.node) && !arrived) {
      const mad::Lid lid{static_cast<std::uint16_t>(to)};
      out = devices.route(devices.switch_at(here.node), lid);
    }
    way.push_back({{"node", name}, {"in", here.number}, {"out", arrived ? json() : json(out)}});
    outcome.text +=
        arrived ? fmt::format("\"{}\"\n", name) : fmt::format("\"{}\"[{}] -> ", name, out);
    outcome.json = way.dump();
    if (arrived) return;
    const bool has_way = out != 0 && out <= devices.nodes[here.node].port_count;
    const sim::PortIndex left =
        has_way ? devices.port_at(here.node, static_cast<std::uint8_t>(out)) : sim::kNone;
    if (!has_way || devices.lines[left].peer == sim::kNone ||
        (hop > 0 && !devices.is_switch(here.node))) {
      outcome.error = fmt::format("LID {} cannot be reached: the way ends at '{}'", to, name);
      return;
    }
    at = devices.lines[left].peer;
  }
  outcome.error = fmt::format("LID {} is not reached in {} hops: a loop", to, kMostHops);
}

void status(Context& context, Arguments& arguments, Outcome& outcome) {
  if (!arguments.complete()) return;
  const sim::World& world = context.host.world();
  const sim::WorldCounters& counters = world.counters();
  const auto seconds = std::chrono::duration<double>(context.host.world_now().time_since_epoch());
  json value{{"fabric", base::printable(world.devices().plan.title)},
             {"nodes", world.devices().nodes.size()},
             {"switches", world.devices().switches.size()},
             {"cables", world.devices().cables.size()},
             {"seconds", seconds.count()}};
  value["world"] = {{"sent", counters.sent},          {"delivered", counters.delivered},
                    {"gets", counters.gets},          {"sets", counters.sets},
                    {"refused", counters.refused},    {"silent", counters.silent},
                    {"traps", counters.traps},        {"lost", counters.lost},
                    {"discarded", counters.discarded}};
  if (context.server != nullptr) {
    const ibsim::ServerCounters door = context.server->counters();
    json sockets{{"clients", context.server->clients().size()},
                 {"connected", door.connected},
                 {"refused", door.refused},
                 {"left", door.left},
                 {"reaped", door.reaped},
                 {"strange", door.garbage_control}};
    add_traffic(sockets, door.traffic);
    value["sockets"] = sockets;
  }
  outcome.text = lines_of(value);
  outcome.json = value.dump();
}

void time(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::string word = arguments.more() ? arguments.word("the pace") : "";
  const auto pace = word.empty() ? context.host.pace() : parse_pace(word);
  if (!pace) arguments.refuse("time is real, virtual or a factor such as 10x");
  if (!arguments.complete()) return;
  if (!word.empty()) context.host.set_pace(*pace);
  const std::chrono::duration<double> world = context.host.world_now().time_since_epoch();
  outcome.text = fmt::format("{}, {:.3f} s so far\n", text_of(*pace), world.count());
  outcome.json = json{{"pace", text_of(*pace)}, {"seconds", world.count()}}.dump();
}

void clients(Context& context, Arguments& arguments, Outcome& outcome) {
  if (!arguments.complete()) return;
  json all = json::array();
  if (context.server == nullptr) {
    outcome.json = all.dump();
    return;
  }
  for (const auto& [index, client] : context.server->clients()) {
    json value{{"client", index},
               {"address", client->control().text()},
               {"node", base::printable(client->node())},
               {"is_sm", client->is_sm()}};
    add_traffic(value, client->counters());
    outcome.text +=
        fmt::format("{}: {} on \"{}\"{}, {} sent, {} received\n", index, client->control().text(),
                    base::printable(client->node()), client->is_sm() ? " (SM)" : "",
                    client->counters().requests, client->counters().received);
    all.push_back(value);
  }
  outcome.json = all.dump();
}

void dismiss(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint64_t index = arguments.number("the client", 0, ibsim::Server::kMostClients);
  if (!arguments.complete()) return;
  const bool gone =
      context.server != nullptr && context.server->dismiss(static_cast<std::uint32_t>(index));
  if (!gone) outcome.error = fmt::format("there is no client {}", index);
}

void wait(Context&, Arguments& arguments, Outcome& outcome) {
  const base::Duration pause = arguments.time();
  if (arguments.complete()) outcome.pause = pause;
}

void quit(Context& context, Arguments& arguments, Outcome&) {
  if (arguments.complete() && context.quit) context.quit();
}

void help(Context&, Arguments& arguments, Outcome& outcome) {
  const std::string only = arguments.more() ? arguments.word("the verb") : "";
  if (!only.empty() && arguments.more()) (void)arguments.word("the verb");  // "link down"
  if (!arguments.complete()) return;
  json all = json::array();
  for (const Verb& verb : verbs()) {
    if (!only.empty() && verb.name.substr(0, verb.name.find(' ')) != only) continue;
    outcome.text +=
        fmt::format("{:<52} {}\n", fmt::format("{} {}", verb.name, verb.arguments), verb.help);
    all.push_back({{"verb", verb.name}, {"arguments", verb.arguments}, {"help", verb.help}});
  }
  if (all.empty()) outcome.error = fmt::format("there is no verb '{}'", base::printable(only));
  outcome.json = all.dump();
}

void ibsim_nothing(Context&, Arguments& arguments, Outcome&) {
  if (arguments.more()) (void)arguments.word("the number");
  (void)arguments.complete();
}

}  // namespace heddle::doors::control
