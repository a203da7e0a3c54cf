// SPDX-License-Identifier: BSD-3-Clause
// Verbs of the data plane: what packets would do, and do to the counters, by the tables that stand
// in the simulated switches.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "doors/control/actions.hpp"
#include "sim/buffers.hpp"
#include "sim/patterns.hpp"
#include "sim/ping.hpp"

namespace heddle::doors::control {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostPackets = 1'000'000'000;
constexpr std::uint32_t kWordsOfFullPacket = 512;  // 2,048 bytes of payload

// The first port of the node that software sits on and that is in use.
sim::EndpointId endpoint_of(const sim::World& world, std::uint32_t node) {
  return *world.find_endpoint(world.devices().plan.nodes[node].name);
}

sim::Pattern read_pattern(Arguments& arguments) {
  const auto pattern = sim::parse_pattern(arguments.word("the pattern"));
  if (!pattern) arguments.refuse(fmt::format("a pattern is one of: {}", sim::kPatternNames));
  return pattern.value_or(sim::Pattern::Ring);
}

std::uint64_t read_optional(Arguments& arguments, std::string_view what, std::uint64_t least,
                            std::uint64_t most, std::uint64_t otherwise) {
  return arguments.more() ? arguments.number(what, least, most) : otherwise;
}

std::vector<sim::Flow> flows_in(const sim::Devices& devices, sim::Pattern pattern,
                                std::uint64_t number, Outcome& outcome) {
  auto flows = sim::flows_of(devices, sim::active_hosts(devices), pattern, number);
  if (flows.empty()) outcome.error = "fewer than two hosts are ACTIVE and have a LID";
  return flows;
}

}  // namespace

void ping(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t from = arguments.node();
  const std::uint32_t to = arguments.node();
  sim::PingOptions options;
  if (arguments.more()) {
    options.group = mad::Lid{static_cast<std::uint16_t>(arguments.number(
        "the MLID", mad::kFirstMulticastLid.value, mad::kPermissiveLid.value - 1))};
  }
  if (arguments.more()) {
    options.p_key =
        mad::PKey{static_cast<std::uint16_t>(arguments.number("the P_Key", 1, UINT16_MAX))};
  }
  if (!arguments.complete()) return;
  const sim::World& world = context.host.world();
  const sim::Devices& devices = world.devices();
  const auto tried = sim::ping(devices, endpoint_of(world, from), endpoint_of(world, to), options);
  const std::string told = sim::describe(devices, tried);
  outcome.json = json{{"works", tried.works()},
                      {"heard", tried.heard},
                      {"there", sim::text_of(tried.there.end)},
                      {"back", sim::text_of(tried.back.end)}}
                     .dump();
  (tried.works() ? outcome.text : outcome.error) = told;
}

void traffic(Context& context, Arguments& arguments, Outcome& outcome) {
  const sim::Pattern pattern = read_pattern(arguments);
  const std::uint64_t packets = read_optional(arguments, "the packets", 1, kMostPackets, 1000);
  const std::uint64_t number =
      read_optional(arguments, "the shift, seed or host", 0, UINT32_MAX, 1);
  if (!arguments.complete()) return;
  const auto flows = flows_in(context.host.world().devices(), pattern, number, outcome);
  if (flows.empty()) return;
  sim::Driven driven;
  context.host.change(
      [&](sim::World& world) { driven = world.drive(flows, packets, kWordsOfFullPacket); });
  outcome.text = fmt::format("{} flows: {} packets arrived, {} were lost\n", flows.size(),
                             driven.arrived, driven.lost);
  json told{{"flows", flows.size()},
            {"arrived", driven.arrived},
            {"lost", driven.lost},
            {"marked", driven.marked}};
  if (driven.worst.times > 0) {
    const std::string port = sim::describe(context.host.world().devices(), driven.worst.port);
    outcome.text += fmt::format("{} is asked for {:.2f} times what it carries, {} are marked\n",
                                port, driven.worst.times, driven.marked);
    told["crowded"] = {{"port", port}, {"times", driven.worst.times}};
  }
  outcome.json = told.dump();
}

void mark(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.port(node);
  const std::uint32_t from = arguments.node();
  const std::uint32_t to = arguments.node();
  const std::uint64_t packets = read_optional(arguments, "the packets", 1, kMostPackets, 1);
  const std::uint64_t level = read_optional(arguments, "the service level", 0, 15, 0);
  if (!arguments.complete()) return;
  const sim::World& world = context.host.world();
  const sim::Devices& devices = world.devices();
  sim::Flow flow;
  flow.from = endpoint_of(world, from);
  flow.dlid = devices.ports[devices.management_port(endpoint_of(world, to))].info.lid;
  flow.sl = mad::ServiceLevel{static_cast<std::uint8_t>(level)};
  context.host.change([&](sim::World& changed) {
    const auto done = changed.mark(node, port, flow, packets);
    if (done.has_error()) outcome.error = done.error().message;
  });
}

void buffers(Context& context, Arguments& arguments, Outcome& outcome) {
  const sim::Pattern pattern = read_pattern(arguments);
  sim::BufferOptions options;
  options.packets =
      static_cast<unsigned>(read_optional(arguments, "the packets", 1, 100'000, options.packets));
  options.credits =
      static_cast<unsigned>(read_optional(arguments, "the credits", 1, 1000, options.credits));
  const std::uint64_t number = read_optional(arguments, "the shift or seed", 0, UINT32_MAX, 1);
  if (!arguments.complete()) return;
  const sim::Devices& devices = context.host.world().devices();
  const auto flows = flows_in(devices, pattern, number, outcome);
  if (flows.empty()) return;
  const auto result = sim::run_buffers(devices, flows, options);
  if (result.has_error()) {
    outcome.error = result.error().message;
    return;
  }
  outcome.text = fmt::format("{} packets delivered in {} cycles, {} had no way, {} are stuck\n",
                             result->delivered, result->cycles, result->unroutable, result->stuck);
  if (result->deadlocked()) outcome.text += sim::describe(devices, *result);
  outcome.json = json{{"delivered", result->delivered},
                      {"cycles", result->cycles},
                      {"unroutable", result->unroutable},
                      {"stuck", result->stuck},
                      {"deadlocked", result->deadlocked()}}
                     .dump();
}

}  // namespace heddle::doors::control
