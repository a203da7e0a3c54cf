// SPDX-License-Identifier: BSD-3-Clause
#include "app/option_text.hpp"

#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "partitions/language.hpp"
#include "qos/lane_tables.hpp"
#include "qos/language.hpp"
#include "sa/prefix_routes.hpp"

namespace heddle::app {
namespace {

template <class OptionsType, class Visitor>
void for_each_routing_option(OptionsType& o, Visitor&& visit) {
  visit("engines", o.routing.engines);
  visit("fallback", o.routing.fallback);
  visit("accept_credit_loops", o.routing.accept_credit_loops);
  visit("cover_replies", o.routing.cover_replies);
  visit("max_vls", o.routing.max_vls);
  visit("root_guids", o.routing.options.root_guids);
  visit("switch_ids", o.routing.options.switch_ids);
  visit("torus", o.routing.options.torus);
  visit("tables", o.routing.options.tables);
  visit("lid_matrix", o.routing.options.lid_matrix);
  visit("routing_order", o.routing.options.routing_order);
  visit("hop_weights", o.routing.options.hop_weights);
  visit("uncounted_ports", o.routing.options.uncounted_ports);
  visit("compute_guids", o.routing.options.compute_guids);
  visit("io_guids", o.routing.options.io_guids);
  visit("port_shifting", o.routing.options.port_shifting);
  visit("scatter_ports", o.routing.options.scatter_ports);
  visit("avoid_throttled_links", o.routing.options.avoid_throttled_links);
}

// One table for both directions: an option that is missing here fails the round trip in the tests.
template <class OptionsType, class Visitor>
void for_each_option(OptionsType& o, Visitor&& visit) {
  visit("subnet_prefix", o.subnet_prefix.value);
  visit("sm_key", o.sm_key.value);
  visit("tell_sm_key", o.tell_sm_key);
  visit("m_key", o.m_key.value);
  visit("m_key_per_port", o.m_key_per_port);
  visit("former_m_keys", o.former_m_keys);
  visit("m_key_protection", o.m_key_protection);
  visit("m_key_lease", o.m_key_lease);
  visit("priority", o.priority);
  visit("shadow", o.shadow);
  visit("sticky_master", o.sticky_master);
  visit("start_inactive", o.start_inactive);
  visit("durable", o.durable);
  visit("poll_interval", o.poll_interval);
  visit("poll_misses", o.poll_misses);
  visit("allowed_sm_guids", o.allowed_sm_guids);
  visit("lmc", o.lmc);
  visit("lmc_on_enhanced_port0", o.lmc_on_enhanced_port0);
  visit("reassign_lids", o.reassign_lids);
  visit("virtualization", o.virtualization);
  visit("virtual_records", o.virtual_records);
  visit("max_operational_vls", o.max_operational_vls);
  visit("subnet_timeout", o.subnet_timeout);
  visit("packet_life_time", o.packet_life_time);
  visit("head_of_queue_life", o.head_of_queue_life);
  visit("leaf_head_of_queue_life", o.leaf_head_of_queue_life);
  visit("vl_stall_count", o.vl_stall_count);
  visit("leaf_vl_stall_count", o.leaf_vl_stall_count);
  visit("link_width_enabled", o.link_wishes.width_enabled);
  visit("link_speed_enabled", o.link_wishes.speed_enabled);
  visit("link_speed_ext_enabled", o.link_wishes.speed_ext_enabled);
  visit("link_speed_ext2_enabled", o.link_wishes.speed_ext2_enabled);
  visit("local_phy_errors", o.link_wishes.local_phy_errors);
  visit("overrun_errors", o.link_wishes.overrun_errors);
  visit("sm_sl", o.sm_sl.value);
  visit("sweep_interval", o.sweep_interval);
  visit("full_sweep_interval", o.full_sweep_interval);
  visit("node_misses", o.node_misses);
  visit("flap_limit", o.flap_limit);
  visit("flap_window", o.flap_window);
  visit("flap_hold", o.flap_hold);
  visit("reregister", o.reregister);
  visit("reregister_rate", o.reregister_rate);
  visit("window", o.window);
  visit("window_per_device", o.window_per_device);
  visit("smallest_timeout", o.smallest_timeout);
  visit("largest_timeout", o.largest_timeout);
  visit("attempts", o.attempts);
  visit("max_hops", o.max_hops);
  visit("partitions", o.partitions);
  visit("sa_rate", o.sa_rate);
  visit("sa_only_needed", o.trust.only_needed);
  visit("sa_services", o.trust.services);
  visit("sa_subscriptions", o.trust.subscriptions);
  visit("sa_groups", o.trust.groups);
  visit("multicast", o.multicast);
  visit("highest_rate_code", o.highest_rate_code);
  visit("prefix_routes", o.prefix_routes);
  visit("qos_policy", o.qos_policy);
  visit("lane_tables", o.lane_tables);
  visit("partition_enforcement", o.partition_enforcement);
  visit("keep_routes_on_takeover", o.keep_routes_on_takeover);
  for_each_routing_option(o, visit);
}

template <std::unsigned_integral Number>
std::string value_text(Number value) {
  return fmt::format("{}", static_cast<std::uint64_t>(value));
}
std::string value_text(base::Duration value) {
  return fmt::format("{}", value.count());
}
std::string value_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}
template <class Tag>
std::string value_text(const std::vector<base::Strong<Tag, std::uint64_t>>& values) {
  std::vector<std::uint64_t> numbers;
  for (const auto value : values) numbers.push_back(value.value);
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string value_text(const std::vector<routing::HopWeight>& weights) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [at, weight] : weights) {
    numbers.insert(numbers.end(), {at.node.value, at.port.value, weight});
  }
  return fmt::format("{}", fmt::join(numbers, ","));
}
std::string value_text(const std::vector<routing::SwitchPort>& ports) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [node, port] : ports) numbers.insert(numbers.end(), {node.value, port.value});
  return fmt::format("{}", fmt::join(numbers, ","));
}
std::string value_text(const std::vector<routing::SwitchId>& ids) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [node, id] : ids) numbers.insert(numbers.end(), {node.value, id});
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string value_text(partitions::Enforcement value) {
  return std::string(partitions::name_of(value));
}
// As the bytes of a policy file, since a line has no room for line ends.
std::string value_text(const std::shared_ptr<const partitions::Policy>& policy) {
  if (!policy) return "";
  const std::string text = partitions::to_text(*policy);
  return base::hex_bytes(std::as_bytes(std::span(text)));
}
std::string value_text(const std::optional<routing::TorusFile>& torus) {
  if (!torus) return "";
  return base::hex_bytes(std::as_bytes(std::span(torus->source)));
}
std::string value_text(const std::shared_ptr<const routing::TableFile>& tables) {
  if (!tables) return "";
  const std::string text = tables->name + '\n' + tables->text;
  return base::hex_bytes(std::as_bytes(std::span(text)));
}
std::string value_text(const std::shared_ptr<const sa::PrefixRoutes>& routes) {
  if (!routes) return "";
  const std::string text = sa::to_text(*routes);
  return base::hex_bytes(std::as_bytes(std::span(text)));
}
std::string value_text(const std::shared_ptr<const qos::Policy>& policy) {
  return policy ? base::hex_bytes(std::as_bytes(std::span(policy->text))) : "";
}
std::string value_text(const std::optional<qos::LaneTables>& tables) {
  if (!tables) return "";
  std::string text = qos::to_text(tables->all);
  for (const auto& words : tables->by_kind) text += '\n' + qos::to_text(words);
  return base::hex_bytes(std::as_bytes(std::span(text)));
}

std::vector<std::string_view> pieces(std::string_view text) {
  return text.empty() ? std::vector<std::string_view>{} : base::split(text, ',');
}

template <std::unsigned_integral Number>
bool parse_value(std::string_view text, Number& value) {
  const auto parsed = base::parse_number(text, std::numeric_limits<Number>::max());
  value = static_cast<Number>(parsed.value_or(0));
  return parsed.has_value();
}
bool parse_value(std::string_view text, base::Duration& value) {
  const auto parsed = base::parse_number(text, std::numeric_limits<std::int64_t>::max());
  value = base::Duration(static_cast<std::int64_t>(parsed.value_or(0)));
  return parsed.has_value();
}
bool parse_value(std::string_view text, std::vector<std::string>& words) {
  words.clear();
  for (const auto word : pieces(text)) words.emplace_back(word);
  return true;
}
template <class Tag>
bool parse_value(std::string_view text, std::vector<base::Strong<Tag, std::uint64_t>>& values) {
  values.clear();
  for (const auto piece : pieces(text)) {
    if (!parse_value(piece, values.emplace_back().value)) return false;
  }
  return true;
}

bool parse_value(std::string_view text, std::vector<routing::HopWeight>& weights) {
  weights.clear();
  const auto words = pieces(text);
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    auto& [at, weight] = weights.emplace_back();
    if (!parse_value(words[i], at.node.value) || !parse_value(words[i + 1], at.port.value) ||
        !parse_value(words[i + 2], weight)) {
      return false;
    }
  }
  return words.size() % 3 == 0;
}
bool parse_value(std::string_view text, std::vector<routing::SwitchPort>& ports) {
  ports.clear();
  const auto words = pieces(text);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    auto& [node, port] = ports.emplace_back();
    if (!parse_value(words[i], node.value) || !parse_value(words[i + 1], port.value)) return false;
  }
  return words.size() % 2 == 0;
}
bool parse_value(std::string_view text, std::vector<routing::SwitchId>& ids) {
  ids.clear();
  const auto words = pieces(text);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    auto& [node, id] = ids.emplace_back();
    if (!parse_value(words[i], node.value) || !parse_value(words[i + 1], id)) return false;
  }
  return words.size() % 2 == 0;
}

bool parse_value(std::string_view text, partitions::Enforcement& value) {
  const auto parsed = partitions::enforcement_of(text);
  value = parsed.value_or(partitions::Enforcement::Off);
  return parsed.has_value();
}
std::optional<std::string> file_of(std::string_view text) {
  std::string file;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto byte = base::parse_hex(text.substr(i, 2));
    if (!byte) return std::nullopt;
    file += static_cast<char>(*byte);
  }
  return file;
}
bool parse_value(std::string_view text, std::shared_ptr<const sa::PrefixRoutes>& routes) {
  routes.reset();
  if (text.empty()) return true;
  const auto file = file_of(text);
  auto parsed = sa::parse_prefix_routes(file.value_or("?"), "recorded");
  if (!parsed) return false;
  routes = std::make_shared<const sa::PrefixRoutes>(std::move(*parsed));
  return true;
}
bool parse_value(std::string_view text, std::shared_ptr<const qos::Policy>& policy) {
  policy.reset();
  if (text.empty()) return true;
  const auto file = file_of(text);
  if (!file) return false;
  auto parsed = qos::parse(*file, "recorded");
  if (!parsed) return false;
  policy = std::make_shared<const qos::Policy>(std::move(parsed->policy));
  return true;
}
bool parse_value(std::string_view text, std::optional<qos::LaneTables>& tables) {
  tables.reset();
  if (text.empty()) return true;
  const auto file = file_of(text).value_or("?");
  const auto lines = base::split(file, '\n');
  tables.emplace();
  if (lines.size() != 1 + tables->by_kind.size()) return false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto words = qos::parse_lane_words(lines[i]);
    if (!words) return false;
    (i == 0 ? tables->all : tables->by_kind[i - 1]) = *words;
  }
  return true;
}
bool parse_value(std::string_view text, std::optional<routing::TorusFile>& torus) {
  torus.reset();
  if (text.empty()) return true;
  auto parsed = routing::parse_torus_file(file_of(text).value_or("?"), "recorded");
  if (!parsed) return false;
  torus = std::move(*parsed);
  return true;
}
bool parse_value(std::string_view text, std::shared_ptr<const routing::TableFile>& tables) {
  tables.reset();
  if (text.empty()) return true;
  const auto file = file_of(text);
  const std::size_t end = file ? file->find('\n') : std::string::npos;
  if (end == std::string::npos) return false;
  tables = std::make_shared<const routing::TableFile>(
      routing::TableFile{file->substr(0, end), file->substr(end + 1)});
  return true;
}
bool parse_value(std::string_view text, std::shared_ptr<const partitions::Policy>& policy) {
  policy.reset();
  if (text.empty()) return true;
  const auto file = file_of(text);
  if (!file) return false;
  auto parsed = partitions::parse(*file, "recorded", {/*allow_both_pkeys=*/true, /*qos=*/true});
  if (!parsed) return false;
  policy = std::make_shared<const partitions::Policy>(std::move(parsed->policy));
  return true;
}

}  // namespace

std::string options_text(const sm::Options& options) {
  std::string out;
  for_each_option(options, [&](std::string_view name, const auto& value) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value_text(value));
  });
  return out;
}

base::Result<sm::Options> parse_options_text(std::string_view text) {
  sm::Options options;
  for (const auto piece : base::split(text, ' ')) {
    const auto equals = std::min(piece.find('='), piece.size());
    bool understood = false;
    for_each_option(options, [&](std::string_view name, auto& value) {
      if (name == piece.substr(0, equals) && equals < piece.size()) {
        understood = parse_value(piece.substr(equals + 1), value);
      }
    });
    if (!understood) {
      return base::error(fmt::format("no option with its value: '{}'", base::printable(piece)));
    }
  }
  return options;
}

std::string remembered_text(const sm::RememberedLids& lids) {
  return fmt::format("{} {} {}", lids.port_guid.value, lids.base.value, lids.lmc);
}

base::Result<sm::RememberedLids> parse_remembered_text(std::string_view text) {
  const auto words = base::split(text, ' ');
  sm::RememberedLids lids;
  if (words.size() != 3 || !parse_value(words[0], lids.port_guid.value) ||
      !parse_value(words[1], lids.base.value) || !parse_value(words[2], lids.lmc)) {
    return base::error("remembered LIDs are not GUID, LID and LMC");
  }
  return lids;
}

std::string orders_text(const sm::PortOrders& orders) {
  std::string out;
  for (const sm::PortOrder& order : orders) {
    out += fmt::format("{}{}/{}/{}/{}", out.empty() ? "" : " ", order.node.value, order.port.value,
                       sm::name_of(order.order), order.may_isolate_host ? 1 : 0);
  }
  return out;
}

base::Result<sm::PortOrders> parse_orders_text(std::string_view text) {
  constexpr sm::LinkOrder kOrders[] = {sm::LinkOrder::RouteAround, sm::LinkOrder::Disable,
                                       sm::LinkOrder::Enable};
  sm::PortOrders orders;
  if (text.empty()) return orders;
  for (const auto piece : base::split(text, ' ')) {
    const auto words = base::split(piece, '/');
    sm::PortOrder order;
    const bool understood = words.size() == 4 && parse_value(words[0], order.node.value) &&
                            parse_value(words[1], order.port.value) &&
                            (words[3] == "0" || words[3] == "1");
    bool known = false;
    for (const sm::LinkOrder each : kOrders) {
      if (!understood || words[2] != sm::name_of(each)) continue;
      order.order = each;
      known = true;
    }
    if (!known) {
      return base::error(fmt::format("no order about a link: '{}'", base::printable(piece)));
    }
    order.may_isolate_host = words[3] == "1";
    orders.push_back(order);
  }
  return orders;
}

}  // namespace heddle::app
