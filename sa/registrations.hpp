// SPDX-License-Identifier: BSD-3-Clause
// What clients have told subnet administration. Unlike the view it outlives sweeps, and nobody else
// knows it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "multicast/groups.hpp"
#include "multicast/tables.hpp"
#include "sa/alias_guids.hpp"
#include "sa/fetches.hpp"
#include "sa/services.hpp"
#include "sa/subscriptions.hpp"

namespace heddle::sa {

struct Registrations {
  Services services;
  Subscriptions subscriptions;
  multicast::Groups groups{multicast::Policy{}};
  AliasGuids alias_guids;  // that devices hold
  AliasChanges alias_changes;

  // What came of it and is yet to be carried out, in order.
  multicast::Changes changes;
  std::vector<std::string> refusals;  // of joins, for a person; the first kMaxRefusals
  Fetches fetches;
  // As the switches hold them; null before the first.
  std::shared_ptr<const multicast::Tables> multicast_tables;

  static constexpr std::size_t kMaxRefusals = 64;

  void take(multicast::Changes more) {
    changes.groups.insert(changes.groups.end(), more.groups.begin(), more.groups.end());
    changes.roles.insert(changes.roles.end(), more.roles.begin(), more.roles.end());
  }
  void refuse(std::string reason) {
    if (refusals.size() < kMaxRefusals) refusals.push_back(std::move(reason));
  }
};

}  // namespace heddle::sa
