// SPDX-License-Identifier: BSD-3-Clause
#include "app/sm_options.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/congestion_care.hpp"
#include "config/options.hpp"
#include "perf/health.hpp"
#include "perf/thresholds.hpp"
#include "qos/lane_tables.hpp"
#include "routing/engine.hpp"

namespace heddle::app {
namespace {

std::uint8_t byte(std::uint32_t value) {
  return static_cast<std::uint8_t>(value);
}

// 1, 2, 4, 8, 15 lanes have the codes 1 to 5 (IBA vol. 1, 14.2.5.6, OperationalVLs).
std::uint8_t vl_code(std::uint32_t lanes) {
  std::uint8_t code = 1;
  for (std::uint32_t reached = 1; reached < lanes && code < 5; reached *= 2) ++code;
  return code;
}

fabric::LinkWishes link_wishes(const config::Config& config) {
  return {byte(config.link_width_enabled),     byte(config.link_speed_enabled),
          byte(config.link_speed_ext_enabled), byte(config.link_speed_ext2_enabled),
          byte(config.local_phy_errors),       byte(config.overrun_errors)};
}

// What is wrong was refused when the file was read.
qos::LaneTables lane_tables(const config::Config& config) {
  qos::LaneTables tables;
  const auto put = [](const std::string& text, qos::LaneWords& place) {
    if (auto words = qos::parse_lane_words(text)) place = std::move(*words);
  };
  put(config.qos_all, tables.all);
  const auto put_kind = [&](const std::string& text, qos::PortKind kind) {
    put(text, tables.by_kind[static_cast<std::size_t>(kind)]);
  };
  put_kind(config.qos_hosts, qos::PortKind::Host);
  put_kind(config.qos_switch_port0, qos::PortKind::SwitchPort0);
  put_kind(config.qos_switches, qos::PortKind::SwitchToHost);
  put_kind(config.qos_between_switches, qos::PortKind::SwitchToSwitch);
  put_kind(config.qos_routers, qos::PortKind::Router);
  return tables;
}

}  // namespace

sm::Options to_sm_options(const config::Config& config) {
  sm::Options options;
  options.subnet_prefix = mad::GidPrefix{config.subnet_prefix};
  options.sm_key = mad::SMKey{config.sm_key};
  options.tell_sm_key = config.tell_sm_key;
  options.m_key = mad::MKey{config.m_key};
  options.m_key_per_port = config.m_key_per_port;
  for (const std::uint64_t key : config.former_m_keys) {
    options.former_m_keys.push_back(mad::MKey{key});
  }
  options.m_key_protection = byte(config.m_key_protection);
  options.m_key_lease = static_cast<std::uint16_t>(config.m_key_lease);
  options.priority = byte(config.priority);
  options.shadow = config.shadow;
  options.sticky_master = config.sticky_master;
  options.start_inactive = config.start_inactive;
  options.poll_interval = config.poll_interval;
  options.poll_misses = config.poll_misses;
  for (const std::uint64_t guid : config.allowed_sm_guids) {
    options.allowed_sm_guids.push_back(mad::Guid{guid});
  }
  options.lmc = byte(config.lmc);
  options.lmc_on_enhanced_port0 = config.lmc_on_enhanced_port0;
  options.reassign_lids = config.reassign;
  options.virtualization = config.virtualization;
  options.virtual_records = config.virtual_records;
  options.max_operational_vls = vl_code(config.data_vls);
  options.subnet_timeout = byte(config.subnet_timeout);
  options.packet_life_time = byte(config.packet_life_time);
  options.head_of_queue_life = byte(config.head_of_queue_life);
  options.leaf_head_of_queue_life = byte(config.leaf_head_of_queue_life);
  options.vl_stall_count = byte(config.vl_stall_count);
  options.leaf_vl_stall_count = byte(config.leaf_vl_stall_count);
  options.link_wishes = link_wishes(config);
  if (config.qos_tables) options.lane_tables = lane_tables(config);
  options.sm_sl = mad::ServiceLevel{byte(config.sm_sl)};
  options.sweep_interval = config.interval;
  options.full_sweep_interval = config.full_interval;
  options.node_misses = config.node_misses;
  options.flap_limit = config.flap_limit;
  options.flap_window = config.flap_window;
  options.flap_hold = config.flap_hold;
  options.reregister = config.reregister;
  options.reregister_rate = config.reregister_rate;
  options.sa_rate = config.sa_rate;
  options.trust = {config.sa_untrusted == "needed", config.sa_services, config.sa_subscriptions,
                   config.sa_groups};
  options.multicast = config.multicast;
  options.highest_rate_code = byte(config.highest_rate_code);
  options.window = config.window;
  options.window_per_device = config.window_per_device;
  options.smallest_timeout = config.smallest_timeout;
  options.largest_timeout = config.largest_timeout;
  options.attempts = config.attempts;
  options.max_hops = config.max_hops;
  options.partition_enforcement = *partitions::enforcement_of(config.partition_enforcement);
  options.keep_routes_on_takeover = config.keep_on_takeover;
  options.routing.engines = config.engines;
  options.routing.fallback = config.fallback;
  options.routing.accept_credit_loops = config.accept_credit_loops;
  options.routing.cover_replies = config.cover_replies;
  options.routing.max_vls = config.max_vls;
  options.routing.options.port_shifting = config.port_shifting;
  options.routing.options.scatter_ports = config.scatter_ports;
  options.routing.options.avoid_throttled_links = config.avoid_throttled_links;
  for (const std::uint64_t guid : config.root_guids) {
    options.routing.options.root_guids.push_back(mad::Guid{guid});
  }
  return options;
}

std::string routing_options_text(const config::Config& config) {
  config::Config shown = config;
  std::string text, section;
  for (const config::Option& option : config::options()) {
    const bool shapes = option.section == "routing" ||
                        (option.section == "lids" && option.key.starts_with("lmc")) ||
                        (option.section == "links" && option.key == "data_vls");
    if (!shapes) continue;
    if (const auto* file = std::get_if<std::string config::Config::*>(&option.member)) {
      std::error_code ignored;
      auto& path = shown.*(*file);
      if (!path.empty()) path = std::filesystem::absolute(path, ignored).string();
    }
    if (section != option.section) text += fmt::format("[{}]\n", option.section);
    section = option.section;
    text += fmt::format("{} = {}\n", option.key, config::text_of(shown, option));
  }
  return text;
}

config::Vocabulary vocabulary() {
  config::Vocabulary words;
  for (const routing::Engine* engine : routing::engines()) words.engines.push_back(engine->name());
  words.wrong_threshold = [](std::string_view text) {
    const auto threshold = perf::parse_threshold(text);
    return threshold ? std::string() : threshold.error().message;
  };
  words.wrong_health_action = [](std::string_view text) {
    const auto action = perf::parse_health_action(text);
    return action ? std::string() : action.error().message;
  };
  words.wrong_lanes = [](std::string_view text) {
    const auto lanes = qos::parse_lane_words(text);
    return lanes ? std::string() : lanes.error().message;
  };
  words.drops_level = [](std::string_view text, unsigned level) {
    const auto lanes = qos::parse_lane_words(text);
    return lanes && lanes->sl_to_vl && (*lanes->sl_to_vl)[level] == qos::kDroppingVl;
  };
  words.wrong_congestion = &wrong_congestion;
  return words;
}

}  // namespace heddle::app
