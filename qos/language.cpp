// SPDX-License-Identifier: BSD-3-Clause
#include "qos/language.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "qos/lines.hpp"
#include "qos/ulps.hpp"

namespace heddle::qos {
namespace {

constexpr std::uint64_t kHighestCode = 63;
constexpr std::uint64_t kHighestClass = 0xFFF;  // 12 bits

std::string upper(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

constexpr std::size_t kMaxNotes = 16;  // those beyond would say the same

// A rule names groups and a level that may stand further down.
struct Unresolved {
  struct Name {
    Place place;
    std::string text;
  };
  std::vector<Name> sources, destinations;
  Name level;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view file_name) : lines_(text, file_name) {
    parsed_.policy.text = text;
  }

  base::Result<Parsed> read() {
    while (lines_.next()) {
      if (!section()) break;
    }
    if (!lines_.trouble()) resolve();
    if (lines_.trouble()) return *lines_.trouble();
    return std::move(parsed_);
  }

 private:
  bool section();
  template <class Item>
  bool block(std::string_view name, const Item& item);
  bool group();
  bool group_word(PortGroup& group);
  bool level();
  bool level_word(Level& level);
  bool rule();
  bool rule_word(Rule& rule, Unresolved& names);
  bool names(std::vector<Unresolved::Name>& into);
  void note(const Place& place, std::string_view sentence);
  bool room(std::size_t count, std::size_t limit, std::string_view what);
  void resolve();
  bool find_group(const Unresolved::Name& name, std::vector<std::uint32_t>& into);
  std::optional<std::uint32_t> find_level(std::string_view name) const;

  Policy& policy() { return parsed_.policy; }

  Lines lines_;
  Parsed parsed_;
  Ulps ulps_;
  std::vector<Unresolved> unresolved_;  // by rule
};

// Calls item() for each line up to end-NAME.
template <class Item>
bool Reader::block(std::string_view name, const Item& item) {
  const Place begin = lines_.place(lines_.whole());
  const std::string end = fmt::format("end-{}", name);
  while (lines_.next()) {
    if (lines_.whole() == end) return true;
    if (!item()) return false;
  }
  return lines_.fail(begin, fmt::format("'{}' has no '{}'", name, end));
}

bool Reader::section() {
  const auto only = [this](std::string_view word, auto member) {
    return [this, word, member] {
      if (lines_.whole() != word)
        return lines_.fail(lines_.whole(), fmt::format("expected '{}'", word));
      return (this->*member)();
    };
  };
  const std::string_view word = lines_.whole();
  if (word == "port-groups") return block(word, only("port-group", &Reader::group));
  if (word == "qos-levels") return block(word, only("qos-level", &Reader::level));
  if (word == "qos-match-rules") return block(word, only("qos-match-rule", &Reader::rule));
  if (word == "qos-ulps") {
    return block(word, [this] {
      return room(policy().rules.size() + ulps_.rule_count(), kMaxRules, "rules") &&
             ulps_.read(lines_, policy());
    });
  }
  if (word == "qos-setup") {
    note(lines_.place(word), "qos-setup has no effect");
    return block(word, [] { return true; });
  }
  return lines_.fail(word,
                     "expected port-groups, qos-setup, qos-levels, qos-match-rules or qos-ulps");
}

void Reader::note(const Place& place, std::string_view sentence) {
  if (parsed_.notes.size() < kMaxNotes) parsed_.notes.push_back(lines_.at(place, sentence));
}

bool Reader::room(std::size_t count, std::size_t limit, std::string_view what) {
  if (count < limit) return true;
  return lines_.fail(lines_.place(lines_.whole()),
                     fmt::format("a file has no more than {} {}", limit, what));
}

bool Reader::group() {
  if (!room(policy().groups.size(), kMaxGroups, "port groups")) return false;
  const Place place = lines_.place(lines_.whole());
  PortGroup group;
  if (!block("port-group", [&] { return group_word(group); })) return false;
  if (group.name.empty()) return lines_.fail(place, "a port group without a name");
  group.port_guids = in_order(std::move(group.port_guids));
  group.p_keys = in_order(std::move(group.p_keys));
  policy().groups.push_back(std::move(group));
  return true;
}

bool Reader::group_word(PortGroup& group) {
  const std::string_view key = lines_.key(), value = lines_.value();
  if (key == "use") return true;
  if (!lines_.has_value() || value.empty()) return lines_.fail(lines_.whole(), "expected a value");
  if (key == "name") {
    group.name = value;
    return true;
  }
  if (key == "port-guid") return lines_.ranges(value, ~0ull, group.port_guids);
  if (key == "pkey") return lines_.ranges(value, kHighestKey, group.p_keys, kBaseKeyMask);
  std::vector<std::string_view> pieces;
  if (key == "partition" || key == "port-name") {
    if (!lines_.list(value, pieces)) return false;
    for (std::string_view piece : pieces) {
      const bool quoted = piece.size() > 1 && piece.front() == '"' && piece.back() == '"';
      if (quoted) piece = piece.substr(1, piece.size() - 2);
      (key == "partition" ? group.partitions : group.port_names).emplace_back(piece);
    }
    return true;
  }
  if (key != "node-type") {
    return lines_.fail(lines_.whole(),
                       "expected name, use, port-guid, port-name, pkey, partition or node-type");
  }
  if (!lines_.list(value, pieces)) return false;
  constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> kKinds{
      {{"CA", kAdapters},
       {"SWITCH", kSwitches},
       {"ROUTER", kRouters},
       {"SELF", kSelf},
       {"ALL", kAdapters | kSwitches | kRouters}}};
  for (const std::string_view piece : pieces) {
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const auto& k) { return k.first == upper(piece); });
    if (kind == kKinds.end()) {
      return lines_.fail(piece, "a type of node is CA, SWITCH, ROUTER, SELF or ALL");
    }
    group.kinds |= kind->second;
  }
  return true;
}

bool Reader::level() {
  if (!room(policy().levels.size(), kMaxLevels, "levels")) return false;
  const Place place = lines_.place(lines_.whole());
  Level level;
  if (!block("qos-level", [&] { return level_word(level); })) return false;
  if (level.name.empty()) return lines_.fail(place, "a level without a name");
  if (find_level(level.name)) {
    return lines_.fail(place,
                       fmt::format("there is a level '{}' already", base::printable(level.name)));
  }
  level.p_keys = in_order(std::move(level.p_keys));
  if (upper(level.name) == "DEFAULT") {
    policy().default_level = static_cast<std::uint32_t>(policy().levels.size());
  }
  policy().levels.push_back(std::move(level));
  return true;
}

bool Reader::level_word(Level& level) {
  const std::string_view key = lines_.key(), value = lines_.value();
  if (key == "use") return true;
  if (!lines_.has_value() || value.empty()) return lines_.fail(lines_.whole(), "expected a value");
  if (key == "name") {
    level.name = value;
    return true;
  }
  if (key == "pkey") return lines_.ranges(value, kHighestKey, level.p_keys, kBaseKeyMask);
  if (key == "path-bits") {
    Ranges unused;
    note(lines_.place(key), "path-bits have no effect");
    return lines_.ranges(value, 127, unused);
  }
  std::uint64_t number = 0;
  if (key == "sl") {
    if (!lines_.number(value, kHighestSl, number)) return false;
    level.sl = mad::ServiceLevel{static_cast<std::uint8_t>(number)};
  } else if (key == "mtu-limit") {
    if (!lines_.number(value, kHighestCode, number)) return false;
    const auto mtu = static_cast<mad::Mtu>(number);
    if (mad::mtu_bytes(mtu) == 0) return lines_.fail(value, "an MTU is a code from 1 to 5");
    level.mtu_limit = mtu;
  } else if (key == "rate-limit") {
    if (!lines_.number(value, kHighestCode, number)) return false;
    level.rate_limit = mad::rate_rank_of_code(static_cast<std::uint8_t>(number));
    if (!level.rate_limit) return lines_.fail(value, "a rate is a code from 2 to 25");
  } else if (key == "packet-life") {
    if (!lines_.number(value, kHighestCode, number)) return false;
    level.packet_life = static_cast<std::uint8_t>(number);
  } else {
    return lines_.fail(lines_.whole(),
                       "expected name, use, sl, mtu-limit, rate-limit, packet-life, pkey or "
                       "path-bits");
  }
  return true;
}

bool Reader::rule() {
  if (!room(policy().rules.size(), kMaxRules, "rules")) return false;
  const Place place = lines_.place(lines_.whole());
  Rule rule;
  Unresolved names;
  if (!block("qos-match-rule", [&] { return rule_word(rule, names); })) return false;
  if (names.level.text.empty()) return lines_.fail(place, "a rule without its qos-level-name");
  rule.qos_classes = in_order(std::move(rule.qos_classes));
  rule.service_ids = in_order(std::move(rule.service_ids));
  rule.p_keys = in_order(std::move(rule.p_keys));
  policy().rules.push_back(std::move(rule));
  unresolved_.push_back(std::move(names));
  return true;
}

bool Reader::rule_word(Rule& rule, Unresolved& names) {
  const std::string_view key = lines_.key(), value = lines_.value();
  if (key == "use") return true;
  if (!lines_.has_value() || value.empty()) return lines_.fail(lines_.whole(), "expected a value");
  if (key == "qos-class") return lines_.ranges(value, kHighestClass, rule.qos_classes);
  if (key == "service-id") return lines_.ranges(value, ~0ull, rule.service_ids);
  if (key == "pkey") return lines_.ranges(value, kHighestKey, rule.p_keys, kBaseKeyMask);
  if (key == "source") return this->names(names.sources);
  if (key == "destination") return this->names(names.destinations);
  if (key == "qos-level-name") {
    names.level = {lines_.place(value), std::string(value)};
    return true;
  }
  return lines_.fail(lines_.whole(),
                     "expected use, qos-class, service-id, pkey, source, destination or "
                     "qos-level-name");
}

bool Reader::names(std::vector<Unresolved::Name>& into) {
  std::vector<std::string_view> pieces;
  if (!lines_.list(lines_.value(), pieces)) return false;
  for (const auto piece : pieces) into.push_back({lines_.place(piece), std::string(piece)});
  return room(into.size(), kMaxGroups, "groups in one rule");
}

void Reader::resolve() {
  for (std::size_t i = 0; i < unresolved_.size(); ++i) {
    Rule& rule = policy().rules[i];
    const Unresolved& names = unresolved_[i];
    const auto level = find_level(names.level.text);
    if (!level) {
      lines_.fail(names.level.place,
                  fmt::format("there is no level '{}'", base::printable(names.level.text)));
      return;
    }
    rule.level = *level;
    for (const auto& name : names.sources) {
      if (!find_group(name, rule.sources)) return;
    }
    for (const auto& name : names.destinations) {
      if (!find_group(name, rule.destinations)) return;
    }
  }
  ulps_.finish(policy());
  if (!policy().default_level && (!policy().levels.empty() || !policy().rules.empty())) {
    note({},
         "there is no level 'default': what no rule matches is "
         "not limited, and has the partition's level or 0");
  }
}

bool Reader::find_group(const Unresolved::Name& name, std::vector<std::uint32_t>& into) {
  const auto& groups = policy().groups;
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const PortGroup& group) { return group.name == name.text; });
  if (found == groups.end()) {
    return lines_.fail(name.place,
                       fmt::format("there is no port group '{}'", base::printable(name.text)));
  }
  into.push_back(static_cast<std::uint32_t>(found - groups.begin()));
  return true;
}

std::optional<std::uint32_t> Reader::find_level(std::string_view name) const {
  const auto& levels = parsed_.policy.levels;
  const auto found = std::find_if(levels.begin(), levels.end(),
                                  [&](const Level& level) { return level.name == name; });
  if (found == levels.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - levels.begin());
}

}  // namespace

base::Result<Parsed> parse(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxFileBytes) {
    return base::error(
        fmt::format("{}:1:1: a file has no more than {} bytes", file_name, kMaxFileBytes));
  }
  return Reader(text, file_name).read();
}

}  // namespace heddle::qos
