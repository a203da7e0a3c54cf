// SPDX-License-Identifier: BSD-3-Clause
// What the SM wants of each port and switch: pure values, made from the topology, the LIDs and the
// operator's settings. difference.hpp compares them with what was read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/edited_array.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/registers.hpp"
#include "fabric/topology.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

// What an operator wants of links besides, in the values of PortInfo.
struct LinkWishes {
  static constexpr std::uint8_t kAsItStands = 16;  // for thresholds
  // Of ports of switches: bits, or the code that stands for all that is supported, or for none
  // (mad::EnabledCodes); 0: as it stands.
  std::uint8_t width_enabled = 0;
  std::uint8_t speed_enabled = 0;
  std::uint8_t speed_ext_enabled = 0;
  std::uint8_t speed_ext2_enabled = 0;
  // Of all ports: thresholds, 0..15.
  std::uint8_t local_phy_errors = kAsItStands;
  std::uint8_t overrun_errors = kAsItStands;
  friend bool operator==(const LinkWishes&, const LinkWishes&) = default;
};

// Settings that hold for all links; ranges as in PortInfo.
struct LinkSettings {
  std::uint8_t max_operational_vls{};      // code 1..5
  std::uint8_t head_of_queue_life{};       // switch ports towards switches
  std::uint8_t leaf_head_of_queue_life{};  // and towards hosts
  std::uint8_t vl_stall_count{};           // the same of these
  std::uint8_t leaf_vl_stall_count{};
  LinkWishes wishes;
  friend bool operator==(const LinkSettings&, const LinkSettings&) = default;
};

// And for all ports that own LIDs.
struct PortSettings {
  mad::GidPrefix subnet_prefix{};
  std::function<mad::MKey(mad::Guid port)> m_key;  // none: no port has one
  std::uint8_t m_key_protect_bits{};
  std::uint16_t m_key_lease_period{};
  mad::Lid sm_lid{};
  mad::ServiceLevel sm_sl{};
  std::uint8_t subnet_timeout{};
  LinkSettings links;
};

// Wanted of a port that owns LIDs: CA and router ports, switch port 0.
struct EndportIntent {
  LidMap::Range lids;
  mad::GidPrefix gid_prefix{};
  mad::MKey m_key{};
  std::uint8_t m_key_protect_bits{};   // 0 without a key
  std::uint16_t m_key_lease_period{};  // seconds; 0 without a key
  mad::Lid master_sm_lid{};
  mad::ServiceLevel master_sm_sl{};
  std::uint8_t subnet_timeout{};
  friend bool operator==(const EndportIntent&, const EndportIntent&) = default;
};

// Wanted of a port with a link, whoever has it.
struct LinkIntent {
  mad::Mtu neighbor_mtu{};
  std::uint8_t operational_vls{};
  std::uint8_t hoq_life{};        // switch ports only
  std::uint8_t vl_stall_count{};  // switch ports only
  bool is_switch_port = false;
  // One of its ends is not Active, or the two disagree on the MTU: it carries nothing, or not what
  // it should, so neither end is disturbed by a change.
  bool is_idle = false;
  // Switch ports only: P_Keys are checked of what comes in, and of what goes out.
  bool enforce_inbound = false;
  bool enforce_outbound = false;
  std::optional<std::uint8_t> vl_high_limit;  // none: as it stands
  // What both ends support of it, or a code for none; 0: as it stands, as at all but switches.
  LinkWishes wishes;
  friend bool operator==(const LinkIntent&, const LinkIntent&) = default;
};

struct PortIntent {
  std::optional<EndportIntent> endport;
  std::optional<LinkIntent> link;
  friend bool operator==(const PortIntent&, const PortIntent&) = default;
};

struct SwitchIntent {
  mad::Lid linear_fdb_top{};
  // Or as much of it as the switch has; kNoLid: whatever it is.
  mad::Lid multicast_fdb_top = mad::kNoLid;
  // Not lowered: multicast tables of another manager are in use up to where they reach.
  bool keeps_multicast_fdb_top = false;
  std::uint8_t life_time_value{};
  friend bool operator==(const SwitchIntent&, const SwitchIntent&) = default;
};

struct Intent {
  base::EditedArray<PortIntent> ports;  // by PortIndex
  SwitchIntent switches;                // the same for all

  // What the links were planned of.
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const Registers> registers;
  LinkSettings links;

  // Of an endport; of others nothing.
  void set_sm_level(PortIndex port, mad::ServiceLevel level) {
    const auto& wish = ports[port.value].endport;
    if (!wish || wish->master_sm_sl == level) return;
    ports.change(port.value).endport->master_sm_sl = level;
  }
};

// Every port of the topology. A link's MTU and VL count are the least of what both ends can do;
// ports whose link leads nowhere known want nothing of the link. Links of which nothing differs
// from what `former` was planned of are as they are there, with all that was wished of them since;
// what is wished as it was there counts as unchanged.
Intent plan_ports(std::shared_ptr<const Topology> topology,
                  std::shared_ptr<const Registers> registers, const LidMap& lids,
                  const PortSettings& settings, Intent former = {});

}  // namespace heddle::fabric
