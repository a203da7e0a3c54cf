// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/language.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/mgid.hpp"
#include "partitions/diagnostics.hpp"
#include "partitions/flags.hpp"
#include "partitions/gid_text.hpp"
#include "partitions/words.hpp"

namespace heddle::partitions {
namespace {

using Failure = std::optional<base::Error>;

constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kNoPartition = ~std::size_t{0};

struct Keyword {
  std::string_view name;
  std::optional<Who> who;  // nobody for NONE
};
// In the order in which a beginning is looked for: "A" is ALL, "ALL_" is ALL_CAS.
constexpr std::array<Keyword, 7> kKeywords{{{"NONE", std::nullopt},
                                            {"ALL", Who::All},
                                            {"ALL_CAS", Who::AllCas},
                                            {"ALL_SWITCHES", Who::AllSwitches},
                                            {"ALL_ROUTERS", Who::AllRouters},
                                            {"ALL_VCAS", Who::AllVcas},
                                            {"SELF", Who::Self}}};
constexpr std::array<std::string_view, 8> kMemberWords{
    "NONE", "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "ALL_VCAS", "SELF", "mgid"};

// May stand for the broadcast group of any partition.
constexpr mad::Gid kIpv4Broadcast = broadcast_mgid(full_key(kDefaultBaseKey), mad::kIPv4Signature);

GroupSpec group_from(const GroupFlags& flags, BaseKey key) {
  GroupSpec group;
  group.p_key = full_key(key);
  group.mtu = flags.mtu;
  group.rate = flags.rate;
  group.sl = flags.sl;
  group.q_key = flags.q_key;
  group.t_class = flags.t_class;
  group.flow_label = flags.flow_label;
  return group;
}

// Without a scope flag: link-local, even for an MGID that says otherwise.
std::uint16_t scopes_of(const GroupFlags& flags) {
  return flags.scopes != 0 ? flags.scopes : std::uint16_t{1u << mad::kLinkLocalScope};
}

class Parser {
 public:
  Parser(std::string_view file_name, const LanguageOptions& options)
      : options_(options), diagnostics_(file_name) {
    partition_of_key_.assign(kMaxPartitions + 1, kNoPartition);
    add_partition("Default", kDefaultBaseKey);
  }

  base::Result<Parsed> read(std::string_view text);

 private:
  Failure line(const Word& line);
  Failure piece(const Word& piece);
  Failure head(const Word& head);
  Failure members(const Word& list);
  Failure member(const Setting& member);
  Failure add_rule(const Word& name, const Rule& rule);
  Failure mgid_line(const Setting& mgid, const Word& flags);
  Failure add_groups(const mad::Gid& mgid, const GroupFlags& flags, const Place& place);
  Failure add_group(const GroupSpec& group, const Place& place);
  bool fits_broadcast(const mad::Gid& mgid, const GroupFlags& flags, const Place& place);

  base::Result<BaseKey> key_of(Setting& name);
  std::optional<BaseKey> generated_key(std::string_view name);
  std::size_t open_partition(const Setting& name, BaseKey key);
  std::size_t add_partition(std::string name, BaseKey key);
  base::Result<Membership> membership_of_member(const Setting& member);
  Failure fail(const Place& place, std::string_view sentence) const {
    return diagnostics_.error(place, sentence);
  }

  const LanguageOptions& options_;
  Diagnostics diagnostics_;
  Policy policy_;
  std::vector<std::size_t> partition_of_key_;  // by base key
  std::map<std::string, std::size_t, std::less<>> partition_of_name_;
  std::set<BaseKey> generated_;
  std::map<std::pair<mad::GidPrefix, mad::Guid>, GroupSpec> groups_;  // by MGID
  std::uint16_t last_generated_ = 0;
  std::size_t rules_ = 0;
  std::size_t open_ = kNoPartition;  // the definition between its ':' and its ';'
  HeadFlags flags_;                  // of that definition
};

base::Result<Parsed> Parser::read(std::string_view text) {
  if (text.size() > kMaxFileBytes) {
    return diagnostics_.error(
        {1, 1}, fmt::format("the file has {} bytes, more than {}", text.size(), kMaxFileBytes));
  }
  Place place{1, 1};
  for (std::size_t begin = 0; begin < text.size(); ++place.line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (auto failure = line({text.substr(begin, end - begin), place})) return *failure;
    begin = end + 1;
  }
  if (open_ != kNoPartition) diagnostics_.warn(place, "the last definition has no ';' at its end");
  for (const auto& [mgid, group] : groups_) {
    policy_.partitions[partition_of_key_[base_of(group.p_key).value]].groups.push_back(group);
  }
  Partition& everybody = policy_.partitions.front();
  if (everybody.rules.empty()) everybody.rules = closed_policy().partitions.front().rules;
  return Parsed{std::move(policy_), diagnostics_.take_warnings()};
}

Failure Parser::line(const Word& line) {
  if (const std::size_t at = line.text.find('\0'); at != line.text.npos) {
    return fail({line.place.line, at + 1}, "a zero byte: this is no text file");
  }
  std::size_t begin = 0;
  const std::size_t end = std::min(line.text.find('#'), line.text.size());
  while (begin < end) {
    const std::size_t semicolon = std::min(line.text.find(';', begin), end);
    const Word text = part(line, begin, semicolon);
    if (!text.text.empty()) {
      if (auto failure = piece(text)) return failure;
    }
    if (semicolon < end) {
      if (open_ == kNoPartition) {
        diagnostics_.warn({line.place.line, semicolon + 1}, "a ';' that ends nothing is ignored");
      }
      open_ = kNoPartition;
    }
    begin = semicolon + 1;
  }
  return std::nullopt;
}

Failure Parser::piece(const Word& piece) {
  if (open_ != kNoPartition) return members(piece);
  const std::size_t colon = piece.text.find(':');
  if (colon == piece.text.npos) {
    return fail(piece.place,
                fmt::format("{} begins a definition that has no ':' on its line; it should look "
                            "like NAME=0x8001, FLAG, FLAG : MEMBERS ;",
                            quoted(piece.text)));
  }
  if (auto failure = head(part(piece, 0, colon))) return failure;
  const Word rest = part(piece, colon + 1);
  return rest.text.empty() ? std::nullopt : members(rest);
}

Failure Parser::head(const Word& head) {
  const std::size_t comma = head.text.find(',');
  Setting name = setting(part(head, 0, comma));
  flags_ = {};
  for (std::size_t at = comma; at != head.text.npos;) {
    const std::size_t next = head.text.find(',', at + 1);
    apply_head_flag(setting(part(head, at + 1, next)), options_, flags_, diagnostics_);
    at = next;
  }
  if (!options_.qos && flags_.group.sl.value != 0) {
    diagnostics_.warn(head.place,
                      fmt::format("'sl={}' is ignored, because qos is off", flags_.group.sl.value));
    flags_.group.sl = {};
  }
  const auto key = key_of(name);
  if (!key) return key.error();
  open_ = open_partition(name, *key);
  Partition& partition = policy_.partitions[open_];
  partition.index0 = partition.index0 || flags_.index0;
  partition.ipoib = partition.ipoib || flags_.ipoib;
  if (flags_.group.sl_given) partition.sl = flags_.group.sl;
  if (!flags_.ipoib) return std::nullopt;
  GroupSpec like = group_from(flags_.group, *key);
  if (like.q_key == 0) like.q_key = kIpoibQKey;
  for (std::uint8_t scope = 1; scope <= 15; ++scope) {
    if ((scopes_of(flags_.group) >> scope & 1) == 0) continue;
    for (const GroupSpec& group : ipoib_broadcast_groups(like, scope)) {
      if (auto failure = add_group(group, head.place)) return failure;
    }
  }
  return std::nullopt;
}

// Moves a name that begins with a digit to where the P_Key belongs.
base::Result<BaseKey> Parser::key_of(Setting& name) {
  const std::string_view text = name.name.text;
  if (!name.value && !text.empty() && text.front() >= '0' && text.front() <= '9') {
    name.value = std::exchange(name.name, Word{{}, name.name.place});
  }
  if (name.name.text.size() > kMaxNameBytes) {
    return diagnostics_.error(
        name.name.place, fmt::format("a partition's name has at most {} bytes", kMaxNameBytes));
  }
  std::uint64_t value = 0;
  if (name.value) {
    const auto number = c_number(name.value->text, 0xffff);
    if (!number) {
      return diagnostics_.error(
          name.value->place,
          fmt::format("{} is no P_Key: it is 0x0001 to 0x7fff, where bit 15 does not count; "
                      "without '=' one is generated",
                      quoted(name.value->text)));
    }
    value = *number & kDefaultBaseKey.value;
  }
  if (value != 0) return BaseKey{static_cast<std::uint16_t>(value)};
  const auto key = generated_key(name.name.text);
  if (!key) return diagnostics_.error(name.name.place, "no P_Key is left to be generated");
  return *key;
}

// Without a P_Key, a name that was there before means that partition.
std::optional<BaseKey> Parser::generated_key(std::string_view name) {
  if (const auto known = partition_of_name_.find(base::printable(name));
      known != partition_of_name_.end()) {
    return policy_.partitions[known->second].key;
  }
  while (++last_generated_ < kDefaultBaseKey.value) {
    if (partition_of_key_[last_generated_] != kNoPartition) continue;
    generated_.insert(BaseKey{last_generated_});
    return BaseKey{last_generated_};
  }
  last_generated_ = kDefaultBaseKey.value - 1;
  return std::nullopt;
}

std::size_t Parser::open_partition(const Setting& name, BaseKey key) {
  const std::size_t known = partition_of_key_[key.value];
  if (known == kNoPartition) return add_partition(base::printable(name.name.text), key);
  if (name.value && generated_.contains(key)) {
    diagnostics_.warn(name.value->place,
                      fmt::format("P_Key {:#06x} was already generated for partition {}, which "
                                  "this definition joins; give that one a P_Key of its own",
                                  key.value, quoted(policy_.partitions[known].name)));
  }
  return known;
}

std::size_t Parser::add_partition(std::string name, BaseKey key) {
  const std::size_t index = policy_.partitions.size();
  partition_of_key_[key.value] = index;
  if (!name.empty()) partition_of_name_.try_emplace(name, index);
  Partition& partition = policy_.partitions.emplace_back();
  partition.name = std::move(name);
  partition.key = key;
  return index;
}

Failure Parser::members(const Word& list) {
  for (std::size_t begin = 0; begin <= list.text.size();) {
    const std::size_t comma = std::min(list.text.find(',', begin), list.text.size());
    const Setting setting = partitions::setting(part(list, begin, comma));
    begin = comma + 1;
    if (setting.name.text == "mgid") {  // its flags take the rest of the line
      const Word rest = comma < list.text.size() ? part(list, begin) : Word{{}, list.place};
      return mgid_line(setting, rest);
    }
    if (setting.name.text.empty() && !setting.value) continue;
    if (auto failure = member(setting)) return failure;
  }
  return std::nullopt;
}

base::Result<Membership> Parser::membership_of_member(const Setting& member) {
  if (!member.value) return flags_.membership;
  const Word& word = *member.value;
  if (word.text.empty()) {
    return diagnostics_.error(word.place, fmt::format("full, limited or both should follow {}=",
                                                      quoted(member.name.text)));
  }
  if (const auto membership = membership_of(word, options_, diagnostics_)) return *membership;
  constexpr std::array<std::string_view, 3> kWords{"full", "limited", "both"};
  diagnostics_.warn(word.place,
                    fmt::format("{} is taken for limited; full, limited or both could stand here{}",
                                quoted(word.text), suggestion(word.text, kWords)));
  return Membership::Limited;
}

Failure Parser::member(const Setting& member) {
  const Word& name = member.name;
  const auto membership = membership_of_member(member);
  if (!membership) return membership.error();
  for (const Keyword& keyword : kKeywords) {
    if (!abbreviates(name.text, keyword.name)) continue;
    if (!keyword.who) return std::nullopt;
    return add_rule(name, {*keyword.who, {}, *membership});
  }
  const auto guid = c_number(name.text);
  if (!guid || *guid == 0) {
    const bool digits_only =
        !name.text.empty() && name.text.size() <= 16 &&
        name.text.find_first_not_of("0123456789abcdefABCDEF") == name.text.npos;
    std::string hint = suggestion(name.text, kMemberWords);
    if (name.text.find(':') != name.text.npos) {
      hint = "; is the ';' missing that ends the definition before?";
    } else if (digits_only && name.text.find_first_not_of('0') != name.text.npos) {
      hint = fmt::format("; did you mean '0x{}'?", name.text);
    }
    return fail(name.place,
                fmt::format("{} is no member: a port GUID such as 0x0002c90300001234 or one of {} "
                            "could stand here{}",
                            quoted(name.text), fmt::join(kMemberWords, ", "), hint));
  }
  return add_rule(name, {Who::Port, mad::Guid{*guid}, *membership});
}

Failure Parser::add_rule(const Word& name, const Rule& rule) {
  if (rules_ == kMaxRules) return fail(name.place, fmt::format("more than {} members", kMaxRules));
  ++rules_;
  policy_.partitions[open_].rules.push_back(rule);
  return std::nullopt;
}

Failure Parser::mgid_line(const Setting& mgid, const Word& flags) {
  const Word& word = mgid.value.value_or(mgid.name);
  auto gid = mgid.value ? gid_of(word.text) : std::nullopt;
  if (!gid || !is_multicast(*gid)) {
    diagnostics_.warn(word.place, fmt::format("the group is left out: {} is no multicast GID; "
                                              "mgid=ff12:401b::16 could stand here",
                                              quoted(word.text)));
    return std::nullopt;
  }
  GroupFlags group = flags_.group;
  for (std::size_t begin = 0; !flags.text.empty() && begin <= flags.text.size();) {
    const std::size_t comma = std::min(flags.text.find(',', begin), flags.text.size());
    apply_mgid_flag(setting(part(flags, begin, comma)), group, diagnostics_);
    begin = comma + 1;
  }
  if (is_ipoib(*gid)) {
    if (!fits_broadcast(*gid, group, word.place)) return std::nullopt;
    gid = with_p_key(*gid, full_key(policy_.partitions[open_].key));
    if (group.q_key == 0) group.q_key = kIpoibQKey;
  }
  if (group.scopes == 0 && scope_of(*gid) != mad::kLinkLocalScope) {
    diagnostics_.warn(word.place,
                      fmt::format("the scope of {} becomes 2 (link-local); add scope={} "
                                  "to keep it",
                                  quoted(word.text), scope_of(*gid)));
  }
  return add_groups(*gid, group, word.place);
}

// An interface takes MTU and rate from its broadcast group, and joins others only with the same.
bool Parser::fits_broadcast(const mad::Gid& mgid, const GroupFlags& flags, const Place& place) {
  const BaseKey key = policy_.partitions[open_].key;
  const mad::PKey asked = p_key_of(mgid);
  const bool any = asked.value == 0 || mgid == kIpv4Broadcast;
  if (!any && base_of(asked) != key) {
    diagnostics_.warn(place, fmt::format("the group is left out: its P_Key {:#06x} is not that of "
                                         "the partition, {:#06x}; 0 would be filled in",
                                         asked.value, full_key(key).value));
    return false;
  }
  if (flags.mtu != flags_.group.mtu || flags.rate != flags_.group.rate) {
    diagnostics_.warn(place,
                      "the group is left out: MTU and rate of an IP group are those of the "
                      "broadcast group, which the head of the definition gives");
    return false;
  }
  return true;
}

Failure Parser::add_groups(const mad::Gid& mgid, const GroupFlags& flags, const Place& place) {
  GroupSpec group = group_from(flags, policy_.partitions[open_].key);
  for (std::uint8_t scope = 1; scope <= 15; ++scope) {
    if ((scopes_of(flags) >> scope & 1) == 0) continue;
    group.mgid = with_scope(mgid, scope);
    group.scope = scope;
    if (auto failure = add_group(group, place)) return failure;
  }
  return std::nullopt;
}

Failure Parser::add_group(const GroupSpec& group, const Place& place) {
  const auto known = groups_.find({group.mgid.prefix, group.mgid.guid});
  if (known != groups_.end()) {
    if (known->second != group) {
      diagnostics_.warn(place, fmt::format("group {} exists already and stays as it was first said",
                                           gid_text(group.mgid)));
    }
    return std::nullopt;
  }
  if (groups_.size() == kMaxGroups) {
    return fail(place, fmt::format("more than {} groups", kMaxGroups));
  }
  groups_.emplace(std::pair(group.mgid.prefix, group.mgid.guid), group);
  return std::nullopt;
}

}  // namespace

base::Result<Parsed> parse(std::string_view text, std::string_view file_name,
                           const LanguageOptions& options) {
  return Parser(file_name, options).read(text);
}

}  // namespace heddle::partitions
