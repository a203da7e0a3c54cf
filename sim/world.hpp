// SPDX-License-Identifier: BSD-3-Clause
// A simulated subnet: devices that answer MADs from their own registers, cables with delay and
// loss, virtual time. It shares `base` and `mad` with the SM and nothing else, so that a wrong
// belief cannot agree with itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

// Where a host's management software sits: a port of a CA, router, or switch port 0.
using EndpointId = std::uint32_t;

struct WorldOptions {
  std::uint64_t seed = 1;
  base::Duration hop_delay{0};    // per link passed, each way
  base::Duration agent_delay{0};  // per MAD answered by a device
  double loss = 0;                // chance that a MAD is lost on a link
};

struct Delivery {
  EndpointId to{};
  mad::Datagram datagram;
};

class World {
 public:
  World(Blueprint blueprint, WorldOptions options);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // A host port by node name (or description) and port; 0 means the first that can send.
  std::optional<EndpointId> find_endpoint(std::string_view node, std::uint8_t port = 0) const;
  // The first channel adapter port with a cable: where an SM is put when nobody says.
  std::optional<EndpointId> default_endpoint() const;
  mad::Guid port_guid(EndpointId endpoint) const;

  // Management software on this endpoint receives what its device does not answer itself:
  // SMInfo, traps and reports for an SM, class SubnAdm. Sets or clears PortInfo's IsSM.
  void set_is_sm(EndpointId endpoint, bool is_sm);

  // A MAD leaves the endpoint's QP0 or QP1 now. Directed-route SMPs start with hop pointer 0.
  void send(EndpointId from, mad::Datagram datagram, base::Instant now);

  // Runs everything due up to and including `now`. Time never goes back.
  void advance(base::Instant now);
  // When something is due next; kNever when the world is at rest.
  base::Instant next_event() const;
  // What arrived at endpoints since the last call, in order.
  std::vector<Delivery> take_deliveries();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::sim
