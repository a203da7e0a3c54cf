// SPDX-License-Identifier: BSD-3-Clause
// A policy applied to the ports that are there: which level a path has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "partitions/memberships.hpp"
#include "qos/policy.hpp"

namespace heddle::qos {

// What a query says, apart from its ends.
struct Question {
  std::optional<std::uint64_t> service_id;
  std::optional<std::uint16_t> qos_class;
  std::optional<mad::PKey> p_key;  // its membership bit does not count
};

class Rulebook {
 public:
  // `memberships` null: everybody is in Default alone. `self` is the subnet manager's port. Neither
  // the topology nor the memberships are needed afterwards.
  Rulebook(std::shared_ptr<const Policy> policy, const fabric::Topology& topology,
           const partitions::Memberships* memberships, fabric::PortIndex self);

  // The rules that such a query may meet, in order: looked up once, for all pairs of ports.
  std::vector<std::uint32_t> rules_for(const Question& question) const;
  // The level of a path between two end ports, by the first of these rules that matches; the
  // default one when none does, null when there is none.
  const Level* level(std::span<const std::uint32_t> rules, fabric::PortIndex from,
                     fabric::PortIndex to) const;

 private:
  std::shared_ptr<const Policy> policy_;
  struct Ends {
    std::vector<bool> sources, destinations;  // by port; empty: any
  };
  std::vector<Ends> ends_;  // by rule
};

}  // namespace heddle::qos
