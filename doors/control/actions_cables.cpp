// SPDX-License-Identifier: BSD-3-Clause
// Verbs that do something to cables.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "doors/control/actions.hpp"
#include "sim/devices.hpp"

namespace heddle::doors::control {
namespace {

using sim::World;

sim::PlannedEnd end_of(Arguments& arguments) {
  const std::uint32_t node = arguments.node();
  return {node, arguments.port(node)};
}

// All cables of the node, or the one of the port that is named.
std::vector<std::uint32_t> cables_of(Context& context, Arguments& arguments) {
  const std::uint32_t node = arguments.node();
  const sim::Device& device = context.host.world().devices().nodes[node];
  std::vector<std::uint32_t> cables;
  unsigned first = 1;
  unsigned last = device.port_count;
  if (arguments.more()) first = last = arguments.port(node);
  for (unsigned port = first; port <= last; ++port) {
    const auto cable = context.host.world().find_cable(node, static_cast<std::uint8_t>(port));
    if (cable) cables.push_back(*cable);
  }
  if (cables.empty()) arguments.refuse("there is no cable");
  return cables;
}

void on_cable(Context& context, Arguments& arguments, void (World::*change)(std::uint32_t)) {
  const std::uint32_t cable = arguments.cable();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { (world.*change)(cable); });
}

void with_chance(Context& context, Arguments& arguments,
                 void (World::*change)(std::uint32_t, double)) {
  const std::uint32_t cable = arguments.cable();
  const double chance = arguments.chance();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { (world.*change)(cable, chance); });
}

void lay(Context& context, const sim::PlannedCable& planned, Outcome& outcome) {
  context.host.change([&](World& world) {
    const auto laid = world.add_cable(planned);
    if (laid.has_error()) outcome.error = laid.error().message;
  });
}

}  // namespace

void link_down(Context& context, Arguments& arguments, Outcome&) {
  on_cable(context, arguments, &World::cut);
}

void link_up(Context& context, Arguments& arguments, Outcome&) {
  on_cable(context, arguments, &World::restore);
}

void link_flap(Context& context, Arguments& arguments, Outcome&) {
  constexpr std::uint64_t kMostFlaps = 100'000;
  const std::uint32_t cable = arguments.cable();
  base::Duration down = std::chrono::seconds(1);
  base::Duration up = down;
  std::uint64_t times = 1;
  if (arguments.more()) {
    down = arguments.time();
    up = arguments.time();
    times = arguments.number("the number of times", 1, kMostFlaps);
  }
  if (!arguments.complete()) return;
  context.host.change(
      [&](World& world) { world.flap(cable, down, up, static_cast<unsigned>(times)); });
}

void link_degrade(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t cable = arguments.cable();
  const sim::Width width = arguments.width();
  const sim::Speed speed = arguments.speed();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.degrade(cable, width, speed); });
}

void link_heal(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t cable = arguments.cable();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) {
    const sim::PlannedCable planned = world.devices().plan.cables[cable];
    world.degrade(cable, planned.width, planned.speed);
    world.set_loss(cable, 0);
    world.set_delay(cable, {});
    world.set_reorder(cable, 0);
    world.set_duplicate(cable, 0);
    world.restore(cable);
  });
}

void swap_cables(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t first = arguments.cable();
  const std::uint32_t second = arguments.cable();
  if (first == second) arguments.refuse("these are the two ends of one cable");
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.swap_cables(first, second); });
}

void set_loss(Context& context, Arguments& arguments, Outcome&) {
  with_chance(context, arguments, &World::set_loss);
}

void set_reorder(Context& context, Arguments& arguments, Outcome&) {
  with_chance(context, arguments, &World::set_reorder);
}

void set_duplicate(Context& context, Arguments& arguments, Outcome&) {
  with_chance(context, arguments, &World::set_duplicate);
}

void set_delay(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t cable = arguments.cable();
  const base::Duration delay = arguments.time();
  if (!arguments.complete()) return;
  context.host.change([&](World& world) { world.set_delay(cable, delay); });
}

void add_cable(Context& context, Arguments& arguments, Outcome& outcome) {
  sim::PlannedCable cable;
  cable.a = end_of(arguments);
  cable.b = end_of(arguments);
  if (arguments.more()) {
    cable.width = arguments.width();
    cable.speed = arguments.speed();
  }
  if (arguments.complete()) lay(context, cable, outcome);
}

void ibsim_link(Context& context, Arguments& arguments, Outcome& outcome) {
  const sim::PlannedEnd a = end_of(arguments);
  const sim::PlannedEnd b = end_of(arguments);
  if (!arguments.complete()) return;
  const auto cable = context.host.world().find_cable(a.node, a.port);
  if (cable && cable == context.host.world().find_cable(b.node, b.port)) {
    context.host.change([&](World& world) { world.restore(*cable); });
    return;
  }
  lay(context, {a, b}, outcome);
}

void ibsim_unlink(Context& context, Arguments& arguments, Outcome&) {
  const auto cables = cables_of(context, arguments);
  if (!arguments.complete()) return;
  context.host.change([&](World& world) {
    for (const std::uint32_t cable : cables) world.cut(cable);
  });
}

void ibsim_relink(Context& context, Arguments& arguments, Outcome&) {
  const auto cables = cables_of(context, arguments);
  if (!arguments.complete()) return;
  context.host.change([&](World& world) {
    for (const std::uint32_t cable : cables) world.restore(cable);
  });
}

void ibsim_error(Context& context, Arguments& arguments, Outcome&) {
  const std::uint32_t cable = arguments.cable();
  const std::uint64_t percent = arguments.number("the rate", 0, 100);
  if (!arguments.complete()) return;
  context.host.change(
      [&](World& world) { world.set_loss(cable, static_cast<double>(percent) / 100); });
}

}  // namespace heddle::doors::control
