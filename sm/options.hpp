// SPDX-License-Identifier: BSD-3-Clause
// What an operator can choose about the SM machine. Defaults here are those of the configuration
// file (tests/config checks that the two agree).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "fabric/intent.hpp"
#include "mad/types.hpp"
#include "partitions/policy.hpp"
#include "partitions/tables.hpp"
#include "qos/lane_tables.hpp"
#include "qos/policy.hpp"
#include "routing/selection.hpp"
#include "sa/prefix_routes.hpp"
#include "sa/trust.hpp"

namespace heddle::sm {

// What every SM uses unless told otherwise: no secret.
inline constexpr mad::SMKey kPublicSMKey{1};

struct Options {
  mad::GidPrefix subnet_prefix = mad::kDefaultGidPrefix;
  mad::SMKey sm_key = kPublicSMKey;
  bool tell_sm_key = false;  // to whoever asks; the public one is told anyway
  // What protects ports from others' Sets; 0 protects nothing. A port's key may be worked out from
  // it instead of being it. Former ones are tried where it is not taken.
  mad::MKey m_key{0};
  bool m_key_per_port = false;
  std::vector<mad::MKey> former_m_keys;
  std::uint8_t m_key_protection = 1;  // PortInfo.M_KeyProtectBits, 0..3; per port only 0 or 1
  std::uint16_t m_key_lease = 0;      // seconds, 0: for ever
  std::uint8_t priority = 0;          // 0..15
  bool shadow = false;                // read everything, write nothing, say what would be written
  // Election. A sticky master does not hand over to a standby that ranks higher.
  bool sticky_master = false;
  bool start_inactive = false;  // in NOT-ACTIVE, until another SM says STANDBY (IBA 14.4.1)
  bool durable = false;         // there is a store: what clients are promised is written down first
  base::Duration poll_interval = std::chrono::seconds(5);  // how often a standby asks the master
  std::uint32_t poll_misses = 3;            // 1..: silent times in a row that make it gone
  std::vector<mad::Guid> allowed_sm_guids;  // of SMs' ports; empty: all
  std::uint8_t lmc = 0;                     // 0..7
  bool lmc_on_enhanced_port0 = false;
  bool reassign_lids = false;  // forget what memory and ports hold
  bool virtualization = true;  // virtual ports are brought up; else nobody asks for any
  // Virtual ports are in the tables of nodes and ports too, for whoever can tell them apart.
  bool virtual_records = false;

  std::uint8_t max_operational_vls = 5;       // code 1..5: 1, 2, 4, 8, 15 data VLs
  std::uint8_t subnet_timeout = 18;           // PortInfo.SubnetTimeOut, 0..31
  std::uint8_t packet_life_time = 18;         // SwitchInfo.LifeTimeValue, 0..31
  std::uint8_t head_of_queue_life = 18;       // PortInfo.HOQLife towards switches, 0..31
  std::uint8_t leaf_head_of_queue_life = 16;  // and towards hosts
  std::uint8_t vl_stall_count = 7;            // PortInfo.VLStallCount towards switches, 0..7
  std::uint8_t leaf_vl_stall_count = 7;       // and towards hosts
  fabric::LinkWishes link_wishes;
  mad::ServiceLevel sm_sl{0};

  base::Duration sweep_interval = std::chrono::seconds(10);  // light sweeps; 0: none
  // After so long a light sweep gives way to one that reads the whole fabric again; 0: never.
  base::Duration full_sweep_interval = std::chrono::minutes(30);
  // Looks in a row that find a node silent behind a cable that is up, before it counts as gone.
  std::uint32_t node_misses = 3;  // 1..
  // A link between switches that is lost so often within the window is held back until it has stood
  // for so long; 0: none is.
  std::uint32_t flap_limit = 5;
  base::Duration flap_window = std::chrono::minutes(10);
  base::Duration flap_hold = std::chrono::minutes(5);
  bool reregister = true;                // clients are asked to register anew
  std::uint32_t reregister_rate = 1000;  // clients asked to register anew, per second; 0: no limit
  std::uint32_t window = 64;             // most requests in flight in the whole fabric
  std::uint32_t window_per_device = 2;   // and to one device
  base::Duration smallest_timeout = std::chrono::milliseconds(50);
  base::Duration largest_timeout = std::chrono::milliseconds(1000);
  std::uint32_t attempts = 4;   // sends of one request before it counts as unanswered
  std::uint32_t max_hops = 63;  // longest directed route tried

  // Null: partitions::default_policy().
  std::shared_ptr<const partitions::Policy> partitions;
  // Requests to subnet administration that are answered in a second whoever asks; beyond, those
  // who ask most are put off.
  std::uint32_t sa_rate = 100'000;
  // Whether there are groups; else nobody joins one, and multicast tables are emptied.
  bool multicast = true;
  // In clients of subnet administration.
  sa::Trust trust;
  std::uint8_t highest_rate_code = 63;  // 2..63: that clients are told
  // Null: there are no paths to other subnets.
  std::shared_ptr<const sa::PrefixRoutes> prefix_routes;
  // Null: service levels are those of the routing engine and of partitions, nothing else limits.
  std::shared_ptr<const qos::Policy> qos_policy;
  // What SL to VL and VL arbitration tables hold. Nothing: those that routes do not need are left
  // as they stand.
  std::optional<qos::LaneTables> lane_tables;
  // Where switches check P_Keys, if there is a policy.
  partitions::Enforcement partition_enforcement = partitions::Enforcement::Both;

  routing::Policy routing;
  // Routes that another master leaves stay as far as they can be proven.
  bool keep_routes_on_takeover = true;
  friend bool operator==(const Options&, const Options&) = default;
};

// Whether the subnet manager on this port may be master, as far as this one is concerned.
inline bool may_take_part(const Options& options, mad::Guid guid) {
  const auto& allowed = options.allowed_sm_guids;
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), guid) != allowed.end();
}

}  // namespace heddle::sm
