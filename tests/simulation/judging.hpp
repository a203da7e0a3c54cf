// SPDX-License-Identifier: BSD-3-Clause
// What every test of this folder asks in the end, and small fabrics that no generator makes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/blueprint.hpp"
#include "sim/checker.hpp"
#include "sim/planner.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {

// The service levels that the routes of the box's first SM give, for the world's judges.
sim::LevelOf levels_told(Box& box);

// Empty when the fabric's own registers show nothing wrong; else the complaints, and below them
// what the SM said last.
std::string trouble(Box& box);
// The same, as seen from another endpoint.
std::string trouble_for(Box& box, sim::EndpointId sm);

// The same, without the complaints about these nodes and the ports they are cabled to.
std::string trouble_elsewhere(Box& box, std::initializer_list<std::string_view> names);

// The Sets that devices answered while `act` ran.
template <class Act>
std::uint64_t sets_during(Box& box, Act act) {
  const std::uint64_t before = box.world().counters().sets;
  act();
  return box.world().counters().sets - before;
}

// What the SM said since events were forgotten; and how many full sweeps it began.
std::string said(Box& box);
std::size_t full_sweeps(Box& box);

// For BoxOptions::on_way_in: somebody else hides every change of a port, so that looks show none.
void hide_port_changes(mad::Datagram& datagram);

// An index into the blueprint, by name; and the cable in a port of it. Unknown ones end the test.
std::uint32_t node(Box& box, std::string_view name);
std::uint32_t cable(Box& box, std::string_view name, std::uint8_t port);

// The registers of a port.
const mad::PortInfo& registers(Box& box, std::string_view name, std::uint8_t port);
mad::PortState state(Box& box, std::string_view name, std::uint8_t port);
// The whole unicast table of a switch.
const std::vector<std::uint8_t>& table(Box& box, std::string_view name);

sim::Blueprint fabric(std::string_view expression);
sim::PlannedNode& planned(sim::Blueprint& blueprint, std::string_view name);
// Two switches joined by two cables, with two hosts on each: left-a, left-b, right-a, right-b.
sim::Planner dumbbell();

}  // namespace heddle::test
