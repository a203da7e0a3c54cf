// SPDX-License-Identifier: BSD-3-Clause
// A simulated subnet: devices that answer MADs from their own registers, cables with delay and
// loss, virtual time. It shares `base` and `mad` with the SM and nothing else, so that a wrong
// belief cannot agree with itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  bool traps = true;              // switches send trap 128 when a port goes Down or comes up
};

struct Devices;

// What has happened since power-on. Get, Set and the answers are counted at the devices.
struct WorldCounters {
  std::uint64_t sent = 0;       // by endpoints
  std::uint64_t delivered = 0;  // to endpoints
  std::uint64_t gets = 0;       // that devices answered
  std::uint64_t sets = 0;       // that devices answered, refused ones included
  std::uint64_t refused = 0;    // answers with a status other than 0
  std::uint64_t silent = 0;     // requests that a device did not answer: M_Key, silenced
  std::uint64_t traps = 0;      // sent by switches
  std::uint64_t lost = 0;       // on cables
  std::uint64_t discarded = 0;  // by devices: no route, port down, nobody there
  friend bool operator==(const WorldCounters&, const WorldCounters&) = default;
};

// One line of a transcript.
struct Sighting {
  enum class What : std::uint8_t { Sent, Answered, Delivered, Lost, Discarded };
  What what{};
  base::Instant when{};
  std::uint32_t node = 0;  // where, as an index into Blueprint::nodes
  std::uint8_t port = 0;
  const mad::Smp* smp = nullptr;  // null for other classes
};
using Watcher = std::function<void(const Sighting&)>;

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
  // NodeInfo, PortInfo or P_KeyTable as the endpoint's own software reads it from its adapter:
  // whatever the M_Key, and nothing is sent or counted. Nothing for other attributes and modifiers
  // that the device refuses.
  std::optional<mad::SmpData> look(EndpointId endpoint, mad::AttributeId attribute,
                                   std::uint32_t modifier) const;

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

  const WorldCounters& counters() const;
  // Called for each MAD that is sent, answered, delivered or dropped; null turns it off.
  void set_watcher(Watcher watcher);
  // The registers themselves: for judges (checker.hpp) and tests, never for an SM.
  const Devices& devices() const;

  // --- trouble (see faults.cpp): nodes and cables are indices into the blueprint
  // ------------------

  std::optional<std::uint32_t> find_node(std::string_view name) const;
  std::optional<std::uint32_t> find_cable(std::uint32_t node, std::uint8_t port) const;

  void cut(std::uint32_t cable);
  void restore(std::uint32_t cable);
  // The b ends of two cables change places.
  void swap_cables(std::uint32_t first, std::uint32_t second);
  // Chance that a MAD is lost on this cable, beside WorldOptions::loss.
  void set_loss(std::uint32_t cable, double chance);
  // Off: its links go down. On: registers and tables as after power-on, LIDs forgotten.
  void power_off(std::uint32_t node);
  void power_on(std::uint32_t node);
  // Its agent answers nothing, yet it forwards.
  void silence(std::uint32_t node, bool silent);
  // Its agent answers every request with status busy.
  void make_busy(std::uint32_t node, bool busy);
  // Chance that one bit of an answer of this node is wrong.
  void set_damage(std::uint32_t node, double chance);
  // It lies: NodeInfo.NumPorts, SwitchInfo.LinearFDBTop. Nothing ends the lie.
  void claim_ports(std::uint32_t node, std::optional<std::uint8_t> ports);
  void claim_linear_top(std::uint32_t node, std::optional<std::uint16_t> top);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::sim
