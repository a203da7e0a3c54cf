// SPDX-License-Identifier: BSD-3-Clause
// A simulated subnet: devices that answer MADs from their own registers, cables with delay and
// loss, virtual time. It shares `base` and `mad` with the SM and nothing else, so that a wrong
// belief cannot agree with itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

// Longest time that set_reorder() holds a MAD back.
inline constexpr base::Duration kReorderHold = std::chrono::milliseconds(2);

// Where a host's management software sits: a port of a CA, router, or switch port 0.
using EndpointId = std::uint32_t;

struct WorldOptions {
  std::uint64_t seed = 1;
  base::Duration hop_delay{0};    // per link passed, each way
  base::Duration agent_delay{0};  // per MAD answered by a device
  double loss = 0;                // chance that a MAD is lost on a link
  bool traps = true;              // devices send traps, such as 128 when a switch's port changes
  // From a signal on both ends to LinkUp. 0: at once. Power-on of the world itself takes none.
  base::Duration training_time{0};
  // A trap that nobody repressed is sent again after this; 0: each trap is sent once.
  base::Duration trap_interval{0};
  unsigned trap_repeats = 5;  // how often at most, with trap_interval
};

// Devices as people have them in racks: links that take a moment, traps that insist.
WorldOptions lifelike_options();

struct Devices;
struct Flow;
struct Driven;

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
  // SMInfo, traps and reports for an SM, and packets on QP1 of the classes that software serves.
  // Sets or clears PortInfo's IsSM, and tells a master elsewhere of the change by trap 144.
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
  // Two nodes with as many ports change places: each cable of one is in the same port of the other
  // now. Both keep their registers.
  void exchange(std::uint32_t first, std::uint32_t second);
  // Down for `down`, up for `up`, and so on, `times` times; ends restored. Begins now.
  void flap(std::uint32_t cable, base::Duration down, base::Duration up, unsigned times);
  // The cable carries at most this from now on; the link trains again. Its planned width and speed
  // (devices().plan.cables) heal it.
  void degrade(std::uint32_t cable, Width width, Speed speed);
  // Chance that a MAD is lost on this cable, beside WorldOptions::loss. Its receiver counts errors.
  void set_loss(std::uint32_t cable, double chance);
  // Each passage of this cable takes so much longer than WorldOptions::hop_delay.
  void set_delay(std::uint32_t cable, base::Duration delay);
  // Chance that a MAD is held back on this cable for up to kReorderHold, so that later ones
  // overtake.
  void set_reorder(std::uint32_t cable, double chance);
  // Chance that a MAD passes this cable twice.
  void set_duplicate(std::uint32_t cable, double chance);
  // Off: its links go down. On: registers and tables as after power-on, LIDs forgotten.
  void power_off(std::uint32_t node);
  void power_on(std::uint32_t node);
  // Off, and on again after `outage`.
  void reboot(std::uint32_t node, base::Duration outage);
  // Its agent answers nothing, yet it forwards.
  void silence(std::uint32_t node, bool silent);
  // Its agent answers every request with status busy.
  void make_busy(std::uint32_t node, bool busy);
  // Chance that one bit of an answer of this node is wrong.
  void set_damage(std::uint32_t node, double chance);
  // Its agent takes so much longer than WorldOptions::agent_delay.
  void set_agent_delay(std::uint32_t node, base::Duration delay);
  // `count` traps of its own (128 from a switch, 144 from others), one each `interval`, whether or
  // not anybody represses them.
  void storm(std::uint32_t node, base::Duration interval, unsigned count);
  // Adds to a counter of the port by its name in the PMA's attributes ("SymbolErrorCounter",
  // "PortXmitDataSL[3]"), as if that had happened; saturates where the attribute does. What a
  // device tells of by a trap (129 to 131) it tells. Unknown names, nodes and ports are errors.
  base::Result<> inject(std::uint32_t node, std::uint8_t port, std::string_view counter,
                        std::uint64_t amount);
  // The registers of that counter hold this value now, and count on from it.
  base::Result<> set_counter(std::uint32_t node, std::uint8_t port, std::string_view counter,
                             std::uint64_t value);
  // It lies: NodeInfo.NumPorts, SwitchInfo.LinearFDBTop. Nothing ends the lie.
  void claim_ports(std::uint32_t node, std::optional<std::uint8_t> ports);
  void claim_linear_top(std::uint32_t node, std::optional<std::uint16_t> top);

  // Its NodeDescription or SystemImageGUID is another one now; it says so by trap 144 or 145.
  void set_description(std::uint32_t node, std::string description);
  void set_system_image_guid(std::uint32_t node, mad::Guid guid);

  // --- values from outside (world_settings.cpp); what there is not, or cannot be, is an error

  // Another PortGUID, told by trap 144: of port 0 of a switch, of the port of an adapter.
  base::Result<> set_port_guid(std::uint32_t node, std::uint8_t port, mad::Guid guid);
  // As if it had kept this LID over a reboot; nobody is told.
  base::Result<> set_base_lid(std::uint32_t node, std::uint8_t port, mad::Lid lid,
                              std::uint8_t lmc);
  // So many virtual functions behind the port of an adapter, with LIDs of their own or with the
  // port's (virtual_ports.hpp).
  base::Result<> set_virtual_ports(std::uint32_t node, std::uint8_t port, std::uint16_t count,
                                   bool own_lids);
  // Packets of the flow met congestion as they left a switch by this port: marks, the counters and
  // the logs of both ends (congestion_log.hpp).
  base::Result<> mark(std::uint32_t node, std::uint8_t port, const Flow& flow,
                      std::uint64_t packets);

  // Sends packets of `words` four-byte words for each flow and counts them at the ports that they
  // pass (patterns.hpp). Takes no time.
  Driven drive(const std::vector<Flow>& flows, std::uint64_t packets, std::uint32_t words);

  // --- growth --------------------------------------------------------------------------------

  // Another node, powered and without cables; its index. Errors: a name that is taken.
  base::Result<std::uint32_t> add_node(PlannedNode node);
  // A cable between two free ports, which trains; its index. Errors: no such port, port taken.
  base::Result<std::uint32_t> add_cable(const PlannedCable& cable);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::sim
