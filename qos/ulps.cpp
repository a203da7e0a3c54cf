// SPDX-License-Identifier: BSD-3-Clause
#include "qos/ulps.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace heddle::qos {
namespace {

constexpr std::uint64_t kHighestPort = 0xFFFF;

// Where a protocol's ServiceIDs begin; the port number is added (annexes A3, A4, A10 of the
// specification's volume 1, and RDS's own choice).
struct Protocol {
  std::string_view name;
  std::uint64_t base;
  Range usual;  // ports, when the line names none
};
constexpr std::array kProtocols{
    Protocol{"sdp", 0x10000, {0, kHighestPort}},
    Protocol{"rds", 0x1060000, {0x48CA, 0x48CA}},
    Protocol{"iser", 0x1060000, {0x0CBC, 0x0CBC}},
};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

const Protocol* protocol(std::string_view name) {
  const auto found = std::find_if(kProtocols.begin(), kProtocols.end(),
                                  [&](const Protocol& p) { return same_word(p.name, name); });
  return found == kProtocols.end() ? nullptr : &*found;
}

}  // namespace

bool Ulps::read(Lines& lines, Policy& policy) {
  const std::string_view whole = lines.whole();
  const std::size_t colon = whole.rfind(':');
  if (colon == std::string_view::npos) {
    return lines.fail(whole, "expected a protocol and its service level, such as 'sdp : 2'");
  }
  std::uint64_t number = 0;
  Line line;
  if (!lines.number(base::trim(whole.substr(colon + 1)), kHighestSl, number) ||
      !split(lines, base::trim(whole.substr(0, colon)), line)) {
    return false;
  }
  const auto sl = static_cast<std::uint8_t>(number);
  if (same_word(line.ulp, "default") && line.criterion.empty()) {
    default_level_ = level(sl, policy);
    return true;
  }
  Rule rule;
  rule.level = level(sl, policy);
  const bool any = same_word(line.ulp, "any");
  const bool to_target = same_word(line.ulp, "srp") && line.criterion == "target-port-guid";
  if (to_target || (any && line.criterion.ends_with("-port-guid"))) {
    return by_ports(lines, line, policy, rule);
  }
  const bool by_p_key = any && line.criterion == "pkey";
  if (by_p_key || same_word(line.ulp, "ipoib")) {
    if (!by_key(lines, line, sl, policy, rule)) return false;
  } else if (!by_service(lines, line, rule)) {
    return false;
  }
  rules_.push_back(std::move(rule));
  return true;
}

bool Ulps::split(Lines& lines, std::string_view text, Line& line) const {
  const std::size_t comma = text.find(',');
  line.ulp = base::trim(text.substr(0, comma));
  if (comma == std::string_view::npos) return true;
  const auto rest = base::trim(text.substr(comma + 1));
  const std::size_t blank = rest.find_first_of(" \t");
  line.criterion = rest.substr(0, blank);
  if (blank == std::string_view::npos) {
    return lines.fail(text, "expected what the line asks for, such as 'port-num 10000-20000'");
  }
  line.list = base::trim(rest.substr(blank));
  return true;
}

bool Ulps::by_service(Lines& lines, const Line& line, Rule& rule) const {
  if (same_word(line.ulp, "any") && line.criterion == "service-id") {
    return lines.ranges(line.list, ~0ull, rule.service_ids);
  }
  const Protocol* known = protocol(line.ulp);
  const bool by_port = line.criterion == "port-num";
  if (known == nullptr || (!by_port && !line.criterion.empty())) {
    return lines.fail(lines.whole(),
                      "expected default, sdp, rds, iser, srp with target-port-guid, ipoib, or any "
                      "with service-id, pkey, or the port GUIDs of source, target or both");
  }
  Ranges ports{known->usual};
  if (by_port) {
    ports.clear();
    if (!lines.ranges(line.list, kHighestPort, ports)) return false;
  }
  for (const Range& range : ports) {
    rule.service_ids.push_back({known->base + range.first, known->base + range.last});
  }
  return true;
}

bool Ulps::by_key(Lines& lines, const Line& line, std::uint8_t sl, Policy& policy,
                  Rule& rule) const {
  if (line.criterion.empty()) {
    rule.p_keys = {{kBaseKeyMask, kBaseKeyMask}};  // Default
  } else if (line.criterion != "pkey") {
    return lines.fail(line.criterion, "ipoib is told by its pkey");
  } else if (!lines.ranges(line.list, kHighestKey, rule.p_keys, kBaseKeyMask)) {
    return false;
  }
  if (!same_word(line.ulp, "ipoib")) return true;
  for (const Range& range : rule.p_keys) {
    if (range.first != range.last) return lines.fail(line.list, "ipoib has single P_Keys");
    policy.ipoib.push_back(
        {partitions::BaseKey{static_cast<std::uint16_t>(range.first)}, mad::ServiceLevel{sl}});
  }
  return true;
}

bool Ulps::by_ports(Lines& lines, const Line& line, Policy& policy, const Rule& rule) {
  PortGroup group;
  if (!lines.ranges(line.list, ~0ull, group.port_guids)) return false;
  group.port_guids = in_order(std::move(group.port_guids));
  const auto index = static_cast<std::uint32_t>(policy.groups.size());
  const bool both = line.criterion == "source-target-port-guid";
  const bool source = both || line.criterion == "source-port-guid";
  const bool target = both || line.criterion == "target-port-guid";
  if (!source && !target) {
    return lines.fail(line.criterion,
                      "expected target-port-guid, source-port-guid or source-target-port-guid");
  }
  policy.groups.push_back(std::move(group));
  if (source) {
    rules_.push_back(rule);
    rules_.back().sources = {index};
  }
  if (target) {
    rules_.push_back(rule);
    rules_.back().destinations = {index};
  }
  return true;
}

std::uint32_t Ulps::level(std::uint8_t sl, Policy& policy) {
  auto& index = levels_[sl];
  if (!index) {
    index = static_cast<std::uint32_t>(policy.levels.size());
    Level made;
    made.sl = mad::ServiceLevel{sl};
    policy.levels.push_back(std::move(made));
  }
  return *index;
}

void Ulps::finish(Policy& policy) {
  for (Rule& rule : rules_) {
    rule.service_ids = in_order(std::move(rule.service_ids));
    rule.p_keys = in_order(std::move(rule.p_keys));
    policy.rules.push_back(std::move(rule));
  }
  if (!policy.default_level) policy.default_level = default_level_;
}

}  // namespace heddle::qos
