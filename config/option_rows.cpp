// SPDX-License-Identifier: BSD-3-Clause
#include "config/option_rows.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace heddle::config {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;
constexpr std::uint64_t kDay = 24 * 3600 * kSecond;
constexpr std::string_view kTimeCode = "n: 4.096 us x 2^n";

constexpr std::array kSections{
    Section{"sm", "Who this subnet manager is and where it sits"},
    Section{"lids", "Local identifiers: how many per port, and how they are remembered"},
    Section{"routing", "Which engines compute the forwarding tables"},
    Section{"partitions", "Who may talk to whom"},
    Section{"sa", "What subnet administration answers"},
    Section{"links", "What every port and switch of the fabric is set to"},
    Section{"qos", "On which lane each service level travels, and how lanes share a link"},
    Section{"sweep", "How the fabric is watched once it is up"},
    Section{"mads", "How hard the fabric is questioned; the defaults suit any size"},
    Section{"standby", "The other subnet manager of this fabric, and what both remember"},
    Section{"replica",
            "A replicated store, etcd, with which all subnet managers share what is remembered"},
    Section{"performance", "Counters of the ports, read while this is the master"},
    Section{"health", "What is done about links and devices that are not well"},
    Section{"congestion", "What switches and adapters do about congestion"},
    Section{"api", "How programs and the other commands of heddle ask the subnet manager"},
    Section{"output", "Files written after each sweep"},
    Section{"log", "What is logged, how and where"},
    Section{"security", "Whom the configuration must keep out"},
};

std::vector<Option> sm_options() {
  return {
      {"sm", "port", &Config::port,
       "Local port to manage the fabric through: a port GUID or DEVICE:PORT; empty chooses one "
       "(heddle ports shows which)",
       "\"mlx5_0:1\""},
      {"sm", "priority", &Config::priority,
       "Among several subnet managers the highest priority becomes master", "10", 0, 15},
      {"sm", "subnet_prefix", &Config::subnet_prefix,
       "Upper half of every GID of this subnet; give each subnet its own if routers join them",
       "\"0xfe80000000000000\""},
      {"sm", "sm_key", &Config::sm_key,
       "Shared secret of the subnet managers of one fabric; managers with another key are not "
       "trusted",
       "\"0x0000000000000001\""},
      {"sm", "tell_sm_key", &Config::tell_sm_key,
       "Tell the sm_key to any subnet manager that asks, as OpenSM needs it to see in this one a "
       "manager of its fabric; the default key is told anyway",
       "true"},
      {"sm", "m_key", &Config::m_key,
       "Key that protects ports from being reconfigured by others; 0 protects nothing",
       "\"0x0000000000000000\""},
      {"sm", "m_key_per_port", &Config::m_key_per_port,
       "Give each port an M_Key of its own, worked out from m_key and its GUID", "false"},
      {"sm", "former_m_keys", &Config::former_m_keys,
       "Keys that m_key was before: tried on ports that do not take it",
       "[\"0x00000000000a1b2c\"]"},
      {"sm", "m_key_protection", &Config::m_key_protection,
       "What ports with an M_Key do for those who lack it: 0 shows the key, 1 hides it, 2 and 3 "
       "answer nothing (not with m_key_per_port)",
       "2", 0, 3},
      {"sm", "m_key_lease", &Config::m_key_lease,
       "Seconds after a wrong M_Key in which this subnet manager must be heard, or the port gives "
       "its protection up; 0: it never does",
       "60", 0, 65535, "seconds"},
      {"sm", "sm_sl", &Config::sm_sl, "Service level for traffic to the subnet manager", "0", 0,
       15},
      {"sm", "shadow", &Config::shadow,
       "Only watch: read the fabric, work everything out, and say what would be written to it as "
       "master, without writing anything or taking part in the election",
       "true"},
      {"sm", "sticky_master", &Config::sticky_master,
       "Once master, do not hand over to a standby that ranks higher", "true"},
      {"sm", "start_inactive", &Config::start_inactive,
       "Begin in the state NOT-ACTIVE: take no part until another subnet manager wakes this one",
       "true"},
      {"sm", "poll_interval", &Config::poll_interval,
       "How often a standby asks the master whether it is there", "\"300ms\"", 50 * kMillisecond,
       kDay},
      {"sm", "poll_misses", &Config::poll_misses,
       "After so many silent polls in a row a standby takes over", "3", 1, 100},
      {"sm", "allowed_sm_guids", &Config::allowed_sm_guids,
       "Port GUIDs of the subnet managers that may take part in the election; empty allows all",
       "[\"0x0002c90300a1b2c3\"]"},
      {"sm", "virtualization", &Config::virtualization,
       "Bring up virtual ports (SR-IOV): give them LIDs and P_Keys and make them active; false "
       "leaves them as they are",
       "false"},
  };
}

std::vector<Option> lid_options() {
  return {
      {"lids", "lmc", &Config::lmc, "Every port owns 2^lmc LIDs, for that many paths to it", "1", 0,
       7},
      {"lids", "lmc_on_enhanced_port0", &Config::lmc_on_enhanced_port0,
       "Give switches with an enhanced port 0 that many LIDs too, instead of one", "true"},
      {"lids", "reassign", &Config::reassign,
       "Forget the LIDs that ports hold and the memory file has: number the fabric anew", "true"},
      {"lids", "memory_file", &Config::memory_file,
       "Where LIDs are remembered across restarts, in OpenSM's guid2lid format; empty remembers "
       "nothing. A simulated fabric has no memory unless --lid-memory gives one",
       "\"/var/lib/heddle/guid2lid\""},
  };
}

std::vector<Option> routing_options() {
  return {
      {"routing", "engines", &Config::engines,
       "Engines in the order to try; the first whose tables are proven is used",
       "[\"minhop\", \"updn\"]"},
      {"routing", "fallback", &Config::fallback,
       "Try updn after the listed engines: it exists for every fabric and never deadlocks",
       "false"},
      {"routing", "accept_credit_loops", &Config::accept_credit_loops,
       "Program tables that reach everything although they could deadlock", "true"},
      {"routing", "cover_replies", &Config::cover_replies,
       "Take only routes that are safe although connections are answered on the service level they "
       "were made on; false tells in PathRecords which paths are reversible instead",
       "false"},
      {"routing", "max_vls", &Config::max_vls,
       "Data VLs that routes may use, if all links between switches have them. More make better "
       "routes where there are rings; but then every client must use the service level of its "
       "PathRecord",
       "4", 1, 15},
      {"routing", "keep_on_takeover", &Config::keep_on_takeover,
       "When another subnet manager leaves the fabric to this one, keep the routes it finds as far "
       "as they can be proven; they give way to its own when a sweep is asked for by hand",
       "false"},
      {"routing", "root_guids", &Config::root_guids,
       "Node GUIDs of the switches that updn takes as roots; empty finds them",
       "[\"0x0002c90300a1b2c3\"]"},
      {"routing", "root_guid_file", &Config::root_guid_file,
       "File with more of them, one GUID on a line, as OpenSM's root_guid_file",
       "\"/etc/heddle/roots\""},
      {"routing", "ids_guid_file", &Config::ids_guid_file,
       "What updn orders switches by that are equally far from the roots, \"GUID ID\" on a line, "
       "the smaller ID above; the GUID where nothing is said",
       "\"/etc/heddle/switch-ids\""},
      {"routing", "torus_config", &Config::torus_config,
       "File that tells torus-2QoS the axes, directions and datelines, as OpenSM's "
       "torus-2QoS.conf; empty finds them from the cables",
       "\"/etc/heddle/torus-2QoS.conf\""},
  };
}

// What OpenSM's files and options of the same names do.
std::vector<Option> routing_file_options() {
  return {
      {"routing", "lft_file", &Config::lft_file,
       "Tables for the engine file: an opensm-lfts.dump, as OpenSM's lfts_file",
       "\"/etc/heddle/opensm-lfts.dump\""},
      {"routing", "lid_matrix_file", &Config::lid_matrix_file,
       "Hop counts for the engine file: an opensm-lid-matrix.dump, as OpenSM's "
       "lid_matrix_dump_file; ports with the fewest hops share what lft_file does not say",
       "\"/etc/heddle/opensm-lid-matrix.dump\""},
      {"routing", "guid_routing_order_file", &Config::guid_routing_order_file,
       "Port GUIDs, one on a line: minhop, updn and dnup deal their LIDs to ports before all "
       "others, in this order",
       "\"/etc/heddle/guid-order\""},
      {"routing", "hop_weights_file", &Config::hop_weights_file,
       "What hops count for with minhop, \"GUID PORT WEIGHT\" on a line, for one direction; 1 "
       "where nothing is said",
       "\"/etc/heddle/hop-weights\""},
      {"routing", "port_prof_ignore_file", &Config::port_prof_ignore_file,
       "Switch ports that minhop, updn and dnup take to be empty however much they carry, \"GUID "
       "PORT\" on a line",
       "\"/etc/heddle/uncounted-ports\""},
      {"routing", "cn_guid_file", &Config::cn_guid_file,
       "Port GUIDs of compute nodes, one on a line: ftree spreads what goes to them apart from "
       "all else",
       "\"/etc/heddle/compute-nodes\""},
      {"routing", "io_guid_file", &Config::io_guid_file, "Port GUIDs of I/O nodes, the same way",
       "\"/etc/heddle/io-nodes\""},
      {"routing", "port_shifting", &Config::port_shifting,
       "minhop, updn and dnup begin with another one of equally loaded ports for each switch that "
       "they lead to",
       "true"},
      {"routing", "scatter_ports", &Config::scatter_ports,
       "Not 0: minhop, updn and dnup draw one of the shortest ways for each LID, with this seed, "
       "instead of taking the one that carries least",
       "8", 0, 0xFFFF'FFFF},
      {"routing", "avoid_throttled_links", &Config::avoid_throttled_links,
       "Give links that run below the width or speed of both their ends less to carry, as much "
       "less as they are slower (minhop, updn, dnup, sssp)",
       "true"},
  };
}

std::vector<Option> partition_options() {
  return {
      {"partitions", "file", &Config::partitions_file,
       "Policy in the language of OpenSM's partitions.conf (docs/partitions.md); empty puts "
       "everybody into the default partition. SIGHUP reads it again",
       "\"/etc/heddle/partitions.conf\""},
      {"partitions",
       "enforcement",
       &Config::partition_enforcement,
       "With a policy, where switches drop packets of a wrong partition at ports to hosts: what "
       "comes in, what goes out, both",
       "\"in\"",
       0,
       0,
       {},
       {"both", "in", "out", "off"}},
      {"partitions", "allow_both_pkeys", &Config::allow_both_pkeys,
       "Let a port hold the full and the limited P_Key of one partition ('both' in the policy)",
       "true"},
      {"partitions", "managed", &Config::partitions_managed,
       "Let programs change partitions by the API, beside those of the file (docs/partitions.md); "
       "they are kept beside lids.memory_file. Takes effect at the start",
       "true"},
  };
}

std::vector<Option> administration_options() {
  return {
      {"sa", "prefix_routes", &Config::prefix_routes,
       "Which router leads to which other subnet, in the language of OpenSM's prefix-routes.conf "
       "(docs/subnet-administration.md); empty: there are no paths to other subnets. SIGHUP reads "
       "it again",
       "\"/etc/heddle/prefix-routes.conf\""},
      {"sa", "qos_policy", &Config::qos_policy,
       "Which service level and limits paths get, in the language of OpenSM's qos-policy.conf "
       "(docs/quality-of-service.md); empty: none but those of their links. SIGHUP reads it again",
       "\"/etc/heddle/qos-policy.conf\""},
      {"sa", "rate", &Config::sa_rate,
       "Requests that are answered in a second whoever asks; beyond, those who ask most are "
       "answered BUSY (docs/subnet-administration.md)",
       "20000", 100, 10'000'000, "requests"},
      {"sa",
       "untrusted",
       &Config::sa_untrusted,
       "What clients without the sm_key may ask: all, of what they may see; or what hosts need to "
       "talk to each other, and nothing that shows the fabric",
       "\"needed\"",
       0,
       0,
       {},
       {"all", "needed"}},
      {"sa", "services", &Config::sa_services,
       "Services that a port may have registered without the sm_key", "16", 0, 1024, "services"},
      {"sa", "subscriptions", &Config::sa_subscriptions,
       "Reports that a port may have subscribed to without the sm_key", "32", 0, 256,
       "subscriptions"},
      {"sa", "groups", &Config::sa_groups,
       "Multicast groups that a port may be in; an IPoIB host needs one for each neighbour that it "
       "sends IPv6 to",
       "4096", 1, 16'384, "groups"},
      {"sa", "multicast", &Config::multicast,
       "Let there be multicast groups; false refuses everybody who would join one, IPoIB included, "
       "and empties the multicast tables of the switches",
       "false"},
      {"sa", "highest_rate_code", &Config::highest_rate_code,
       "Highest rate code that paths and new groups are told with, for clients that claim to know "
       "more than they do: 18 leaves out 28, 50 and all above 300 Gb/s; 63 leaves out none",
       "18", 2, 63},
      {"sa", "virtual_records", &Config::virtual_records,
       "Tell of virtual ports in NodeRecords, PortInfoRecords and P_KeyTableRecords too. Several "
       "may have one LID, which older programs do not expect",
       "true"},
  };
}

std::vector<Option> link_options() {
  return {
      {"links",
       "data_vls",
       &Config::data_vls,
       "Data virtual lanes in use on a link, if both ends have so many",
       "8",
       1,
       15,
       "lanes",
       {"1", "2", "4", "8", "15"}},
      {"links", "subnet_timeout", &Config::subnet_timeout,
       "PortInfo SubnetTimeOut: the longest a packet may take through the subnet", "18", 0, 31,
       kTimeCode},
      {"links", "packet_life_time", &Config::packet_life_time,
       "SwitchInfo LifeTimeValue: a switch drops a packet after that long; above 19 never", "18", 0,
       31, kTimeCode},
      {"links", "head_of_queue_life", &Config::head_of_queue_life,
       "PortInfo HOQLife of links between switches: a packet that waits longer at the head of its "
       "queue is dropped; above 19 never",
       "18", 0, 31, kTimeCode},
      {"links", "leaf_head_of_queue_life", &Config::leaf_head_of_queue_life,
       "The same for the switch ports that hosts hang on", "16", 0, 31, kTimeCode},
      {"links", "vl_stall_count", &Config::vl_stall_count,
       "PortInfo VLStallCount of links between switches: after that many drops in a row a lane "
       "counts as stalled",
       "7", 0, 7, "packets"},
      {"links", "leaf_vl_stall_count", &Config::leaf_vl_stall_count,
       "The same for the switch ports that hosts hang on", "7", 0, 7, "packets"},
  };
}

std::vector<Option> link_wish_options() {
  return {
      {"links",
       "link_width_enabled",
       &Config::link_width_enabled,
       "PortInfo LinkWidthEnabled of switch ports with a link, as far as both ends support it: the "
       "sum of 1 (1x), 2 (4x), 4 (8x), 8 (12x) and 16 (2x), or 255 for all that are supported; 0 "
       "leaves what they have. It counts when the link trains the next time",
       "2",
       0,
       255,
       "",
       {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10",
        "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21",
        "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "255"}},
      {"links",
       "link_speed_enabled",
       &Config::link_speed_enabled,
       "The same for LinkSpeedEnabled: 1 (SDR), plus 2 for DDR and 4 for QDR, or 15 for all",
       "7",
       0,
       15,
       "",
       {"0", "1", "3", "5", "7", "15"}},
      {"links",
       "link_speed_ext_enabled",
       &Config::link_speed_ext_enabled,
       "The same for LinkSpeedExtEnabled: the sum of 1 (FDR), 2 (EDR), 4 (HDR) and 8 (NDR), 30 for "
       "none, 31 for all",
       "30",
       0,
       31,
       "",
       {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "30",
        "31"}},
      {"links",
       "link_speed_ext2_enabled",
       &Config::link_speed_ext2_enabled,
       "The same for LinkSpeedExtEnabled2: 1 (XDR), 6 for none, 7 for all",
       "6",
       0,
       7,
       "",
       {"0", "1", "6", "7"}},
      {"links", "local_phy_errors", &Config::local_phy_errors,
       "PortInfo LocalPhyErrors: after so many marginal link errors a port tells of them by trap "
       "129; 16 leaves what it has",
       "8", 0, 16},
      {"links", "overrun_errors", &Config::overrun_errors,
       "PortInfo OverrunErrors: the same for overruns of its buffers and trap 130", "8", 0, 16},
  };
}

std::vector<Option> qos_options() {
  return {
      {"qos", "tables", &Config::qos_tables,
       "Write SL to VL and VL arbitration tables and the limit of high priority to all ports with "
       "a link; else they are left as they stand, but for SL to VL where the routes need it",
       "true"},
      {"qos", "all", &Config::qos_all,
       "What these hold, in words as in the example (docs/quality-of-service.md has them); what is "
       "not named is as OpenSM has it",
       "\"sl2vl=0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3 high=0:64 low=1:64,2:32,3:16 limit=4\""},
      {"qos", "hosts", &Config::qos_hosts,
       "What stands above that at ports of channel adapters, in the same words", "\"limit=8\""},
      {"qos", "switch_port0", &Config::qos_switch_port0, "At enhanced ports 0 of switches",
       "\"limit=8\""},
      {"qos", "switches", &Config::qos_switches, "At all other ports of switches", "\"limit=8\""},
      {"qos", "between_switches", &Config::qos_between_switches,
       "And above that at those that lead to switches", "\"limit=8\""},
      {"qos", "routers", &Config::qos_routers, "At ports of routers", "\"limit=8\""},
  };
}

std::vector<Option> watch_options() {
  return {
      {"sweep", "interval", &Config::interval,
       "Time between two light sweeps, which look for changes; \"0\": none", "\"10s\"", 0, kDay},
      {"sweep", "full_interval", &Config::full_interval,
       "Time after which the whole fabric is read again although nothing seems to have changed; "
       "\"0\" never does",
       "\"30min\"", 0, 7 * kDay},
      {"sweep", "node_misses", &Config::node_misses,
       "Looks in a row that find a node silent although its cable is up, before it counts as gone",
       "1", 1, 1000, "looks"},
      {"sweep", "flap_limit", &Config::flap_limit,
       "A link between switches that is lost so often within flap_window is held back; 0 holds "
       "none back",
       "3", 0, 100, "losses"},
      {"sweep", "flap_window", &Config::flap_window, "Time in which losses of a link are counted",
       "\"10min\"", kMillisecond, kDay},
      {"sweep", "flap_hold", &Config::flap_hold,
       "Time for which a link that was held back must stand before it is used again", "\"5min\"",
       kMillisecond, kDay},
      {"sweep", "reregister", &Config::reregister,
       "Ask clients to register anew (ClientReregister) where what they registered may be lost or "
       "has other terms; false asks none, ever",
       "false"},
      {"sweep", "reregister_rate", &Config::reregister_rate,
       "Clients that are asked to register anew, in a second; 0 asks all at once", "500", 0,
       1000000, "clients"},
      {"mads", "window", &Config::window, "Most requests in flight in the whole fabric", "64", 1,
       8192, "requests"},
      {"mads", "window_per_device", &Config::window_per_device, "Requests in flight to one device",
       "2", 1, 1024, "requests"},
      {"mads", "smallest_timeout", &Config::smallest_timeout,
       "A request is not repeated sooner than this, however quick the fabric is", "\"50ms\"",
       kMillisecond, 60 * kSecond},
      {"mads", "largest_timeout", &Config::largest_timeout,
       "A request is repeated after this at the latest", "\"1s\"", kMillisecond, 600 * kSecond},
      {"mads", "attempts", &Config::attempts,
       "Times a request is sent before its device counts as silent", "4", 1, 8, "sends"},
      {"mads", "max_hops", &Config::max_hops, "Longest directed route that discovery follows", "63",
       1, 63, "links"},
  };
}

std::vector<Option> performance_options() {
  return {
      {"performance", "enabled", &Config::performance_enabled,
       "Read the counters of switch ports, for metrics, the dashboard and link health; nothing is "
       "written to them",
       "false"},
      {"performance", "hosts", &Config::performance_hosts,
       "Read the counters of hosts' ports too, and not only those of the switch ports that they "
       "hang on",
       "true"},
      {"performance", "interval", &Config::performance_interval,
       "Time from one reading of all counters to the next; longer if the pace does not allow it",
       "\"30s\"", kSecond, kDay},
      {"performance", "window", &Config::performance_window, "Most requests for counters in flight",
       "32", 1, 4096, "requests"},
      {"performance", "rate", &Config::performance_rate,
       "Most requests for counters sent in a second", "2000", 1, 1000000, "requests"},
      {"performance", "ask_capabilities", &Config::performance_ask_capabilities,
       "Ask each device once which counters it has; without, only the narrow ones of all devices "
       "are read",
       "false"},
      {"performance", "follow_redirects", &Config::performance_follow_redirects,
       "Ask a device for its counters where it says that it wants to be asked, at another address; "
       "false asks it where it is, and counts it as refusing if it says nothing else",
       "false"},
      {"performance", "clear_full", &Config::performance_clear_full,
       "Set narrow counters back that are beyond three quarters, as OpenSM does; others who read "
       "them see it",
       "true"},
      {"performance", "error_correction", &Config::performance_error_correction,
       "Read what ports count about the coding of their links from FDR10 on: error correction, and "
       "rates of bit errors by it. One more request for each such port",
       "false"},
      {"performance", "hot_links", &Config::performance_hot_links,
       "Share of what a link can carry from which it counts as hot", "80", 1, 100, "percent"},
      {"performance", "log_errors", &Config::performance_log_errors,
       "Log ports whose errors grow faster than the thresholds allow, when that begins and ends",
       "false"},
      {"performance",
       "metrics",
       &Config::performance_metrics,
       "Which counters of ports /metrics has: all, those that are not zero, or none",
       "\"nonzero\"",
       0,
       0,
       {},
       {"all", "nonzero", "none"}},
      {"performance", "thresholds", &Config::performance_thresholds,
       "How fast counters may grow, \"COUNTER COUNT/UNIT\" with s, min, h or d, "
       "or \"COUNTER RATE/bit\" (docs/performance-manager.md has the counters)",
       "[\"symbol_error 10/h\"]"},
  };
}

std::vector<Option> health_options() {
  return {
      {"health", "dry_run", &Config::health_dry_run,
       "Only say what would be done about links; false does it", "false"},
      {"health", "actions", &Config::health_actions,
       "What to do about which condition: errors, degraded, flapping, unresponsive, rebooting, "
       "noisy; report, route-around, isolate, disable (docs/link-health.md)",
       "[\"errors route-around\"]"},
      {"health", "losses", &Config::health_losses,
       "A link that is lost so often within the window is flapping; 0: none is", "5", 0, 1000,
       "losses"},
      {"health", "reboots", &Config::health_reboots,
       "A device that leaves and comes back so often within the window is rebooting; 0: none is",
       "3", 0, 1000, "times"},
      {"health", "silences", &Config::health_silences,
       "A device that does not tell its counters so many times in a row is unresponsive; 0: none "
       "is",
       "3", 0, 1000, "times"},
      {"health", "window", &Config::health_window, "Time in which losses and reboots are counted",
       "\"1h\"", kSecond, 7 * kDay},
      {"health", "most_links", &Config::health_most_links,
       "Links about which anything is done at once", "4", 0, 100000, "links"},
      {"health", "most_share", &Config::health_most_share,
       "And no more than this share of all links", "2", 0, 100, "percent"},
  };
}

std::vector<Option> congestion_key_options() {
  return {
      {"congestion", "enabled", &Config::congestion_enabled,
       "Write what follows to devices that have congestion control, and keep it so "
       "(docs/congestion-control.md)",
       "true"},
      {"congestion", "key", &Config::congestion_key,
       "CC_Key that requests carry; what devices do with it follows from key_mode",
       "\"0x00000000000c0c0e\""},
      {"congestion",
       "key_mode",
       &Config::congestion_key_mode,
       "Only carry the key (use), give it to devices (set), or also let them answer nothing to "
       "those who lack it (hide)",
       "\"set\"",
       0,
       0,
       {},
       {"use", "set", "hide"}},
      {"congestion", "former_keys", &Config::congestion_former_keys,
       "Keys that key was before: tried on devices that do not answer it",
       "[\"0x000000000000c0de\"]"},
      {"congestion", "key_lease", &Config::congestion_key_lease,
       "Seconds after a wrong CC_Key in which this manager must be heard, or the device no longer "
       "hides; 0: it goes on to",
       "60", 0, 65535, "seconds"},
  };
}

std::vector<Option> congestion_options() {
  return {
      {"congestion", "switches", &Config::congestion_switches,
       "When switches mark packets, in words as in the example (docs/congestion-control.md has "
       "them); what is not named is left as it stands",
       "\"threshold=8 packet_size=8 marking_rate=0 victims=hosts\""},
      {"congestion", "ports", &Config::congestion_ports,
       "What stands above that at some ports: all, hosts, switches or GUID/PORT, then the same "
       "words, or none; the last that fits a port counts",
       "[\"hosts threshold=15 packet_size=8\"]"},
      {"congestion",
       "hold",
       &Config::congestion_hold,
       "What adapters hold back after a notification: the queue-pair, or its whole service level",
       "\"level\"",
       0,
       0,
       {},
       {"queue-pair", "level"}},
      {"congestion", "levels", &Config::congestion_levels,
       "How adapters heed notifications: a service level, 0-3 or all, then words as "
       "in the example; empty leaves this as it stands",
       "[\"all timer=150 increase=4\"]"},
      {"congestion", "table", &Config::congestion_table,
       "The table of delays of adapters, SHIFT:MULTIPLIER or runs of multipliers; empty leaves it "
       "as it stands",
       "[\"0:0..127\"]"},
      {"congestion", "interval", &Config::congestion_interval,
       "Time after which all devices are looked at again, and what is otherwise is put right",
       "\"10min\"", 10 * kSecond, 7 * kDay},
      {"congestion", "log_interval", &Config::congestion_log_interval,
       "Time between two readings of the devices' logs; \"0\" leaves them to others: a device "
       "tells an event once",
       "\"1min\"", 0, kDay},
      {"congestion", "window", &Config::congestion_window, "Most of its requests in flight", "32",
       1, 4096, "requests"},
      {"congestion", "rate", &Config::congestion_rate, "Most of its requests sent in a second",
       "2000", 1, 1000000, "requests"},
      {"congestion", "most_errors", &Config::congestion_most_errors,
       "With more refusals and silences within error_window, at devices that have congestion "
       "control, it stops until the next look; 0: it never does",
       "20", 0, 100000, "errors"},
      {"congestion", "error_window", &Config::congestion_error_window,
       "Time in which those are counted", "\"10s\"", kMillisecond, kDay},
  };
}

std::vector<Option> output_options() {
  return {
      {"output", "dump_dir", &Config::dump_dir,
       "Directory for opensm-subnet.lst, opensm.fdbs, opensm.mcfdbs, opensm-lfts.dump and "
       "opensm-lid-matrix.dump; empty writes none",
       "\"/var/log/heddle\""},
      {"output", "node_name_map", &Config::node_name_map,
       "File with a node GUID and a name on each line, as OpenSM's: so these nodes are called in "
       "the log, in dumps and by the API; devices and clients keep the names that they have",
       "\"/etc/opensm/ib-node-name-map\""},
      {"log",
       "level",
       &Config::log_level,
       "The least severe events that are logged",
       "\"warning\"",
       0,
       0,
       {},
       {"debug", "info", "warning", "error"}},
      {"log",
       "format",
       &Config::log_format,
       "Lines for people, one JSON object per line, or lines as OpenSM's log has them",
       "\"json\"",
       0,
       0,
       {},
       {"text", "json", "opensm"}},
      {"log", "file", &Config::log_file,
       "File to append to, reopened on SIGUSR1; empty is standard error",
       "\"/var/log/heddle/heddle.log\""},
      {"log", "limit", &Config::log_limit,
       "Lines of one event in a minute, those of level debug not counted; how many more there were "
       "is told then; 0 limits nothing",
       "100", 0, 1'000'000, "lines"},
      {"security",
       "profile",
       &Config::security_profile,
       "What this configuration must keep to (docs/security.md): open wants nothing; one that "
       "does not keep to its profile is refused, at the start and when it is read again",
       "\"standard\"",
       0,
       0,
       {},
       {"open", "standard", "multi-tenant"}},
  };
}

std::vector<Option> standby_options() {
  return {
      {"standby", "listen", &Config::standby_listen,
       "ADDRESS:PORT where the other subnet manager may connect and is told what this one, as "
       "master, remembers; empty: nobody may",
       "\"192.0.2.1:9316\""},
      {"standby", "peer", &Config::standby_peer,
       "HOST:PORT of the other subnet manager; empty: there is none", "\"sm-2.example:9316\""},
      {"standby", "secret_file", &Config::standby_secret_file,
       "File with a secret that both share, at least 16 bytes of it; or certificates",
       "\"/etc/heddle/standby.secret\""},
      {"standby", "certificate", &Config::standby_certificate,
       "PEM file with the certificate that this side shows", "\"/etc/heddle/standby.pem\""},
      {"standby", "key", &Config::standby_key, "PEM file with the key of that certificate",
       "\"/etc/heddle/standby.key\""},
      {"standby", "authority", &Config::standby_authority,
       "PEM file with the authority whose certificates the other side may show",
       "\"/etc/heddle/authority.pem\""},
  };
}

std::vector<Option> replica_options() {
  return {
      {"replica", "endpoints", &Config::replica_endpoints,
       "Members of an etcd cluster, as http(s)://HOST:PORT of their clients' side; empty: there is "
       "none",
       "[\"https://etcd-1:2379\", \"https://etcd-2:2379\", \"https://etcd-3:2379\"]"},
      {"replica", "prefix", &Config::replica_prefix,
       "Where in that store everything is kept; what is below it and the subnet's prefix is this "
       "fabric's",
       "\"/heddle\""},
      {"replica", "authority", &Config::replica_authority,
       "PEM file with the authority of the members' certificates; empty: those of the system",
       "\"/etc/heddle/etcd-authority.pem\""},
      {"replica", "certificate", &Config::replica_certificate,
       "PEM file with the certificate that this side shows; empty: none",
       "\"/etc/heddle/etcd-client.pem\""},
      {"replica", "key", &Config::replica_key, "PEM file with the key of that certificate",
       "\"/etc/heddle/etcd-client.key\""},
      {"replica", "user", &Config::replica_user, "Whom to log in as; empty: nobody", "\"heddle\""},
      {"replica", "password_file", &Config::replica_password_file,
       "File with the password of that user", "\"/etc/heddle/etcd.password\""},
      {"replica", "lease", &Config::replica_lease,
       "How long the place of a master that has gone counts as taken", "\"5s\"", 2 * kSecond,
       60 * kSecond},
      {"replica", "wait", &Config::replica_wait,
       "What clients are promised waits for this store too, as long as it answers", "false"},
  };
}

std::vector<Option> api_options() {
  return {
      {"api", "enabled", &Config::api_enabled,
       "Listen on the socket, and on TCP if listen says so; heddle status and others ask there",
       "false"},
      {"api", "socket", &Config::api_socket,
       "Path of the Unix socket; empty is sm.sock in the runtime directory, or sm-PID.sock if "
       "another subnet manager has that",
       "\"/run/heddle/sm.sock\""},
      {"api",
       "readers",
       &Config::api_readers,
       "Which users of this host may look by the socket: root and the user that runs the subnet "
       "manager, or all; only the former may ever change anything",
       "\"everyone\"",
       0,
       0,
       {},
       {"owner", "everyone"}},
      {"api", "listen", &Config::api_listen,
       "ADDRESS:PORT to listen on by TCP as well; other than on a loopback address only with "
       "tokens and a certificate; empty does not",
       "\"127.0.0.1:9315\""},
      {"api", "tokens", &Config::api_tokens,
       "File with a line for each token that is taken by TCP: read or write, a name, the token; "
       "without one everybody on this host may look by TCP, and nobody change anything",
       "\"/etc/heddle/tokens\""},
      {"api", "certificate", &Config::api_certificate,
       "PEM file with the certificate chain for TLS on TCP; empty is plain HTTP",
       "\"/etc/heddle/certificate.pem\""},
      {"api", "key", &Config::api_key, "PEM file with the key of the certificate",
       "\"/etc/heddle/key.pem\""},
      {"api",
       "console",
       &Config::api_console,
       "OpenSM's console, for scripts that know it: local is this terminal; loopback lets "
       "everybody on this host look by TCP, and root and the user that runs the subnet manager "
       "have things done; socket lets any host look, without login or encryption",
       "\"loopback\"",
       0,
       0,
       {},
       {"off", "local", "loopback", "socket"}},
      {"api", "console_port", &Config::api_console_port, "TCP port of that console", "10001", 1,
       65535},
  };
}

}  // namespace

std::span<const Section> section_rows() {
  return kSections;
}

std::vector<Option> option_rows() {
  std::vector<Option> all;
  for (auto* part :
       {&sm_options, &lid_options, &routing_options, &routing_file_options, &partition_options,
        &administration_options, &link_options, &link_wish_options, &qos_options, &watch_options,
        &standby_options, &replica_options, &performance_options, &health_options,
        &congestion_key_options, &congestion_options, &api_options, &output_options}) {
    for (Option& option : part()) all.push_back(std::move(option));
  }
  return all;
}

}  // namespace heddle::config
