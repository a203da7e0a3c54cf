// SPDX-License-Identifier: BSD-3-Clause
// What the machine shows: the picture after each sweep, the view that subnet administration answers
// from, and the groups.
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

// After a takeover, clients have so long to register what they are members of.
constexpr base::Duration kInheritance = std::chrono::minutes(5);

std::vector<partitions::GroupSpec> permanent_groups(const Options& options) {
  const auto policy = options.partitions ? *options.partitions : partitions::default_policy();
  std::vector<partitions::GroupSpec> groups;
  for (const auto& partition : policy.partitions) {
    groups.insert(groups.end(), partition.groups.begin(), partition.groups.end());
  }
  return groups;
}

}  // namespace

void Core::Machine::publish_picture() {
  shown_managers = picture.other_sms;
  auto registers = picture.frozen.topology
                       ? picture.registers.of(picture.observation, picture.frozen)
                       : std::make_shared<const fabric::Registers>();
  auto snapshot = take_picture(picture, registers, statistics, options);
  if (options.shadow) snapshot->shadow = shadow.report();
  renew_view(std::move(registers));
  if (election.state() == mad::SMState::Master) snapshot->view = administration.shared_view();
  outputs.emplace_back(Publish{std::move(snapshot)});
}

// What came, went or settled between sweeps. A sweep that is due shows it itself, with the rest.
void Core::Machine::show_managers() {
  if (!due && picture.other_sms != shown_managers) publish_picture();
}

void Core::Machine::close_view() {
  administration.close();
  multicast_programming.forget();
  role_changes.clear();
  fetches.clear();
  alias_writes.clear();
  outdated.clear();
  untold.clear();
  unheard.clear();
  permanent_groups_due = true;
  clients_are_known = false;
  former_master = mad::kNoLid;
  inheritance_ends = base::kNever;
  if (election.state() == mad::SMState::Standby) doubt_replica();
  in_place = {};
}

void Core::Machine::renew_view(std::shared_ptr<const fabric::Registers> registers) {
  if (election.state() != mad::SMState::Master) return close_view();
  if (std::exchange(permanent_groups_due, false)) {
    administration.set_permanent_groups(permanent_groups(options));
    const auto ports = administration.take_outdated();
    outdated.insert(ports.begin(), ports.end());
    if (!outdated.empty()) due = "groups have other terms, which their members must be told";
  }
  tell_load();
  if (multicast_programming.has_inherited() && inheritance_ends == base::kNever) {
    inheritance_ends = clients_are_known ? now : now + kInheritance;
  }
  administration.set_multicast_tables(multicast_programming.tables(picture.frozen.topology));
  const mad::SMInfo own{own_guid(), options.sm_key, act_count, options.priority, election.state()};
  fetches.clear();  // of the old view
  auto subnet =
      subnet_of(picture, std::move(registers), own, options, programming.all_tables_hold());
  in_place = subnet ? in_place_of(*subnet) : routing::InPlace{};
  view_of = picture.observation.identity();
  view_edition = picture.observation.edition();
  if (subnet) subnet->memberships = memberships;
  if (subnet) subnet->p_key_tables = partition_programming.tables();
  if (subnet) subnet->virtual_ports = virtual_ports.published(picture);
  auto view = subnet ? std::make_shared<const sa::View>(std::move(*subnet), administration.view())
                     : nullptr;
  administration.renew(now, std::move(view));
}

bool Core::Machine::has_groups_to_list() const {
  return groups_changed && administration.view() != nullptr;
}

void Core::Machine::publish_groups() {
  if (!std::exchange(groups_changed, false)) return;
  lists_groups_next = now + kBetweenGroupLists;
  const auto& all = administration.registrations();
  outputs.emplace_back(
      PublishGroups{std::make_shared<const GroupList>(list_of(all.groups)), all.multicast_tables});
}

routing::InPlace Core::Machine::in_place_of(const sa::Subnet& subnet) const {
  const bool exact = picture.routes && subnet.tables.get() == &picture.routes->routes.tables;
  return {subnet.topology, subnet.tables, exact ? picture.routes : nullptr};
}

}  // namespace heddle::sm
