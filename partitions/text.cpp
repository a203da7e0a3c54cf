// SPDX-License-Identifier: BSD-3-Clause
// A policy as a file. A partition is one definition, unless its groups differ in what only a head
// can say.
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mad/mgid.hpp"
#include "partitions/gid_text.hpp"
#include "partitions/language.hpp"

namespace heddle::partitions {
namespace {

std::string_view word_of(Who who) {
  constexpr std::array<std::string_view, 7> kWords{
      "", "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "ALL_VCAS", "SELF"};
  return kWords[static_cast<std::size_t>(who)];
}

std::string_view word_of(Membership membership) {
  constexpr std::array<std::string_view, 3> kWords{"limited", "full", "both"};
  return kWords[static_cast<std::size_t>(membership)];
}

std::string member_text(const Rule& rule) {
  const std::string who =
      rule.who == Who::Port ? base::hex(rule.port.value) : std::string(word_of(rule.who));
  return fmt::format("{}={}", who, word_of(rule.membership));
}

std::string definition_head(const Partition& partition) {
  return fmt::format("{}={:#06x}", partition.name, partition.key.value);
}

// All flags but MTU and rate.
std::string flags_text(const GroupSpec& group) {
  return fmt::format("sl={}, Q_Key={:#x}, TClass={}, FlowLabel={:#x}", group.sl.value, group.q_key,
                     group.t_class, group.flow_label);
}

std::string link_text(const GroupSpec& group) {
  return fmt::format("mtu={}, rate={}", static_cast<unsigned>(group.mtu), group.rate);
}

// The same but for MGID and scope: the flag `ipoib` makes them all from one head.
bool alike(GroupSpec a, const GroupSpec& b) {
  a.mgid = b.mgid;
  a.scope = b.scope;
  return a == b;
}

const GroupSpec* find_group(const Partition& partition, const mad::Gid& mgid) {
  const auto found = std::find_if(partition.groups.begin(), partition.groups.end(),
                                  [&](const GroupSpec& group) { return group.mgid == mgid; });
  return found == partition.groups.end() ? nullptr : &*found;
}

// What the flag `ipoib` of the head that is written last makes.
struct Broadcast {
  GroupSpec like;
  std::vector<std::uint8_t> scopes;
};

bool made_by(const Broadcast& broadcast, const GroupSpec& group) {
  const bool scope_named = std::find(broadcast.scopes.begin(), broadcast.scopes.end(),
                                     group.scope) != broadcast.scopes.end();
  const auto is = [&](std::uint16_t signature) {
    return group.mgid == broadcast_mgid(group.p_key, signature, group.scope);
  };
  return scope_named && (is(mad::kIPv4Signature) || is(mad::kIPv6Signature)) &&
         alike(group, broadcast.like);
}

// Of the scopes whose groups are alike, those like the first. If none are (an mgid line came before
// the flag), one pair: what differs in it is written before and stays.
std::optional<Broadcast> broadcast_of(const Partition& partition) {
  if (!partition.ipoib) return std::nullopt;
  std::optional<Broadcast> broadcast;
  std::optional<Broadcast> unlike;
  for (std::uint8_t scope = 1; scope <= 15; ++scope) {
    const mad::PKey p_key = full_key(partition.key);
    const auto* ipv4 = find_group(partition, broadcast_mgid(p_key, mad::kIPv4Signature, scope));
    const auto* ipv6 = find_group(partition, broadcast_mgid(p_key, mad::kIPv6Signature, scope));
    if (ipv4 == nullptr || ipv6 == nullptr) continue;
    if (!alike(*ipv4, *ipv6)) {
      unlike = Broadcast{*ipv4, {scope}};
    } else if (!broadcast) {
      broadcast = Broadcast{*ipv4, {scope}};
    } else if (alike(*ipv4, broadcast->like)) {
      broadcast->scopes.push_back(scope);
    }
  }
  return broadcast ? broadcast : unlike;
}

// A definition for each pair of MTU and rate: those of IP groups come from the head.
void write_other_groups(const Partition& partition, const std::optional<Broadcast>& broadcast,
                        std::string& text) {
  std::map<std::string, std::string> lines;
  for (const GroupSpec& group : partition.groups) {
    if (broadcast && made_by(*broadcast, group)) continue;
    lines[link_text(group)] += fmt::format("  mgid={}, {}, scope={}\n", gid_text(group.mgid),
                                           flags_text(group), group.scope);
  }
  for (const auto& [link, mgids] : lines) {
    text += fmt::format("{}, {} :\n{};\n", definition_head(partition), link, mgids);
  }
}

void write_members(const Partition& partition, const std::optional<Broadcast>& broadcast,
                   std::string& text) {
  text += definition_head(partition);
  if (partition.index0) text += ", indx0";
  const bool sl_differs = broadcast && broadcast->like.sl != partition.sl;
  if (broadcast) {
    text += fmt::format(", ipoib, {}, {}", link_text(broadcast->like), flags_text(broadcast->like));
    for (const std::uint8_t scope : broadcast->scopes) text += fmt::format(", scope={}", scope);
  }
  // The head's last word on the SL counts, so one that differs needs a head of its own.
  if (sl_differs) text += fmt::format(" : ;\n{}", definition_head(partition));
  if (!broadcast || sl_differs) text += fmt::format(", sl={}", partition.sl.value);
  text += " :\n";
  for (const Rule& rule : partition.rules) text += fmt::format("  {},\n", member_text(rule));
  text += ";\n";
}

}  // namespace

std::string to_text(const Policy& policy) {
  std::string text;
  for (const Partition& partition : policy.partitions) {
    const std::optional<Broadcast> broadcast = broadcast_of(partition);
    write_other_groups(partition, broadcast, text);
    write_members(partition, broadcast, text);
  }
  return text;
}

}  // namespace heddle::partitions
