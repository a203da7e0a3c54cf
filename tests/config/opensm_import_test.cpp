// SPDX-License-Identifier: BSD-3-Clause
#include "config/opensm_import.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "config/load.hpp"

namespace heddle::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Outcome = Imported::Outcome;

Imported import(std::string_view text, bool files_exist = true) {
  return import_opensm(text, [files_exist](const std::string&) { return files_exist; });
}

std::vector<Outcome> outcomes(const Imported& imported) {
  std::vector<Outcome> all;
  for (const auto& remark : imported.remarks) all.push_back(remark.outcome);
  return all;
}

TEST(OpensmImport, TakesOverWhatSaysTheSame) {
  const auto imported = import(
      "# a comment\n"
      "sm_priority 12\n"
      "\n"
      "m_key 0x51c2d9e04b7f6a83\n"
      "lmc 2\n"
      "lmc_esp0 TRUE\n"
      "max_op_vls 3\n"
      "sminfo_polling_timeout 2000\n"
      "polling_retry_number 5\n"
      "head_of_queue_lifetime 0x13\n"
      "guid 0x0002c90300001234\r\n"
      "root_guid_file /etc/opensm/roots\n"
      "sweep_interval 0\n");
  EXPECT_EQ(imported.config.priority, 12u);
  EXPECT_EQ(imported.config.m_key, 0x51c2'd9e0'4b7f'6a83u);
  EXPECT_EQ(imported.config.lmc, 2u);
  EXPECT_TRUE(imported.config.lmc_on_enhanced_port0);
  EXPECT_EQ(imported.config.data_vls, 4u);
  EXPECT_EQ(imported.config.poll_interval, std::chrono::seconds(2));
  EXPECT_EQ(imported.config.poll_misses, 5u);
  EXPECT_EQ(imported.config.head_of_queue_life, 19u);
  EXPECT_EQ(imported.config.port, "0x0002c90300001234");
  EXPECT_EQ(imported.config.root_guid_file, "/etc/opensm/roots");
  EXPECT_EQ(imported.config.interval, base::Duration{});
  EXPECT_THAT(outcomes(imported), testing::Each(Outcome::TakenOver));
  EXPECT_EQ(imported.remarks.size(), 11u);
  EXPECT_EQ(imported.remarks.front().line, 2u);
}

// As Debian's OpenSM 3.3.23 reads it: `opensm -F FILE -c TEMPLATE` shows what it understood.
TEST(OpensmImport, ReadsCommentsBehindValuesAndBothKindsOfQuotes) {
  const auto imported = import(
      "lmc 3 # three\n"
      "   sm_priority\t 9#nine\n"
      "root_guid_file '/etc/the roots'\n"
      "cn_guid_file \"/etc/compute nodes\"  # quoted\n"
      "io_guid_file /etc/io nodes   \n"
      "#lmc 4\n"
      "  # sm_priority 1\n");
  EXPECT_EQ(imported.config.lmc, 3u);
  EXPECT_EQ(imported.config.priority, 9u);
  EXPECT_EQ(imported.config.root_guid_file, "/etc/the roots");
  EXPECT_EQ(imported.config.cn_guid_file, "/etc/compute nodes");
  EXPECT_EQ(imported.config.io_guid_file, "/etc/io nodes");
  EXPECT_EQ(imported.remarks.size(), 5u);
}

TEST(OpensmImport, ReadsTheWholeFabricAsOftenAsOpensmWouldHave) {
  const auto usual = import("force_heavy_sweep TRUE\n");
  EXPECT_EQ(usual.config.full_interval, std::chrono::seconds(10)) << "OpenSM's own interval";
  EXPECT_THAT(outcomes(usual), ElementsAre(Outcome::TakenOver));
  EXPECT_EQ(import("sweep_interval 60\nforce_heavy_sweep TRUE\n").config.full_interval,
            std::chrono::seconds(60));
  EXPECT_EQ(import("sweep_interval 0\nforce_heavy_sweep TRUE\n").config.full_interval,
            base::Duration{});
  EXPECT_THAT(outcomes(import("force_heavy_sweep yes\n")), ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, MakesAFileThatSaysJustThat) {
  const auto imported = import("sm_priority 12\nrouting_engine updn, ftree,no_fallback\nlmc 1\n");
  const auto loaded = parse(imported.file, "made", {{"updn", "ftree"}});
  EXPECT_THAT(loaded.problems, IsEmpty()) << imported.file;
  EXPECT_EQ(loaded.config, imported.config);
  EXPECT_THAT(loaded.config.engines, ElementsAre("updn", "ftree"));
  EXPECT_FALSE(loaded.config.fallback);
  EXPECT_EQ(loaded.config.max_vls, Config{}.max_vls);
}

TEST(OpensmImport, GivesEnginesTheirLanes) {
  EXPECT_EQ(import("routing_engine dfsssp\n").config.max_vls, 8u);
  EXPECT_EQ(import("routing_engine nue\nnue_max_num_vls 4\n").config.max_vls, 4u);
  EXPECT_EQ(import("routing_engine minhop\n").config.max_vls, 1u);
}

TEST(OpensmImport, KeepsOurDefaultsWhereOpensmsStand) {
  std::string all;
  for (const OpensmOption& option : opensm_options()) {
    all += std::string(option.name) + ' ' + std::string(option.usual) + '\n';
  }
  const auto imported = import(all);
  EXPECT_THAT(imported.remarks, IsEmpty());
  EXPECT_EQ(imported.config, Config{});
}

TEST(OpensmImport, TellsWhatIsLostAndWhatIsNotNeeded) {
  const auto imported = import(
      "port_profile_switch_nodes TRUE\n"
      "use_ucast_cache TRUE\n"
      "sweep_intervall 5\n"
      "something_else 1\n"
      "lmc 9\n"
      "max_op_vls many\n");
  EXPECT_THAT(outcomes(imported), ElementsAre(Outcome::Missing, Outcome::Needless, Outcome::Unknown,
                                              Outcome::Unknown, Outcome::Wrong, Outcome::Wrong));
  EXPECT_EQ(imported.remarks[2].text, "sweep_interval");
  EXPECT_EQ(imported.remarks[3].text, "");
  EXPECT_EQ(imported.remarks[3].column, 1u);
  EXPECT_THAT(imported.remarks[4].text, HasSubstr("0 to 7"));
  EXPECT_EQ(imported.remarks[4].column, 5u) << "of the value";
  EXPECT_EQ(imported.config, Config{}) << "what is wrong changes nothing";
}

TEST(OpensmImport, LeavesOutFilesThatAreNotThere) {
  const auto imported = import("partition_config_file /nowhere/p.conf\n", false);
  EXPECT_THAT(outcomes(imported), ElementsAre(Outcome::Missing));
  EXPECT_THAT(imported.remarks.front().text, HasSubstr("/nowhere/p.conf"));
  EXPECT_EQ(imported.config.partitions_file, "");
}

TEST(OpensmImport, KnowsWhichOptionsGoTogether) {
  EXPECT_EQ(import("qos_policy_file /q\n").config.qos_policy, "");
  EXPECT_EQ(import("qos TRUE\nqos_policy_file /q\n").config.qos_policy, "/q");
  EXPECT_EQ(import("no_partition_enforcement TRUE\n").config.partition_enforcement, "off");
  EXPECT_EQ(import("sm_key 0x10\nsa_key 0x10\n").config.sm_key, 0x10u);
  EXPECT_THAT(outcomes(import("sm_key 0x10\nsa_key 0x10\n")),
              ElementsAre(Outcome::TakenOver, Outcome::Needless));
  EXPECT_THAT(outcomes(import("sm_key 0x10\nsa_key 0x20\n")),
              ElementsAre(Outcome::TakenOver, Outcome::Missing));
}

TEST(OpensmImport, TakesWhatIsSwitchedOff) {
  EXPECT_TRUE(import("no_clients_rereg FALSE\n").config.reregister);
  EXPECT_FALSE(import("no_clients_rereg TRUE\n").config.reregister);
  EXPECT_FALSE(import("perfmgr_redir FALSE\n").config.performance_follow_redirects);
  EXPECT_TRUE(import("disable_multicast FALSE\n").config.multicast);
  EXPECT_FALSE(import("disable_multicast TRUE\n").config.multicast);
}

TEST(OpensmImport, WhoIgnoresOtherManagersAllowsItselfAlone) {
  const auto named = import("ignore_other_sm TRUE\nguid 0x0002c90300a1b2c3\n");
  EXPECT_THAT(named.config.allowed_sm_guids, ElementsAre(0x0002c90300a1b2c3u));
  EXPECT_EQ(named.config.port, "0x0002c90300a1b2c3");
  const auto nameless = import("ignore_other_sm TRUE\n");
  EXPECT_THAT(outcomes(nameless), ElementsAre(Outcome::Missing)) << "it does not know itself yet";
  EXPECT_THAT(nameless.config.allowed_sm_guids, IsEmpty());
  EXPECT_THAT(outcomes(import("ignore_other_sm 1\n")), ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, TakesTheLowerOfTwoLimitsOfRates) {
  const auto limit = [](const char* text) { return import(text).config.highest_rate_code; };
  EXPECT_EQ(limit("max_rate_enum 21\n"), 21u);
  EXPECT_EQ(limit("use_original_extended_sa_rates_only TRUE\n"), 18u);
  EXPECT_EQ(limit("use_original_extended_sa_rates_only TRUE\nmax_rate_enum 21\n"), 18u);
  EXPECT_EQ(limit("max_rate_enum 10\nuse_original_extended_sa_rates_only TRUE\n"), 10u);
  EXPECT_THAT(outcomes(import("max_rate_enum 64\n")), ElementsAre(Outcome::Wrong));
  EXPECT_THAT(outcomes(import("use_original_extended_sa_rates_only 1\n")),
              ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, TakesWhatIsForcedUponLinks) {
  const Imported all = import(
      "force_link_speed 7\nforce_link_speed_ext 30\nforce_link_width 2\n"
      "local_phy_errors_threshold 0x03\noverrun_errors_threshold 4\n"
      "force_link_speed_ext2 6\nsm_inactive TRUE\n");
  EXPECT_EQ(all.config.link_speed_enabled, 7u);
  EXPECT_EQ(all.config.link_speed_ext_enabled, 30u);
  EXPECT_EQ(all.config.link_width_enabled, 2u);
  EXPECT_EQ(all.config.local_phy_errors, 3u);
  EXPECT_EQ(all.config.overrun_errors, 4u);
  EXPECT_EQ(all.config.link_speed_ext2_enabled, 6u);
  EXPECT_TRUE(all.config.start_inactive);
  EXPECT_THAT(outcomes(import("force_link_speed 6\n")), ElementsAre(Outcome::Wrong)) << "reserved";
  EXPECT_THAT(outcomes(import("force_link_width 64\n")), ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, PutsTheOptionsOfLanesTogether) {
  const Imported all = import(
      "qos TRUE\nqos_high_limit 4\nqos_vlarb_high 0:64,1:0x20\nqos_ca_vlarb_low 2:010\n"
      "qos_sw0_high_limit 1\nqos_swe_high_limit 2\nqos_sw2sw_high_limit 3\n"
      "qos_rtr_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15\nleaf_vl_stall_count 5\n");
  EXPECT_TRUE(all.config.qos_tables);
  EXPECT_EQ(all.config.qos_all, "high=0:64,1:32 limit=4");
  EXPECT_EQ(all.config.qos_hosts, "low=2:8") << "numbers may be octal";
  EXPECT_EQ(all.config.qos_switch_port0, "limit=1");
  EXPECT_EQ(all.config.qos_switches, "limit=2");
  EXPECT_EQ(all.config.qos_between_switches, "limit=3");
  EXPECT_EQ(all.config.qos_routers, "sl2vl=0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15");
  EXPECT_EQ(all.config.leaf_vl_stall_count, 5u);
  EXPECT_THAT(outcomes(import("qos_high_limit 4\n")), ElementsAre(Outcome::Needless));
  const Imported wrong =
      import("qos TRUE\nqos_high_limit 4\nqos_sl2vl 0,1\nqos_vlarb_low 16:1\nqos_vlarb_high 3\n");
  EXPECT_THAT(outcomes(wrong), ElementsAre(Outcome::TakenOver, Outcome::TakenOver, Outcome::Wrong,
                                           Outcome::Wrong, Outcome::Wrong));
  EXPECT_EQ(wrong.config.qos_all, "limit=4") << "what is right is taken";
}

TEST(OpensmImport, KnowsWhatTheClosedForkSaysOfVirtualPorts) {
  EXPECT_TRUE(import("virt_enabled 2\n").config.virtualization);
  EXPECT_FALSE(import("virt_enabled 1\n").config.virtualization);
  EXPECT_TRUE(import("enable_virt_rec_ext TRUE\n").config.virtual_records);
  EXPECT_THAT(outcomes(import("virt_enabled 3\n")), ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, PutsTheOptionsOfCongestionControlTogether) {
  const Imported all = import(
      "congestion_control TRUE\ncc_key 0x77\ncc_max_outstanding_mads 64\n"
      "cc_sw_cong_setting_control_map 0x15\ncc_sw_cong_setting_victim_mask 0x1e\n"
      "cc_sw_cong_setting_threshold 0x0f\ncc_sw_cong_setting_packet_size 8\n"
      "cc_sw_cong_setting_credit_starvation_threshold 0x05\n"
      "cc_ca_cong_setting_port_control 0x0001\ncc_ca_cong_setting_control_map 0x0005\n"
      "cc_ca_cong_setting_ccti_timer 0 150\ncc_ca_cong_setting_ccti_timer 2 20\n"
      "cc_ca_cong_setting_ccti_increase 2 4\ncc_ca_cong_setting_ccti_min 1 9\n"
      "cc_cct 0:0,0:1,1:7\n");
  const Config& config = all.config;
  EXPECT_TRUE(config.congestion_enabled);
  EXPECT_EQ(config.congestion_key, 0x77u);
  EXPECT_EQ(config.congestion_key_mode, "use");
  EXPECT_EQ(config.congestion_window, 64u);
  EXPECT_EQ(config.congestion_switches, "victims=0x1e threshold=15 packet_size=8 marking_rate=0");
  EXPECT_EQ(config.congestion_hold, "level");
  EXPECT_THAT(config.congestion_levels, ElementsAre("0 timer=150", "2 timer=20 increase=4"));
  EXPECT_THAT(config.congestion_table, ElementsAre("0:0", "0:1", "1:7"));
  const auto fate_of = [&](std::string_view option) {
    const auto found = std::find_if(all.remarks.begin(), all.remarks.end(),
                                    [&](const auto& each) { return each.option == option; });
    return found == all.remarks.end() ? Outcome::Unknown : found->outcome;
  };
  EXPECT_EQ(fate_of("cc_sw_cong_setting_threshold"), Outcome::TakenOver);
  EXPECT_EQ(fate_of("cc_sw_cong_setting_credit_starvation_threshold"), Outcome::Needless);
  EXPECT_EQ(fate_of("cc_ca_cong_setting_ccti_min"), Outcome::Needless);
  EXPECT_EQ(fate_of("cc_ca_cong_setting_control_map"), Outcome::TakenOver);
  EXPECT_THAT(outcomes(import("cc_cct 4:1\n")), ElementsAre(Outcome::Wrong));
  EXPECT_THAT(outcomes(import("cc_ca_cong_setting_ccti_min 16 1\n")), ElementsAre(Outcome::Wrong));
}

TEST(OpensmImport, WhatStandsLaterWins) {
  EXPECT_EQ(import("lmc 1\nlmc 3\n").config.lmc, 3u);
}

TEST(OpensmImport, SurvivesAnything) {
  EXPECT_THAT(import("").remarks, IsEmpty());
  EXPECT_THAT(import("lmc").remarks, IsEmpty());
  EXPECT_THAT(import("\n\n#").remarks, IsEmpty());
  EXPECT_EQ(import(std::string(100'000, 'x')).remarks.size(), 1u);
  EXPECT_THAT(outcomes(import("scatter_ports 099\n")), ElementsAre(Outcome::Wrong));
}

// A key that is written wrong would be found only when somebody's file has it.
TEST(OpensmOptions, NameOptionsOfOurs) {
  std::set<std::string_view> names;
  for (const OpensmOption& option : opensm_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " stands there twice";
    const bool mapped = option.fate == Fate::Mapped;
    EXPECT_EQ(find_option(option.section, option.key) != nullptr, mapped) << option.name;
    EXPECT_TRUE(mapped || !option.note.empty()) << option.name << " is not explained";
    if (option.convert == nullptr) continue;
    EXPECT_TRUE(option.usual == "(null)" || option.convert(option.usual)) << option.name;
  }
  EXPECT_EQ(names.size(), 162u);
}

// Their own keys are no typing mistakes; what they ask for is taken over, or said to be missing.
TEST(OpensmImport, KeysOfTheClosedForkAreKnown) {
  const Imported imported = import(
      "m_key_per_port TRUE\nallowed_sm_guids 0x2,0x3\nar_mode 1\nhm_sw_noisy_action isolate\n"
      "sa_check_sgid_spoofing TRUE\nmax_wire_smps_per_device 2\n");
  EXPECT_TRUE(imported.config.m_key_per_port);
  EXPECT_EQ(imported.config.allowed_sm_guids, (std::vector<std::uint64_t>{2, 3}));
  const std::pair<const char*, Outcome> wanted[] = {{"m_key_per_port", Outcome::TakenOver},
                                                    {"allowed_sm_guids", Outcome::TakenOver},
                                                    {"ar_mode", Outcome::Missing},
                                                    {"hm_sw_noisy_action", Outcome::Missing},
                                                    {"sa_check_sgid_spoofing", Outcome::Needless}};
  ASSERT_EQ(imported.remarks.size(), std::size(wanted)) << "a default is nothing to speak of";
  for (const auto& [option, outcome] : wanted) {
    const std::string name = option;  // clang 14 takes no part of a pair into a lambda
    const auto found = std::find_if(imported.remarks.begin(), imported.remarks.end(),
                                    [&](const auto& remark) { return remark.option == name; });
    ASSERT_NE(found, imported.remarks.end()) << name;
    EXPECT_EQ(found->outcome, outcome) << name;
    EXPECT_FALSE(found->text.empty()) << name;
  }
}

// As far as its documents name them.
constexpr std::string_view kNamesOfTheClosedFork =
    "max_wire_smps_per_device smp_threads gmp_threads gmp_traps_threads_num "
    "routing_threads_num max_threads_per_core max_msg_fifo_len max_alt_dr_path_retries "
    "max_seq_redisc rediscovery_max_link_penalty validate_smps light_sweep_spst "
    "force_heavy_sweep_window mepi_cache_enabled enable_queries_during_routing "
    "enable_sm_port_failover master_sm_priority master_sm_lid allowed_sm_guids stand_alone "
    "get_mft_tables load_inform_info_from_sadb cache_ar_group_id osm_stats_interval "
    "m_key_per_port periodic_key_update key_mgr_seed cc_key_enable cc_key_lease_period "
    "cc_key_protect_bit vs_key_enable vs_key_lease_period vs_key_ci_protect_bits "
    "n2n_key_enable sa_enhanced_trust_model sa_check_sgid_spoofing sa_rate_threshold "
    "sa_pr_full_world_queries_allowed max_sa_reports_queued max_sa_reports_on_wire "
    "drop_subscr_on_report_fail drop_unreachable_event_subscriptions "
    "service_name2key_map_file enable_sa rereg_on_guid_migr aguid_inout_notice "
    "sm_assign_guid_func force_link_speed_ext2 support_mepi_speeds max_neighbor_mtu "
    "max_op_vls_ca max_op_vls_sw max_op_vls_rtr port_speed_change_action "
    "port_ext_speed_change_action port_ext_speed2_change_action port_mepi_speed_change_action "
    "port_mtu_change_action port_vl_change_action port_ame_bit_change_action "
    "allow_sm_port_reset client_rereg_mode suppress_mc_pkey_traps adaptive_timeout_sl_mask "
    "port_recovery_policy_enabled hm_unhealthy_ports_checks hm_ports_health_policy_file "
    "hm_ca_reboot_action held_back_sw_file drop_unreachable_ports_enabled "
    "find_roots_color_algorithm max_cas_on_spine dfp_find_roots_color_algorithm "
    "dfp_max_cas_on_spine dfp_down_up_turns_mode calc_missing_routes enhanced_missing_routes "
    "use_scatter_for_switch_lid improved_lmc_path_distribution offsweep_balancing_enabled "
    "offsweep_balancing_window dor_hyper_cube_mode routing_flags ar_mode ar_sl_mask "
    "ar_transport_mask enable_ar_by_device_cap enable_ar_group_copy "
    "enable_empty_arlft_optimization ar_tree_asymmetric_flow shield_mode pfrn_sl "
    "pfrn_mask_clear_timeout pfrn_over_router_enabled hbf_sl_mask planarized_routing_enabled "
    "pgrp_policy_file topo_policy_file rch_policy_file max_topologies_per_sw "
    "auto_join_hca_wo_topo topo_config_enabled topo_config_file enable_inc_mc_routing "
    "mc_primary_root_guid mc_secondary_root_guid mc_roots_file default_mcg_mtu "
    "default_mcg_rate override_create_mcg_sl consolidate_ipv4_mask virt_enabled "
    "virt_max_ports_in_process virt_default_hop_limit enable_virt_rec_ext virt_dump_file "
    "tenants_policy_enabled tenants_policy_file rtr_aguid_enable rtr_pr_flow_label "
    "rtr_selection_function router_policy_enabled router_policy_file lids_per_rtr "
    "global_flid_start global_flid_end local_flid_start local_flid_end flid_compression "
    "enhanced_qos_policy_file enhanced_qos_vport0_unlimit_default_rl qos_sw2sw_sl2vl "
    "qos_config_vl_enabled device_configuration_file enable_vl_packing "
    "use_optimized_port_mask_slvl mlnx_congestion_control congestion_control_policy_file "
    "ppcc_algo_dir sharp_enabled prism_an_lmc activity_report_subjects "
    "enable_performance_logging log_num_backlogs syslog_log_flags verbose_bypass_policy_file "
    "sm_db_dump dump_ar cache_files_dir subnet_lst_file sa_db_dump_file pid_file "
    "conf_template validate_conf_files enable_crashd sweep_every_hup_signal issu_mode "
    "issu_timeout issu_pre_upgrade_time fabric_mode_profile plugin_name plugin_options";

TEST(OpensmImport, NoKeyOfTheClosedForkIsUnknown) {
  std::string text;
  std::size_t count = 0;
  for (const auto name : base::split(kNamesOfTheClosedFork, ' ')) {
    text += std::string(name) + " 77\n";
    ++count;
  }
  const auto imported = import(text);
  EXPECT_EQ(imported.remarks.size(), count);
  for (const auto& remark : imported.remarks) {
    EXPECT_NE(remark.outcome, Outcome::Unknown) << remark.option;
    EXPECT_FALSE(remark.text.empty()) << remark.option;
  }
}

TEST(OpensmImport, OpensTheConsoleAsItWas) {
  const auto imported = import("console loopback\nconsole_port 10023\n");
  EXPECT_EQ(imported.config.api_console, "loopback");
  EXPECT_EQ(imported.config.api_console_port, 10023u);
  EXPECT_EQ(import("").config.api_console, "off");
  const auto odd = import("lmc 1\nconsole telnet\n");
  ASSERT_EQ(odd.remarks.size(), 2u);
  EXPECT_EQ(odd.remarks[1].outcome, Outcome::Wrong);
  EXPECT_EQ(odd.remarks[1].line, 2u);
  EXPECT_EQ(odd.remarks[1].column, 9u);
  EXPECT_THAT(odd.remarks[1].text, HasSubstr("off, local, loopback, socket"));
}

TEST(OpensmImport, NodesKeepTheNamesThatTheyWereGiven) {
  const std::string_view line = "node_name_map_name /etc/opensm/names\n";
  EXPECT_EQ(import(line).config.node_name_map, "/etc/opensm/names");
  EXPECT_EQ(import(line, false).config.node_name_map, "") << "there is no such file";
}

TEST(OpensmValues, AreThoseOfTheFileOrOpensmsOwn) {
  const std::string text =
      "\n" + opensm_values(
                 "# here\nsm_priority 3\nlmc 1\nsm_priority 5\nm_key 0x1234\nno_such 1\n"
                 "cc_ca_cong_setting_ccti_timer 0 5\ncc_ca_cong_setting_ccti_timer 1 6\n");
  EXPECT_THAT(text, HasSubstr("\nsm_priority 5\n")) << "the last one counts";
  EXPECT_THAT(text, Not(HasSubstr("sm_priority 3")));
  EXPECT_THAT(text, HasSubstr("\nlmc 1\n"));
  EXPECT_THAT(text, HasSubstr("\nsweep_interval 10\n"));
  EXPECT_THAT(text, HasSubstr("\ncc_ca_cong_setting_ccti_timer 0 5\n"
                              "cc_ca_cong_setting_ccti_timer 1 6\n"));
  EXPECT_THAT(text, Not(HasSubstr("1234"))) << "keys are told to nobody";
  EXPECT_THAT(text, Not(HasSubstr("no_such")));
}

TEST(OpensmOptions, StandInTheGuide) {
  std::ifstream in(HEDDLE_SOURCE_DIR "/docs/migrating.md");
  const std::string guide(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(guide, HasSubstr(opensm_markdown()))
      << "run: heddle config opensm-options, and put its output into docs/migrating.md";
}

}  // namespace
}  // namespace heddle::config
