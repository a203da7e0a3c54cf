// SPDX-License-Identifier: BSD-3-Clause
// What an operator chose, as a plain checked struct. The initialisers here are the only place where
// the defaults of the configuration file are written down. Nothing of the SM is known here: app/
// maps a Config to the machine's own options (docs/configuration.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace heddle::config {

// Ranges and meanings stand in the table of options.cpp, member by member.
struct Config {
  // [sm]
  std::string port;  // "": choose; "mlx5_0:1"; "0x0002c90300a1b2c3"
  std::uint32_t priority = 0;
  std::uint64_t subnet_prefix = 0xfe80'0000'0000'0000;
  std::uint64_t sm_key = 1;
  bool tell_sm_key = false;
  std::uint64_t m_key = 0;
  bool m_key_per_port = false;
  std::vector<std::uint64_t> former_m_keys;
  std::uint32_t m_key_protection = 1;
  std::uint32_t m_key_lease = 0;
  std::uint32_t sm_sl = 0;
  bool shadow = false;
  bool sticky_master = false;
  bool start_inactive = false;
  base::Duration poll_interval = std::chrono::seconds(5);
  std::uint32_t poll_misses = 3;
  std::vector<std::uint64_t> allowed_sm_guids;
  bool virtualization = true;

  // [lids]
  std::uint32_t lmc = 0;
  bool lmc_on_enhanced_port0 = false;
  bool reassign = false;
  std::string memory_file = "/var/lib/heddle/guid2lid";

  // [routing]
  std::vector<std::string> engines{"auto"};
  bool fallback = true;
  bool accept_credit_loops = false;
  bool cover_replies = true;
  std::uint32_t max_vls = 1;
  bool keep_on_takeover = true;
  std::vector<std::uint64_t> root_guids;
  std::string root_guid_file;  // "": root_guids only
  std::string ids_guid_file;
  std::string torus_config;  // "": axes and origin are found
  std::string lft_file;      // "": the engine "file" has none
  std::string lid_matrix_file;
  std::string guid_routing_order_file;
  std::string hop_weights_file;
  std::string port_prof_ignore_file;
  std::string cn_guid_file;
  std::string io_guid_file;
  bool port_shifting = false;
  std::uint32_t scatter_ports = 0;
  bool avoid_throttled_links = false;

  // [partitions]
  std::string partitions_file;  // "": everybody in the default partition
  std::string partition_enforcement = "both";
  bool allow_both_pkeys = false;
  bool partitions_managed = false;

  // [sa]
  std::string qos_policy;     // "": none
  std::string prefix_routes;  // "": no other subnet is reached
  std::uint32_t sa_rate = 100'000;
  std::string sa_untrusted = "all";
  std::uint32_t sa_services = 1024;
  std::uint32_t sa_subscriptions = 256;
  std::uint32_t sa_groups = 16'384;
  bool virtual_records = false;
  bool multicast = true;
  std::uint32_t highest_rate_code = 63;

  // [links]
  std::uint32_t data_vls = 15;
  std::uint32_t subnet_timeout = 18;
  std::uint32_t packet_life_time = 18;
  std::uint32_t head_of_queue_life = 18;
  std::uint32_t leaf_head_of_queue_life = 16;
  std::uint32_t vl_stall_count = 7;
  std::uint32_t leaf_vl_stall_count = 7;
  std::uint32_t link_width_enabled = 0;
  std::uint32_t link_speed_enabled = 0;
  std::uint32_t link_speed_ext_enabled = 0;
  std::uint32_t link_speed_ext2_enabled = 0;
  std::uint32_t local_phy_errors = 16;
  std::uint32_t overrun_errors = 16;

  // [qos]
  bool qos_tables = false;
  std::string qos_all;    // "": what OpenSM writes unless told otherwise
  std::string qos_hosts;  // "": as for all, and so for the next four
  std::string qos_switch_port0;
  std::string qos_switches;
  std::string qos_between_switches;
  std::string qos_routers;

  // [sweep]
  std::uint32_t node_misses = 3;
  std::uint32_t flap_limit = 5;
  base::Duration flap_window = std::chrono::minutes(10);
  base::Duration flap_hold = std::chrono::minutes(5);
  bool reregister = true;
  std::uint32_t reregister_rate = 1000;
  base::Duration interval = std::chrono::seconds(10);
  base::Duration full_interval = std::chrono::minutes(30);

  // [mads]
  std::uint32_t window = 64;
  std::uint32_t window_per_device = 2;
  base::Duration smallest_timeout = std::chrono::milliseconds(50);
  base::Duration largest_timeout = std::chrono::seconds(1);
  std::uint32_t attempts = 4;
  std::uint32_t max_hops = 63;

  // [performance]
  bool performance_enabled = true;
  bool performance_hosts = false;
  base::Duration performance_interval = std::chrono::seconds(60);
  std::uint32_t performance_window = 32;
  std::uint32_t performance_rate = 2000;
  bool performance_ask_capabilities = true;
  bool performance_follow_redirects = true;
  bool performance_clear_full = false;
  bool performance_error_correction = true;
  std::uint32_t performance_hot_links = 80;
  bool performance_log_errors = true;
  std::string performance_metrics = "all";
  std::vector<std::string> performance_thresholds{
      "symbol_error 120/h",
      "link_error_recovery 10/h",
      "link_downed 5/h",
      "receive_errors 10/h",
      "receive_remote_physical_errors 100/h",
      "transmit_discards 100/min",
      "transmit_constraint_errors 100/h",
      "receive_constraint_errors 100/h",
      "local_link_integrity_errors 10/h",
      "excessive_buffer_overrun_errors 10/h",
      "fec_uncorrected_blocks 1e-14/bit",
      "vl15_dropped 100/min",
  };

  // [health]
  bool health_dry_run = true;
  std::vector<std::string> health_actions{"errors report",    "degraded report",
                                          "flapping report",  "unresponsive report",
                                          "rebooting report", "noisy report"};
  std::uint32_t health_losses = 5;
  std::uint32_t health_reboots = 3;
  std::uint32_t health_silences = 3;
  base::Duration health_window = std::chrono::hours(1);
  std::uint32_t health_most_links = 4;
  std::uint32_t health_most_share = 2;

  // [congestion]
  bool congestion_enabled = false;
  std::uint64_t congestion_key = 0;
  std::string congestion_key_mode = "use";
  std::vector<std::uint64_t> congestion_former_keys;
  std::uint32_t congestion_key_lease = 0;
  std::string congestion_switches;  // "": left as they stand, and so for the next four
  std::vector<std::string> congestion_ports;
  std::string congestion_hold = "queue-pair";
  std::vector<std::string> congestion_levels;
  std::vector<std::string> congestion_table;
  base::Duration congestion_interval = std::chrono::minutes(10);
  base::Duration congestion_log_interval = std::chrono::minutes(1);
  std::uint32_t congestion_window = 32;
  std::uint32_t congestion_rate = 2000;
  std::uint32_t congestion_most_errors = 20;
  base::Duration congestion_error_window = std::chrono::seconds(10);

  // [output]
  std::string dump_dir;       // "": no dumps
  std::string node_name_map;  // "": nodes are called as they call themselves

  // [standby]
  std::string standby_listen;  // "": nobody may connect
  std::string standby_peer;    // "": there is none
  std::string standby_secret_file;
  std::string standby_certificate;
  std::string standby_key;
  std::string standby_authority;

  // [replica]
  std::vector<std::string> replica_endpoints;  // none: no replicated store
  std::string replica_prefix = "/heddle";
  std::string replica_authority;
  std::string replica_certificate;
  std::string replica_key;
  std::string replica_user;
  std::string replica_password_file;
  base::Duration replica_lease = std::chrono::seconds(5);
  bool replica_wait = true;

  // [api]
  bool api_enabled = true;
  std::string api_socket;  // "": in the runtime directory
  std::string api_readers = "owner";
  std::string api_listen;       // "": no TCP
  std::string api_tokens;       // "": none
  std::string api_certificate;  // "": no TLS
  std::string api_key;
  std::string api_console = "off";
  std::uint32_t api_console_port = 10000;

  // [log]
  std::string log_level = "info";
  std::string log_format = "text";
  std::string log_file;  // "": standard error
  std::uint32_t log_limit = 1000;

  // [security]
  std::string security_profile = "open";

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace heddle::config
