// SPDX-License-Identifier: BSD-3-Clause
#include "tests/simulation/judging.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/checker.hpp"
#include "sim/devices.hpp"

namespace heddle::test {

std::string trouble(Box& box) {
  constexpr std::size_t kLastEvents = 25;
  std::string text;
  for (const auto& complaint : sim::judge(box.world(), box.endpoint())) text += complaint + '\n';
  if (text.empty()) return text;
  text += "the SM said last:\n";
  const auto& events = box.events();
  for (auto i = events.size() - std::min(events.size(), kLastEvents); i < events.size(); ++i) {
    text += "  " + sm::sentence(events[i]) + '\n';
  }
  return text;
}

std::uint32_t node(Box& box, std::string_view name) {
  const auto found = box.world().find_node(name);
  if (!found) throw std::invalid_argument("no such node: " + std::string(name));
  return *found;
}

std::uint32_t cable(Box& box, std::string_view name, std::uint8_t port) {
  const auto found = box.world().find_cable(node(box, name), port);
  if (!found) throw std::invalid_argument("no cable there: " + std::string(name));
  return *found;
}

const mad::PortInfo& registers(Box& box, std::string_view name, std::uint8_t port) {
  const sim::Devices& devices = box.world().devices();
  return devices.ports[devices.port_at(node(box, name), port)].info;
}

mad::PortState state(Box& box, std::string_view name, std::uint8_t port) {
  const sim::Devices& devices = box.world().devices();
  return devices.lines[devices.port_at(node(box, name), port)].state;
}

const std::vector<std::uint8_t>& table(Box& box, std::string_view name) {
  return box.world().devices().switch_at(node(box, name)).linear;
}

sim::Blueprint fabric(std::string_view expression) {
  auto loaded = sim::load_fabric(expression);
  if (!loaded) throw std::invalid_argument(loaded.error().message);
  return std::move(*loaded);
}

sim::Planner dumbbell() {
  sim::Planner plan("dumbbell", {});
  const auto left = plan.add_switch("left");
  const auto right = plan.add_switch("right");
  for (const char* name : {"left-a", "left-b"}) plan.cable(left, plan.add_host(name));
  for (const char* name : {"right-a", "right-b"}) plan.cable(right, plan.add_host(name));
  plan.cable(left, right);
  plan.cable(left, right);
  return plan;
}

}  // namespace heddle::test
