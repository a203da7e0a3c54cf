// SPDX-License-Identifier: BSD-3-Clause
#include "tests/simulation/judging.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "mad/smp.hpp"
#include "mad/switch_info.hpp"
#include "sim/checker.hpp"
#include "sim/devices.hpp"

namespace heddle::test {

namespace {

// Whoever looks for the cause of a bad seed wants to hear more: HEDDLE_SAID=1000.
std::size_t events_to_tell() {
  constexpr std::size_t kLastEvents = 25;
  const char* wanted = std::getenv("HEDDLE_SAID");
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : kLastEvents;
}

std::string with_last_events(Box& box, std::string complaints) {
  if (complaints.empty()) return complaints;
  complaints += "the SM said last:\n";
  const auto& events = box.events();
  for (auto i = events.size() - std::min(events.size(), events_to_tell()); i < events.size(); ++i) {
    complaints += "  " + sm::sentence(events[i]) + '\n';
  }
  return complaints;
}

// As the judges write them: the node, and the ports at the far ends of its cables.
std::vector<std::string> names_around(Box& box, std::string_view name) {
  const sim::Devices& devices = box.world().devices();
  const std::uint32_t at = node(box, name);
  std::vector<std::string> names{devices.plan.nodes[at].name + " "};
  for (unsigned port = 1; port <= devices.nodes[at].port_count; ++port) {
    const auto& line = devices.lines[devices.port_at(at, static_cast<std::uint8_t>(port))];
    if (line.peer == sim::kNone) continue;
    const auto& far = devices.lines[line.peer];
    names.push_back(devices.plan.nodes[far.node].name + " port " + std::to_string(far.number) +
                    " ");
  }
  return names;
}

}  // namespace

sim::LevelOf levels_told(Box& box) {
  if (!box.published() || !box.snapshot().routes) return {};
  if (box.snapshot().routes->routes.lanes.levels.uniform()) return {};
  return [&box](sim::PortIndex host, mad::Lid to) {
    const auto& snapshot = box.snapshot();
    const auto& info = box.world().devices().ports[host].info;
    const auto port = snapshot.lids.owner(info.lid);
    const auto at = port == fabric::kNoPort ? std::nullopt : snapshot.topology.attachment(port);
    const auto& levels = snapshot.routes->routes.lanes.levels;
    return mad::ServiceLevel{at ? levels.level(at->at, snapshot.lids.host_lid(to))
                                : std::uint8_t{0}};
  };
}

std::string trouble_for(Box& box, sim::EndpointId sm) {
  std::string complaints;
  for (const auto& complaint : sim::judge(box.world(), sm, levels_told(box))) {
    complaints += complaint + '\n';
  }
  return with_last_events(box, std::move(complaints));
}

std::string trouble(Box& box) {
  return trouble_for(box, box.endpoint());
}

std::string trouble_elsewhere(Box& box, std::initializer_list<std::string_view> names) {
  std::vector<std::string> known;
  for (const auto name : names) {
    for (auto& around : names_around(box, name)) known.push_back(std::move(around));
  }
  std::string complaints;
  for (const auto& complaint : sim::judge(box.world(), box.endpoint(), levels_told(box))) {
    // A long list ends with a count; what it counts is judged once the rest is right.
    const bool is_count = complaint.rfind("and ", 0) == 0;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& name) {
      return complaint.find(name) != std::string::npos;
    });
    if (!is_count && !is_known) complaints += complaint + '\n';
  }
  return with_last_events(box, std::move(complaints));
}

std::string said(Box& box) {
  std::string all;
  for (const auto& event : box.events()) all += "  " + sm::sentence(event) + '\n';
  return all;
}

std::size_t full_sweeps(Box& box) {
  const auto& events = box.events();
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [](const sm::Event& event) {
        const auto* started = std::get_if<sm::SweepStarted>(&event.value);
        return started != nullptr && started->full;
      }));
}

void hide_port_changes(mad::Datagram& datagram) {
  auto smp = mad::decode_smp(datagram.payload);
  if (!smp) return;
  if (smp->attribute_id == mad::AttributeId::SwitchPortStateTable) smp->status = {0x0C};
  if (smp->attribute_id == mad::AttributeId::SwitchInfo) {
    auto info = mad::decode<mad::SwitchInfo>(smp->data);
    info.port_state_change = false;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
  }
  datagram = mad::make_datagram(datagram.peer, *smp);
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

sim::PlannedNode& planned(sim::Blueprint& blueprint, std::string_view name) {
  const auto found = std::find_if(blueprint.nodes.begin(), blueprint.nodes.end(),
                                  [&](const auto& node) { return node.name == name; });
  if (found == blueprint.nodes.end()) {
    throw std::invalid_argument("no such node: " + std::string(name));
  }
  return *found;
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
