// SPDX-License-Identifier: BSD-3-Clause
#include "config/opensm_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::config {
namespace {

using Text = std::optional<std::string>;

constexpr std::string_view kOnlyWithQos =
    "only where qos is TRUE, as in OpenSM (docs/quality-of-service.md)";
constexpr std::string_view kLanesInUse =
    "no lane that a table names is left out; [links] data_vls says how many there are";

// As OpenSM reads numbers: 10, 0x0a or 012.
std::optional<std::uint64_t> number_of(std::string_view value) {
  const bool hexadecimal = value.starts_with("0x") || value.starts_with("0X");
  if (hexadecimal) return base::parse_hex(value);
  if (value.size() > 1 && value.front() == '0') {
    std::uint64_t octal = 0;
    for (const char digit : value) {
      if (digit < '0' || digit > '7' || octal >> 60 != 0) return std::nullopt;
      octal = octal * 8 + static_cast<std::uint64_t>(digit - '0');
    }
    return octal;
  }
  return base::parse_number(value);
}

Text as_is(std::string_view value) {
  return std::string(value);
}

Text number(std::string_view value) {
  const auto number = number_of(value);
  return number ? Text(std::to_string(*number)) : std::nullopt;
}

Text key(std::string_view value) {
  const auto number = number_of(value);
  return number ? Text(base::hex(*number)) : std::nullopt;
}

Text flag(std::string_view value) {
  if (value == "TRUE") return std::string("true");
  if (value == "FALSE") return std::string("false");
  return std::nullopt;
}

Text opposite(std::string_view value) {
  if (value == "TRUE") return std::string("false");
  if (value == "FALSE") return std::string("true");
  return std::nullopt;
}

Text with_unit(std::string_view value, std::string_view unit) {
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  return *number == 0 ? std::string("0") : std::to_string(*number) + std::string(unit);
}
Text seconds(std::string_view value) {
  return with_unit(value, "s");
}
Text milliseconds(std::string_view value) {
  return with_unit(value, "ms");
}

// 0 chooses a port, as an empty name does here.
Text port_guid(std::string_view value) {
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  return *number == 0 ? std::string() : base::hex(*number);
}

Text protection(std::string_view value) {
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  return std::to_string(*number > 3 ? 2 : *number);
}

Text attempts(std::string_view value) {
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  return std::to_string(std::clamp<std::uint64_t>(*number, 1, 8));
}

// 0 leaves it as it is, 1 switches it off, 2 on.
Text virtualization(std::string_view value) {
  const auto number = number_of(value);
  if (!number || *number > 2) return std::nullopt;
  return std::string(*number == 2 ? "true" : "false");
}

// PortInfo's code of VLs.
Text vls(std::string_view value) {
  constexpr std::array kLanes{"1", "2", "4", "8", "15"};
  const auto code = number_of(value);
  if (!code || *code < 1 || *code > kLanes.size()) return std::nullopt;
  return std::string(kLanes[*code - 1]);
}

Text nue_vls(std::string_view value) {
  const auto number = number_of(value);
  if (!number) return std::nullopt;
  return std::to_string(*number == 0 ? 8 : *number);
}

// Bit 0 of Port_Control.
Text hold(std::string_view value) {
  const auto bits = number_of(value);
  if (!bits) return std::nullopt;
  return std::string((*bits & 1) != 0 ? "level" : "queue-pair");
}

// Entries of shift and multiplier, with commas between.
Text table(std::string_view value) {
  for (const std::string_view entry : base::split(value, ',')) {
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (!base::parse_number(entry.substr(0, colon), 3)) return std::nullopt;
    if (!base::parse_number(entry.substr(colon + 1), 0x3FFF)) return std::nullopt;
  }
  return std::string(value);
}

// Bits: 1 errors, 2 information, 4 verbose, 8 debug.
Text log_level(std::string_view value) {
  const auto bits = number_of(value);
  if (!bits) return std::nullopt;
  if ((*bits & 0x0C) != 0) return std::string("debug");
  return std::string((*bits & 0x02) != 0 ? "info" : "error");
}

constexpr OpensmOption kOptions[] = {
    {"guid", "0x0000000000000000", Fate::Mapped, "sm", "port", port_guid, ""},
    {"m_key", "0x0000000000000000", Fate::Mapped, "sm", "m_key", key, ""},
    {"sm_key", "0x0000000000000001", Fate::Mapped, "sm", "sm_key", key, ""},
    {"sa_key", "0x0000000000000001", Fate::Mapped, "sm", "sm_key", nullptr,
     "Heddle has one key for both; where they differ sm_key is taken"},
    {"subnet_prefix", "0xfe80000000000000", Fate::Mapped, "sm", "subnet_prefix", key, ""},
    {"m_key_lease_period", "0", Fate::Mapped, "sm", "m_key_lease", number, ""},
    {"m_key_protection_level", "0", Fate::Mapped, "sm", "m_key_protection", protection,
     "above 3 OpenSM takes 2. Means something only with an m_key; Heddle's own default is then 1"},
    {"m_key_lookup", "TRUE", Fate::Needless, "", "", nullptr,
     "former keys are remembered and tried (docs/keys.md)"},
    {"sweep_interval", "10", Fate::Mapped, "sweep", "interval", seconds, ""},
    {"max_wire_smps", "4", Fate::Needless, "", "", nullptr,
     "how many requests are in flight is found while they are sent; [mads] window limits it"},
    {"max_wire_smps2", "4", Fate::Needless, "", "", nullptr,
     "how many requests are in flight is found while they are sent; [mads] window limits it"},
    {"max_smps_timeout", "600000", Fate::Needless, "", "", nullptr,
     "how many requests are in flight is found while they are sent; [mads] window limits it"},
    {"console", "off", Fate::Mapped, "api", "console", as_is,
     "heddle status, show, ctl and watch tell more (docs/operating.md)"},
    {"console_port", "10000", Fate::Mapped, "api", "console_port", number, ""},
    {"transaction_timeout", "200", Fate::Needless, "", "", nullptr,
     "how long to wait is measured; [mads] smallest_timeout and largest_timeout bound it"},
    {"transaction_retries", "3", Fate::Mapped, "mads", "attempts", attempts,
     "more than 8 become 8"},
    {"long_transaction_timeout", "500", Fate::Needless, "", "", nullptr,
     "how long to wait is measured"},
    {"max_msg_fifo_timeout", "10000", Fate::Needless, "", "", nullptr,
     "whoever asks too much is told BUSY, each source apart (docs/subnet-administration.md)"},
    {"sm_priority", "0", Fate::Mapped, "sm", "priority", number, ""},
    {"lmc", "0", Fate::Mapped, "lids", "lmc", number, ""},
    {"lmc_esp0", "FALSE", Fate::Mapped, "lids", "lmc_on_enhanced_port0", flag, ""},
    {"max_op_vls", "5", Fate::Mapped, "links", "data_vls", vls, ""},
    {"force_link_speed", "15", Fate::Mapped, "links", "link_speed_enabled", number, ""},
    {"force_link_speed_ext", "31", Fate::Mapped, "links", "link_speed_ext_enabled", number, ""},
    {"force_link_width", "255", Fate::Mapped, "links", "link_width_enabled", number, ""},
    {"fdr10", "1", Fate::Needless, "", "", nullptr,
     "told and shown where devices tell of it; it is not switched"},
    {"reassign_lids", "FALSE", Fate::Mapped, "lids", "reassign", flag, ""},
    {"ignore_other_sm", "FALSE", Fate::Mapped, "sm", "allowed_sm_guids", nullptr,
     "holds the GUID of the own port alone, which guid must name"},
    {"single_thread", "FALSE", Fate::Needless, "", "", nullptr,
     "nothing depends on the number of threads"},
    {"disable_multicast", "FALSE", Fate::Mapped, "sa", "multicast", opposite,
     "tables that others left are emptied (docs/multicast.md)"},
    {"subnet_timeout", "18", Fate::Mapped, "links", "subnet_timeout", number, ""},
    {"packet_life_time", "0x12", Fate::Mapped, "links", "packet_life_time", number, ""},
    {"vl_stall_count", "0x07", Fate::Mapped, "links", "vl_stall_count", number, ""},
    {"leaf_vl_stall_count", "0x07", Fate::Mapped, "links", "leaf_vl_stall_count", number, ""},
    {"head_of_queue_lifetime", "0x12", Fate::Mapped, "links", "head_of_queue_life", number, ""},
    {"leaf_head_of_queue_lifetime", "0x10", Fate::Mapped, "links", "leaf_head_of_queue_life",
     number, ""},
    {"local_phy_errors_threshold", "0x08", Fate::Mapped, "links", "local_phy_errors", number, ""},
    {"overrun_errors_threshold", "0x08", Fate::Mapped, "links", "overrun_errors", number, ""},
    {"use_mfttop", "TRUE", Fate::Needless, "", "", nullptr, "used wherever a switch has it"},
    {"sminfo_polling_timeout", "10000", Fate::Mapped, "sm", "poll_interval", milliseconds, ""},
    {"polling_retry_number", "4", Fate::Mapped, "sm", "poll_misses", number, ""},
    {"force_heavy_sweep", "FALSE", Fate::Mapped, "sweep", "full_interval", nullptr,
     "as long as sweep_interval; what changed is read again at once in any case"},
    {"port_prof_ignore_file", "(null)", Fate::Mapped, "routing", "port_prof_ignore_file", as_is,
     ""},
    {"hop_weights_file", "(null)", Fate::Mapped, "routing", "hop_weights_file", as_is, ""},
    {"dimn_ports_file", "(null)", Fate::Needless, "", "", nullptr,
     "the order of dimensions is found from the cables"},
    {"port_search_ordering_file", "(null)", Fate::Needless, "", "", nullptr,
     "the order of dimensions is found from the cables"},
    {"port_profile_switch_nodes", "FALSE", Fate::Missing, "", "", nullptr,
     "switches are weighed as they carry, without an option"},
    {"sweep_on_trap", "TRUE", Fate::Needless, "", "", nullptr,
     "what a trap tells of is read again, and not the whole fabric"},
    {"routing_engine", "(null)", Fate::Mapped, "routing", "engines", nullptr,
     "no_fallback becomes fallback = false. For engines that need virtual lanes max_vls becomes 8, "
     "as OpenSM takes what the links have"},
    {"avoid_throttled_links", "FALSE", Fate::Mapped, "routing", "avoid_throttled_links", flag,
     "gives them less to carry instead of nothing"},
    {"connect_roots", "FALSE", Fate::Needless, "", "", nullptr,
     "all switches reach each other with every engine, proven free of credit loops"},
    {"use_ucast_cache", "FALSE", Fate::Needless, "", "", nullptr,
     "routes that are still right stay, whatever left and returned"},
    {"log_file", "/var/log/opensm.log", Fate::Mapped, "log", "file", as_is,
     "[log] format = \"opensm\" has the layout, and the lines that scripts look for"},
    {"log_max_size", "0", Fate::Needless, "", "", nullptr, "logrotate and SIGUSR1 keep it small"},
    {"log_flags", "0x03", Fate::Mapped, "log", "level", log_level, ""},
    {"force_log_flush", "FALSE", Fate::Needless, "", "", nullptr, "every line is written at once"},
    {"accum_log_file", "TRUE", Fate::Needless, "", "", nullptr, "always appended to"},
    {"partition_config_file", "/etc/opensm/partitions.conf", Fate::Mapped, "partitions", "file",
     as_is, "the same language (docs/partitions.md)"},
    {"no_partition_enforcement", "FALSE", Fate::Mapped, "partitions", "enforcement", nullptr, ""},
    {"part_enforce", "both", Fate::Mapped, "partitions", "enforcement", as_is, ""},
    {"allow_both_pkeys", "FALSE", Fate::Mapped, "partitions", "allow_both_pkeys", flag, ""},
    {"keep_pkey_indexes", "TRUE", Fate::Needless, "", "", nullptr, "positions are always kept"},
    {"sm_assigned_guid", "0x00", Fate::Missing, "", "", nullptr,
     "GUIDs that the manager makes up are not unique beyond one subnet"},
    {"qos", "FALSE", Fate::Mapped, "qos", "tables", flag, ""},
    {"qos_policy_file", "/etc/opensm/qos-policy.conf", Fate::Mapped, "sa", "qos_policy", nullptr,
     kOnlyWithQos},
    {"suppress_sl2vl_mad_status_errors", "FALSE", Fate::Needless, "", "", nullptr,
     "a refusal is told once"},
    {"dump_files_dir", "/var/log/", Fate::Mapped, "output", "dump_dir", as_is, ""},
    {"lid_matrix_dump_file", "(null)", Fate::Mapped, "routing", "lid_matrix_file", as_is, ""},
    {"lfts_file", "(null)", Fate::Mapped, "routing", "lft_file", as_is, ""},
    {"root_guid_file", "(null)", Fate::Mapped, "routing", "root_guid_file", as_is, ""},
    {"cn_guid_file", "(null)", Fate::Mapped, "routing", "cn_guid_file", as_is, ""},
    {"io_guid_file", "(null)", Fate::Mapped, "routing", "io_guid_file", as_is, ""},
    {"port_shifting", "FALSE", Fate::Mapped, "routing", "port_shifting", flag, ""},
    {"scatter_ports", "0", Fate::Mapped, "routing", "scatter_ports", number, ""},
    {"max_reverse_hops", "0", Fate::Missing, "", "", nullptr, "no packet goes down and up again"},
    {"ids_guid_file", "(null)", Fate::Mapped, "routing", "ids_guid_file", as_is, ""},
    {"guid_routing_order_file", "(null)", Fate::Mapped, "routing", "guid_routing_order_file", as_is,
     ""},
    {"guid_routing_order_no_scatter", "FALSE", Fate::Needless, "", "", nullptr,
     "ports of the order are dealt in order"},
    {"sa_db_file", "(null)", Fate::Needless, "", "", nullptr,
     "'heddle snapshot import' reads it, once; what is registered from then on survives by itself"},
    {"sa_db_dump", "FALSE", Fate::Needless, "", "", nullptr,
     "what is registered is on the disk before it is promised; 'heddle snapshot export' writes it "
     "in OpenSM's format"},
    {"torus_config", "/etc/opensm/torus-2QoS.conf", Fate::Mapped, "routing", "torus_config", as_is,
     ""},
    {"do_mesh_analysis", "FALSE", Fate::Needless, "", "", nullptr,
     "dimensions are found from the cables"},
    {"exit_on_fatal", "TRUE", Fate::Needless, "", "", nullptr,
     "what can be managed is managed, and the rest is told of"},
    {"honor_guid2lid_file", "FALSE", Fate::Needless, "", "", nullptr,
     "LIDs that stand in the fabric go before those of the file, which is always read"},
    {"daemon", "FALSE", Fate::Needless, "", "", nullptr, "systemd runs it (packaging/)"},
    {"sm_inactive", "FALSE", Fate::Mapped, "sm", "start_inactive", flag, ""},
    {"babbling_port_policy", "FALSE", Fate::Needless, "", "", nullptr,
     "who babbles is heeded less, and then not at all until it is quiet; the port stays up "
     "(docs/watching.md)"},
    {"drop_event_subscriptions", "FALSE", Fate::Needless, "", "", nullptr,
     "subscriptions end when their port is gone"},
    {"ipoib_mcgroup_creation_validation", "TRUE", Fate::Needless, "", "", nullptr,
     "always checked, and what is wrong is logged"},
    {"mcgroup_join_validation", "TRUE", Fate::Needless, "", "", nullptr,
     "always checked, and what is wrong is logged"},
    {"use_original_extended_sa_rates_only", "FALSE", Fate::Mapped, "sa", "highest_rate_code",
     nullptr, "18, unless max_rate_enum is lower"},
    {"max_rate_enum", "63", Fate::Mapped, "sa", "highest_rate_code", number,
     "older clients get what they can read in any case (docs/subnet-administration.md)"},
    {"use_optimized_slvl", "FALSE", Fate::Needless, "", "", nullptr,
     "used wherever a switch has it"},
    {"fsync_high_avail_files", "TRUE", Fate::Needless, "", "", nullptr,
     "files are always synchronised"},
    {"perfmgr", "FALSE", Fate::Mapped, "performance", "enabled", flag,
     "counters of switch ports are read unless this says otherwise (docs/performance-manager.md)"},
    {"perfmgr_redir", "TRUE", Fate::Mapped, "performance", "follow_redirects", flag, ""},
    {"perfmgr_sweep_time_s", "180", Fate::Mapped, "performance", "interval", seconds, ""},
    {"perfmgr_max_outstanding_queries", "500", Fate::Mapped, "performance", "window", number,
     "[performance] rate limits how many are sent in a second"},
    {"perfmgr_ignore_cas", "FALSE", Fate::Mapped, "performance", "hosts", opposite, ""},
    {"event_db_dump_file", "(null)", Fate::Needless, "", "", nullptr,
     "heddle show counters and the API have them (docs/performance-manager.md)"},
    {"perfmgr_rm_nodes", "TRUE", Fate::Needless, "", "", nullptr,
     "what has left the fabric is always forgotten"},
    {"perfmgr_log_errors", "TRUE", Fate::Mapped, "performance", "log_errors", flag,
     "logged when errors grow faster than [performance] thresholds allow"},
    {"perfmgr_query_cpi", "TRUE", Fate::Mapped, "performance", "ask_capabilities", flag, ""},
    {"perfmgr_xmit_wait_log", "FALSE", Fate::Needless, "", "", nullptr,
     "[performance] thresholds may have one for transmit_wait"},
    {"perfmgr_xmit_wait_threshold", "65535", Fate::Needless, "", "", nullptr,
     "[performance] thresholds may have one for transmit_wait"},
    {"event_plugin_name", "(null)", Fate::Needless, "", "", nullptr,
     "events come by the API, as they happen (docs/api.md)"},
    {"event_plugin_options", "(null)", Fate::Needless, "", "", nullptr,
     "events come by the API, as they happen (docs/api.md)"},
    {"node_name_map_name", "(null)", Fate::Mapped, "output", "node_name_map", as_is, ""},
    {"qos_max_vls", "0", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_high_limit", "-1", Fate::Mapped, "qos", "all", nullptr, kOnlyWithQos},
    {"qos_vlarb_high", "(null)", Fate::Mapped, "qos", "all", nullptr, kOnlyWithQos},
    {"qos_vlarb_low", "(null)", Fate::Mapped, "qos", "all", nullptr, kOnlyWithQos},
    {"qos_sl2vl", "(null)", Fate::Mapped, "qos", "all", nullptr, kOnlyWithQos},
    {"qos_ca_max_vls", "0", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_ca_high_limit", "-1", Fate::Mapped, "qos", "hosts", nullptr, kOnlyWithQos},
    {"qos_ca_vlarb_high", "(null)", Fate::Mapped, "qos", "hosts", nullptr, kOnlyWithQos},
    {"qos_ca_vlarb_low", "(null)", Fate::Mapped, "qos", "hosts", nullptr, kOnlyWithQos},
    {"qos_ca_sl2vl", "(null)", Fate::Mapped, "qos", "hosts", nullptr, kOnlyWithQos},
    {"qos_sw0_max_vls", "0", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_sw0_high_limit", "-1", Fate::Mapped, "qos", "switch_port0", nullptr, kOnlyWithQos},
    {"qos_sw0_vlarb_high", "(null)", Fate::Mapped, "qos", "switch_port0", nullptr, kOnlyWithQos},
    {"qos_sw0_vlarb_low", "(null)", Fate::Mapped, "qos", "switch_port0", nullptr, kOnlyWithQos},
    {"qos_sw0_sl2vl", "(null)", Fate::Mapped, "qos", "switch_port0", nullptr, kOnlyWithQos},
    {"qos_swe_max_vls", "0", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_swe_high_limit", "-1", Fate::Mapped, "qos", "switches", nullptr, kOnlyWithQos},
    {"qos_swe_vlarb_high", "(null)", Fate::Mapped, "qos", "switches", nullptr, kOnlyWithQos},
    {"qos_swe_vlarb_low", "(null)", Fate::Mapped, "qos", "switches", nullptr, kOnlyWithQos},
    {"qos_swe_sl2vl", "(null)", Fate::Mapped, "qos", "switches", nullptr, kOnlyWithQos},
    {"qos_rtr_max_vls", "0", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_rtr_high_limit", "-1", Fate::Mapped, "qos", "routers", nullptr, kOnlyWithQos},
    {"qos_rtr_vlarb_high", "(null)", Fate::Mapped, "qos", "routers", nullptr, kOnlyWithQos},
    {"qos_rtr_vlarb_low", "(null)", Fate::Mapped, "qos", "routers", nullptr, kOnlyWithQos},
    {"qos_rtr_sl2vl", "(null)", Fate::Mapped, "qos", "routers", nullptr, kOnlyWithQos},
    {"congestion_control", "FALSE", Fate::Mapped, "congestion", "enabled", flag, ""},
    {"cc_key", "0x0000000000000000", Fate::Mapped, "congestion", "key", key,
     "key_mode = \"use\" gives it to no device, as OpenSM does not"},
    {"cc_max_outstanding_mads", "500", Fate::Mapped, "congestion", "window", number, ""},
    {"cc_sw_cong_setting_control_map", "0x0", Fate::Mapped, "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_victim_mask",
     "0x0000000000000000000000000000000000000000000000000000000000000000", Fate::Mapped,
     "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_credit_mask",
     "0x0000000000000000000000000000000000000000000000000000000000000000", Fate::Mapped,
     "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_threshold", "0x00", Fate::Mapped, "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_packet_size", "0", Fate::Mapped, "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_credit_starvation_threshold", "0x00", Fate::Mapped, "congestion",
     "switches", nullptr, "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_credit_starvation_return_delay", "0:0", Fate::Mapped, "congestion",
     "switches", nullptr, "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_sw_cong_setting_marking_rate", "0", Fate::Mapped, "congestion", "switches", nullptr,
     "cc_sw_cong_setting_control_map says which of them OpenSM sets"},
    {"cc_ca_cong_setting_port_control", "0x0000", Fate::Mapped, "congestion", "hold", hold, ""},
    {"cc_ca_cong_setting_control_map", "0x0000", Fate::Mapped, "congestion", "levels", nullptr, ""},
    {"cc_ca_cong_setting_ccti_timer", "0 0", Fate::Mapped, "congestion", "levels", nullptr,
     "cc_ca_cong_setting_control_map says for which levels OpenSM sets it"},
    {"cc_ca_cong_setting_ccti_increase", "0 0", Fate::Mapped, "congestion", "levels", nullptr,
     "cc_ca_cong_setting_control_map says for which levels OpenSM sets it"},
    {"cc_ca_cong_setting_trigger_threshold", "0 0", Fate::Mapped, "congestion", "levels", nullptr,
     "cc_ca_cong_setting_control_map says for which levels OpenSM sets it"},
    {"cc_ca_cong_setting_ccti_min", "0 0", Fate::Mapped, "congestion", "levels", nullptr,
     "cc_ca_cong_setting_control_map says for which levels OpenSM sets it"},
    {"cc_cct", "(null)", Fate::Mapped, "congestion", "table", table, ""},
    {"enable_quirks", "FALSE", Fate::Needless, "", "", nullptr, "there are none"},
    {"no_clients_rereg", "FALSE", Fate::Mapped, "sweep", "reregister", opposite,
     "clients are asked only when they must be (docs/watching.md)"},
    {"prefix_routes_file", "/etc/opensm/prefix-routes.conf", Fate::Mapped, "sa", "prefix_routes",
     as_is, ""},
    {"consolidate_ipv6_snm_req", "FALSE", Fate::Needless, "", "", nullptr,
     "groups share an MLID when those run out"},
    {"lash_start_vl", "0", Fate::Needless, "", "", nullptr, "lanes are dealt from 0 on"},
    {"sm_sl", "0", Fate::Mapped, "sm", "sm_sl", number, ""},
    {"nue_max_num_vls", "1", Fate::Mapped, "routing", "max_vls", nue_vls, "0, all, becomes 8"},
    {"nue_include_switches", "FALSE", Fate::Needless, "", "", nullptr,
     "paths to switches are always covered by the proof"},
    {"log_prefix", "(null)", Fate::Needless, "", "", nullptr,
     "journald and [log] format = \"json\" say who it is"},
    {"per_module_logging_file", "/etc/opensm/per-module-logging.conf", Fate::Missing, "", "",
     nullptr, "[log] level is for all"},
    {"quasi_ftree_indexing", "FALSE", Fate::Needless, "", "", nullptr,
     "ftree finds the shape of damaged trees by itself"},
};

// Of the vendors' closed fork, as far as its documents name them; `*` stands for the rest of a
// name. Their defaults are not known here where they are empty.
constexpr OpensmOption kVendorOptions[] = {
    {"m_key_per_port", "FALSE", Fate::Mapped, "sm", "m_key_per_port", flag, ""},
    {"allowed_sm_guids", "(null)", Fate::Mapped, "sm", "allowed_sm_guids", as_is, ""},
    {"max_wire_smps_per_device", "2", Fate::Mapped, "mads", "window_per_device", number, ""},
    {"sa_check_sgid_spoofing", "", Fate::Needless, "", "", nullptr,
     "who asks is known by its LID, whatever it says"},
    {"sa_pr_full_world_queries_allowed", "", Fate::Needless, "", "", nullptr,
     "large queries are answered beside the manager, a few of each port at once"},
    {"sa_rate_threshold", "", Fate::Missing, "", "", nullptr,
     "[sa] rate limits all together, and puts off those who ask most"},
    {"sa_etm_*", "", Fate::Missing, "", "", nullptr,
     "limits of subnet administration: docs/subnet-administration.md"},
    {"m_key_*", "", Fate::Missing, "", "", nullptr, "keys of ports: docs/keys.md"},
    {"max_sa_reports_*", "", Fate::Needless, "", "", nullptr, "reports have limits of their own"},
    {"drop_*", "", Fate::Needless, "", "", nullptr,
     "who does not answer reports, and what is gone, is dropped"},
    {"service_name2key_map_file", "", Fate::Missing, "", "", nullptr,
     "services are registered by their ports alone"},
    {"smp_threads", "", Fate::Needless, "", "", nullptr,
     "one thread manages the fabric, others route and answer"},
    {"gmp_*", "", Fate::Needless, "", "", nullptr,
     "one thread manages the fabric, others route and answer"},
    {"routing_threads_num", "", Fate::Needless, "", "", nullptr, "routing uses all cores"},
    {"max_threads_per_core", "", Fate::Needless, "", "", nullptr, "routing uses all cores"},
    {"validate_smps", "", Fate::Needless, "", "", nullptr, "every answer is checked"},
    {"master_sm_priority", "", Fate::Missing, "", "", nullptr,
     "[sm] sticky_master keeps a master in office"},
    {"enable_sm_port_failover", "", Fate::Missing, "", "", nullptr,
     "one instance of the service for a port"},
    {"cc_key_*", "", Fate::Missing, "", "", nullptr, "[congestion] key and key_mode"},
    {"vs_key_*", "", Fate::Missing, "", "", nullptr, "vendor-specific classes are left alone"},
    {"n2n_key_*", "", Fate::Missing, "", "", nullptr, "vendor-specific classes are left alone"},
    {"periodic_key_update", "", Fate::Missing, "", "", nullptr,
     "keys change when the configuration does; former_m_keys helps"},
    {"hm_*", "", Fate::Missing, "", "", nullptr,
     "[health] has conditions and actions of its own (docs/link-health.md)"},
    {"held_back_sw_file", "", Fate::Missing, "", "", nullptr,
     "heddle ctl port disable, and [health]"},
    {"ar_*", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"enable_ar_*", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"shield_mode", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"pfrn_*", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"hbf_*", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"planarized_routing_enabled", "", Fate::Missing, "", "", nullptr,
     "planes of one port are not known"},
    {"find_roots_color_algorithm", "", Fate::Needless, "", "", nullptr,
     "roots are found from the cables"},
    {"dfp_*", "", Fate::Needless, "", "", nullptr, "dragonfly+ finds its groups from the cables"},
    {"updn_lid_tracking_*", "", Fate::Needless, "", "", nullptr,
     "after a loss only what used it moves"},
    {"offsweep_balancing_*", "", Fate::Needless, "", "", nullptr,
     "routes are balanced when they are made"},
    {"topo_config_*", "", Fate::Missing, "", "", nullptr,
     "heddle plan check compares a fabric with its plan"},
    {"enable_inc_mc_routing", "", Fate::Needless, "", "", nullptr,
     "multicast tables change by what has changed"},
    {"mc_*", "", Fate::Missing, "", "", nullptr, "the root of each tree is chosen by its members"},
    {"virt_enabled", "", Fate::Mapped, "sm", "virtualization", virtualization,
     "0 and 1 bring no virtual port up; nothing is switched off in the devices"},
    {"enable_virt_rec_ext", "", Fate::Mapped, "sa", "virtual_records", flag, ""},
    {"virt_*", "", Fate::Needless, "", "", nullptr,
     "virtual ports have the limits of their devices (docs/virtual-ports.md)"},
    {"tenants_policy_*", "", Fate::Missing, "", "", nullptr,
     "docs/partitions.md and docs/security.md say how tenants are kept apart"},
    {"rtr_*", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"router_*", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"global_flid_*", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"local_flid_*", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"qos_sw2sw_max_vls", "", Fate::Needless, "", "", nullptr, kLanesInUse},
    {"qos_sw2sw_high_limit", "", Fate::Mapped, "qos", "between_switches", nullptr, kOnlyWithQos},
    {"qos_sw2sw_vlarb_high", "", Fate::Mapped, "qos", "between_switches", nullptr, kOnlyWithQos},
    {"qos_sw2sw_vlarb_low", "", Fate::Mapped, "qos", "between_switches", nullptr, kOnlyWithQos},
    {"qos_sw2sw_sl2vl", "", Fate::Mapped, "qos", "between_switches", nullptr, kOnlyWithQos},
    {"mlnx_congestion_control", "", Fate::Missing, "", "", nullptr,
     "[congestion] is that of the specification"},
    {"ppcc_*", "", Fate::Missing, "", "", nullptr, "[congestion] is that of the specification"},
    {"sharp_enabled", "", Fate::Missing, "", "", nullptr,
     "SHARP has a manager of its own; nothing is done for it"},
    {"activity_report_subjects", "", Fate::Needless, "", "", nullptr, "events and metrics tell it"},
    {"enable_performance_logging", "", Fate::Needless, "", "", nullptr,
     "every sweep says what it took"},
    {"osm_stats_*", "", Fate::Needless, "", "", nullptr, "/metrics has them"},
    {"max_msg_fifo_len", "", Fate::Needless, "", "", nullptr,
     "whoever asks too much is told BUSY, each source apart (docs/subnet-administration.md)"},
    {"max_alt_dr_path_retries", "", Fate::Needless, "", "", nullptr,
     "a device is reached by other ways when its first one has died"},
    {"max_seq_redisc", "", Fate::Needless, "", "", nullptr,
     "what changes while the fabric is read is read again by itself"},
    {"rediscovery_*", "", Fate::Needless, "", "", nullptr,
     "what changes while the fabric is read is read again by itself"},
    {"light_sweep_spst", "", Fate::Needless, "", "", nullptr,
     "what a light sweep asks for is found by what switches can"},
    {"force_heavy_sweep_window", "", Fate::Needless, "", "", nullptr,
     "what changed is read again at once; [sweep] full_interval says how often all is"},
    {"mepi_cache_enabled", "", Fate::Needless, "", "", nullptr,
     "what a device has told is kept as long as it has not restarted"},
    {"enable_queries_during_routing", "", Fate::Needless, "", "", nullptr,
     "subnet administration always answers, also while routes are computed"},
    {"master_sm_lid", "", Fate::Missing, "", "", nullptr,
     "the manager has the LID that its port has; docs/mastership.md"},
    {"stand_alone", "", Fate::Missing, "", "", nullptr,
     "an election cannot be left out; [sm] allowed_sm_guids says who takes part"},
    {"get_mft_tables", "", Fate::Needless, "", "", nullptr,
     "what stands in switches is always read before anything is written"},
    {"load_inform_info_from_sadb", "", Fate::Needless, "", "", nullptr,
     "'heddle snapshot import' reads all of the file"},
    {"cache_ar_group_id", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"key_mgr_seed", "", Fate::Missing, "", "", nullptr,
     "[sm] m_key_per_port makes keys of m_key and GUIDs (docs/keys.md)"},
    {"sa_enhanced_trust_model", "", Fate::Missing, "", "", nullptr,
     "limits of subnet administration: docs/subnet-administration.md"},
    {"enable_sa", "", Fate::Missing, "", "", nullptr, "subnet administration is always there"},
    {"rereg_on_guid_migr", "", Fate::Missing, "", "", nullptr,
     "what a virtual port registered ends where it was; it registers where it is"},
    {"aguid_inout_notice", "", Fate::Needless, "", "", nullptr,
     "traps 64 and 65 always tell of aliases that come and go"},
    {"sm_assign_guid_func", "", Fate::Missing, "", "", nullptr,
     "GUIDs that the manager makes up are not unique beyond one subnet"},
    {"force_link_speed_ext2", "", Fate::Mapped, "links", "link_speed_ext2_enabled", number, ""},
    {"support_mepi_speeds", "", Fate::Needless, "", "", nullptr,
     "told and shown where devices tell of it; it is not switched"},
    {"max_neighbor_mtu", "", Fate::Missing, "", "", nullptr,
     "a link has the MTU that both its ends can"},
    {"max_op_vls_*", "", Fate::Missing, "", "", nullptr, "[links] data_vls is for all ports"},
    {"port_speed_*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"port_ext_speed*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"port_mepi_*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"port_mtu_*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"port_vl_*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"port_ame_*", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"allow_sm_port_reset", "", Fate::Missing, "", "", nullptr,
     "no port is set down for a new MTU or number of lanes"},
    {"client_rereg_mode", "", Fate::Missing, "", "", nullptr,
     "clients are asked to register anew only when they must be"},
    {"suppress_mc_pkey_traps", "", Fate::Missing, "", "", nullptr,
     "who subscribed to traps of P_Keys is told of all"},
    {"adaptive_timeout_sl_mask", "", Fate::Missing, "", "", nullptr,
     "vendor-specific classes are left alone"},
    {"port_recovery_policy_enabled", "", Fate::Missing, "", "", nullptr,
     "vendor-specific classes are left alone"},
    {"max_cas_on_spine", "", Fate::Needless, "", "", nullptr, "roots are found from the cables"},
    {"calc_missing_routes", "", Fate::Needless, "", "", nullptr,
     "all switches and hosts reach each other with every engine"},
    {"enhanced_missing_routes", "", Fate::Needless, "", "", nullptr,
     "all switches and hosts reach each other with every engine"},
    {"use_scatter_for_switch_lid", "", Fate::Needless, "", "", nullptr,
     "[routing] scatter_ports is for the LIDs of switches, too"},
    {"improved_lmc_path_distribution", "", Fate::Needless, "", "", nullptr,
     "the LIDs of a port take ways of their own as far as there are any"},
    {"dor_hyper_cube_mode", "", Fate::Needless, "", "", nullptr,
     "dimensions are found from the cables"},
    {"routing_flags", "", Fate::Missing, "", "", nullptr,
     "what engines do is in [routing] (docs/routing.md)"},
    {"enable_empty_arlft_optimization", "", Fate::Missing, "", "", nullptr,
     "tables are deterministic: no adaptive routing of vendors"},
    {"pgrp_policy_file", "", Fate::Missing, "", "", nullptr,
     "one engine routes the whole fabric: no chains of engines"},
    {"topo_policy_file", "", Fate::Missing, "", "", nullptr,
     "one engine routes the whole fabric: no chains of engines"},
    {"rch_policy_file", "", Fate::Missing, "", "", nullptr,
     "one engine routes the whole fabric: no chains of engines"},
    {"max_topologies_per_sw", "", Fate::Missing, "", "", nullptr,
     "one engine routes the whole fabric: no chains of engines"},
    {"auto_join_hca_wo_topo", "", Fate::Missing, "", "", nullptr,
     "one engine routes the whole fabric: no chains of engines"},
    {"default_mcg_*", "", Fate::Missing, "", "", nullptr,
     "groups have what their partition says (docs/partitions.md), or who makes them"},
    {"override_create_mcg_sl", "", Fate::Missing, "", "", nullptr,
     "groups have what their partition says (docs/partitions.md), or who makes them"},
    {"consolidate_ipv4_mask", "", Fate::Needless, "", "", nullptr,
     "groups share an MLID when those run out"},
    {"lids_per_rtr", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"flid_compression", "", Fate::Missing, "", "", nullptr,
     "routers are led to by [sa] prefix_routes, and not programmed"},
    {"enhanced_qos_*", "", Fate::Missing, "", "", nullptr,
     "docs/quality-of-service.md says what is set"},
    {"qos_config_vl_enabled", "", Fate::Missing, "", "", nullptr,
     "docs/quality-of-service.md says what is set"},
    {"device_configuration_file", "", Fate::Missing, "", "", nullptr,
     "devices get what the specification has, and the same for all of a kind"},
    {"enable_vl_packing", "", Fate::Needless, "", "", nullptr,
     "lanes that a port has not are folded on those that it has (docs/quality-of-service.md)"},
    {"use_optimized_port_mask_slvl", "", Fate::Needless, "", "", nullptr,
     "used wherever a switch has it"},
    {"congestion_control_policy_file", "", Fate::Missing, "", "", nullptr,
     "[congestion] is that of the specification"},
    {"prism_an_lmc", "", Fate::Missing, "", "", nullptr, "[lids] lmc is for all ports of hosts"},
    {"log_num_backlogs", "", Fate::Needless, "", "", nullptr,
     "logrotate and SIGUSR1 keep it small"},
    {"syslog_log_flags", "", Fate::Missing, "", "", nullptr, "[log] level is for all"},
    {"verbose_bypass_policy_file", "", Fate::Missing, "", "", nullptr, "[log] level is for all"},
    {"sm_db_dump", "", Fate::Needless, "", "", nullptr,
     "heddle snapshot export, and the API, tell what the manager knows"},
    {"dump_ar", "", Fate::Needless, "", "", nullptr, "there are no such tables"},
    {"cache_files_dir", "", Fate::Missing, "", "", nullptr,
     "[lids] memory_file; all else is where the service keeps it (docs/service.md)"},
    {"subnet_lst_file", "", Fate::Missing, "", "", nullptr,
     "opensm-subnet.lst in [output] dump_dir"},
    {"enable_subnet_lst", "", Fate::Needless, "", "", nullptr,
     "opensm-subnet.lst is in [output] dump_dir, where one is given"},
    {"sa_db_dump_file", "", Fate::Needless, "", "", nullptr,
     "'heddle snapshot export' writes it where it is told to"},
    {"pid_file", "", Fate::Needless, "", "", nullptr,
     "systemd runs it (packaging/); heddle opensm has --pidfile"},
    {"conf_template", "", Fate::Needless, "", "", nullptr, "heddle config sample"},
    {"validate_conf_files", "", Fate::Needless, "", "", nullptr,
     "heddle config check; a broken file changes nothing that runs"},
    {"enable_crashd", "", Fate::Needless, "", "", nullptr, "systemd starts it again (packaging/)"},
    {"sweep_every_hup_signal", "", Fate::Needless, "", "", nullptr,
     "SIGHUP reads the files again and sweeps"},
    {"issu_*", "", Fate::Missing, "", "", nullptr, "vendor-specific classes are left alone"},
    {"fabric_mode_*", "", Fate::Missing, "", "", nullptr, "vendor-specific classes are left alone"},
    {"nvlink_*", "", Fate::Missing, "", "", nullptr, "NVLink is no InfiniBand"},
    {"plugin_name", "", Fate::Needless, "", "", nullptr,
     "events come by the API, as they happen (docs/api.md)"},
    {"plugin_options", "", Fate::Needless, "", "", nullptr,
     "events come by the API, as they happen (docs/api.md)"},
};

bool is_called(const OpensmOption& option, std::string_view name) {
  if (!option.name.ends_with('*')) return option.name == name;
  return name.starts_with(option.name.substr(0, option.name.size() - 1));
}

std::string_view heading(Fate fate) {
  switch (fate) {
    case Fate::Mapped:
      return "taken over";
    case Fate::Needless:
      return "not needed";
    case Fate::Missing:
      return "not there";
  }
  return {};
}

std::string ours(const OpensmOption& option) {
  return option.fate == Fate::Mapped ? fmt::format("`[{}] {}`", option.section, option.key)
                                     : std::string(heading(option.fate));
}

}  // namespace

std::optional<std::uint64_t> opensm_number(std::string_view text) {
  return number_of(text);
}

std::span<const OpensmOption> opensm_options() {
  return kOptions;
}

const OpensmOption* find_opensm_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const OpensmOption& each) { return each.name == name; });
  if (found != std::end(kOptions)) return found;
  const auto* theirs =
      std::find_if(std::begin(kVendorOptions), std::end(kVendorOptions),
                   [&](const OpensmOption& each) { return is_called(each, name); });
  return theirs == std::end(kVendorOptions) ? nullptr : theirs;
}

std::string opensm_markdown() {
  std::string text = "| OpenSM | its default | here | |\n|---|---|---|---|\n";
  for (const OpensmOption& option : kOptions) {
    text += fmt::format("| `{}` | `{}` | {} | {} |\n", option.name, option.usual, ours(option),
                        option.note);
  }
  text += "\n| The closed fork | here | |\n|---|---|---|\n";
  for (const OpensmOption& option : kVendorOptions) {
    text += fmt::format("| `{}` | {} | {} |\n", option.name, ours(option), option.note);
  }
  return text;
}

}  // namespace heddle::config
