// SPDX-License-Identifier: BSD-3-Clause
// Verbs that do something to nodes and to their ports.
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/control/actions.hpp"
#include "sim/devices.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::doors::control {
namespace {

using sim::World;

// GUIDs of nodes that are added while the fabric runs: locally administered, far from the
// generators' own.
constexpr std::uint64_t kAddedGuids = 0x0248'44ad'0000'0000;
constexpr std::uint64_t kGuidsOfANode = 0x100;

void on_node(Context& context, Arguments& arguments, void (World::*change)(std::uint32_t)) {
  const std::uint32_t node = arguments.node();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { (world.*change)(node); });
}

void set_silent(Context& context, Arguments& arguments, bool silent) {
  const std::uint32_t node = arguments.node();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.silence(node, silent); });
}

// What the world may refuse.
void give(Context& context, Arguments& arguments, Outcome& outcome,
          const std::function<base::Result<>(World&)>& change) {
  if (!arguments.complete()) return;
  context.host.change([&](World& world) {
    const auto done = change(world);
    if (done.has_error()) outcome.error = done.error().message;
  });
}

}  // namespace

void power_off(Context& context, Arguments& arguments, Outcome&) {
  on_node(context, arguments, &World::power_off);
}

void power_on(Context& context, Arguments& arguments, Outcome&) {
  on_node(context, arguments, &World::power_on);
}

void reboot(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t node = arguments.node();
  base::Duration outage = std::chrono::seconds(1);
  if (arguments.more()) outage = arguments.time();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.reboot(node, outage); });
}

void freeze(Context& context, Arguments& arguments, Outcome&) {
  set_silent(context, arguments, true);
}

void thaw(Context& context, Arguments& arguments, Outcome&) {
  set_silent(context, arguments, false);
}

void busy(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t node = arguments.node();
  const bool on = arguments.on_or_off();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.make_busy(node, on); });
}

void slow(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t node = arguments.node();
  const base::Duration delay = arguments.time();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.set_agent_delay(node, delay); });
}

void corrupt(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t node = arguments.node();
  const double chance = arguments.chance();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.set_damage(node, chance); });
}

void storm(Context& context, Arguments& arguments, Outcome&) {
  constexpr std::uint64_t kMostTraps = 1'000'000;
  const std::uint32_t node = arguments.node();
  base::Duration interval = std::chrono::milliseconds(1);
  std::uint64_t count = 1000;
  if (arguments.more()) {
    interval = arguments.time();
    count = arguments.number("the number of traps", 1, kMostTraps);
  }
  if (!arguments.complete()) return;
  context.host.change(
      [&](World& world) { world.storm(node, interval, static_cast<unsigned>(count)); });
}

void inject(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.port(node);
  const std::string counter = arguments.word("the counter");
  const std::uint64_t amount =
      arguments.number("the amount", 1, std::numeric_limits<std::uint64_t>::max());
  give(context, arguments, outcome,
       [&](World& world) { return world.inject(node, port, counter, amount); });
}

// ibsim's "PortCounters.SymbolErrorCounter=77".
void ibsim_performance_set(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.port(node);
  const std::string word = arguments.word("COUNTER=NUMBER");
  const std::size_t equals = word.find('=');
  const std::size_t dot = word.find('.');
  const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
  std::uint64_t amount = 0;
  if (equals == std::string::npos || equals < begin) {
    arguments.refuse("write COUNTER=NUMBER");
  } else {
    const Word number{word.substr(equals + 1), 0};
    Arguments value(context.host.world(), {&number, 1}, false);
    amount = value.number("the number", 0, std::numeric_limits<std::uint64_t>::max());
    if (!value.error().empty()) arguments.refuse(value.error());
  }
  const std::string counter = equals == std::string::npos || equals < begin
                                  ? std::string()
                                  : word.substr(begin, equals - begin);
  give(context, arguments, outcome,
       [&](World& world) { return world.set_counter(node, port, counter, amount); });
}

void set_virtual_ports(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.port(node);
  const auto count = static_cast<std::uint16_t>(
      arguments.number("the number of virtual ports", 0, sim::kMostVirtualPorts));
  const std::string lids = arguments.more() ? arguments.word("own or shared") : "shared";
  if (lids != "own" && lids != "shared") arguments.refuse("LIDs are own or shared");
  give(context, arguments, outcome,
       [&](World& world) { return world.set_virtual_ports(node, port, count, lids == "own"); });
}

void ibsim_guid(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.any_port(node);
  const auto guid = base::parse_hex(arguments.word("the GUID"));
  if (!guid || *guid == 0) arguments.refuse("a GUID is hexadecimal and not 0");
  give(context, arguments, outcome,
       [&](World& world) { return world.set_port_guid(node, port, mad::Guid{*guid}); });
}

void ibsim_base_lid(Context& context, Arguments& arguments, Outcome& outcome) {
  const std::uint32_t node = arguments.node();
  const std::uint8_t port = arguments.any_port(node);
  const auto lid =
      static_cast<std::uint16_t>(arguments.number("the LID", 0, mad::kLastUnicastLid.value));
  const auto lmc = static_cast<std::uint8_t>(arguments.more() ? arguments.number("the LMC", 0, 7)
                                                              : std::uint64_t{0});
  give(context, arguments, outcome,
       [&](World& world) { return world.set_base_lid(node, port, mad::Lid{lid}, lmc); });
}

void add_node(Context& context, Arguments& arguments, Outcome& outcome) {
  constexpr std::size_t kLongestName = 64;
  sim::PlannedNode node;
  node.name = node.description = arguments.word("the name");
  if (node.name.empty() || node.name.size() > kLongestName) {
    arguments.refuse(fmt::format("a name has 1 to {} bytes", kLongestName));
  }
  node.port_count = static_cast<std::uint8_t>(arguments.number("the number of ports", 1, 254));
  const std::string type = arguments.more() ? arguments.word("the type") : "switch";
  node.type = mad::NodeType::Switch;
  if (type == "ca") node.type = mad::NodeType::ChannelAdapter;
  if (type == "router") node.type = mad::NodeType::Router;
  if (type != "switch" && type != "ca" && type != "router") {
    arguments.refuse("a node is a switch, a ca or a router");
  }
  if (!arguments.complete()) return;
  const std::size_t count = context.host.world().devices().nodes.size();
  node.guid = mad::Guid{kAddedGuids + count * kGuidsOfANode};
  node.system_image_guid = node.guid;
  context.host.change([&](World& world) {
    const auto added = world.add_node(std::move(node));
    if (added.has_error()) outcome.error = added.error().message;
  });
}

}  // namespace heddle::doors::control
