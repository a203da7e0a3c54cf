// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/flags.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/sa_rate.hpp"

namespace heddle::partitions {
namespace {

constexpr std::uint8_t kHighestScope = 15;
constexpr std::uint8_t kHighestSl = 15;
constexpr std::uint32_t kHighestFlowLabel = 0xf'ffff;

constexpr std::array<std::string_view, 10> kHeadFlagNames{
    "mtu", "rate", "scope", "Q_Key", "TClass", "sl", "FlowLabel", "ipoib", "defmember", "indx0"};
constexpr std::span<const std::string_view> kMgidFlagNames = std::span(kHeadFlagNames).first(7);
constexpr std::array<std::string_view, 3> kMemberships{"full", "both", "limited"};

// The specification's code, or the number of bytes.
std::optional<mad::Mtu> mtu_of(std::string_view text) {
  constexpr std::uint64_t kSmallest = 256;
  const auto value = c_number(text);
  for (std::uint8_t code = 1; code <= 5; ++code) {
    if (value == code || value == kSmallest << (code - 1)) return static_cast<mad::Mtu>(code);
  }
  return std::nullopt;
}

// 25 for 2.5G, 1000 for 100Gb: 0.1 Gb/s.
std::optional<std::uint64_t> tenths_of(std::string_view text) {
  constexpr std::uint64_t kMax = 100'000;
  if (text.ends_with('b')) text.remove_suffix(1);
  if (!text.ends_with('G')) return std::nullopt;
  text.remove_suffix(1);
  const std::size_t point = text.find('.');
  const auto whole = base::parse_number(text.substr(0, point), kMax);
  const auto tenths = point == text.npos ? std::optional<std::uint64_t>(0)
                                         : base::parse_number(text.substr(point + 1), 9);
  if (!whole || !tenths) return std::nullopt;
  return *whole * 10 + *tenths;
}

// The specification's code, or Gb/s with a G behind: 2.5G, 100G, 100Gb.
std::optional<std::uint8_t> rate_of(std::string_view text) {
  if (const auto code = c_number(text, 0xff)) {
    if (!mad::rate_rank_of_code(static_cast<std::uint8_t>(*code))) return std::nullopt;
    return static_cast<std::uint8_t>(*code);
  }
  const auto tenths = tenths_of(text);
  const auto* const found =
      std::find_if(mad::kSARates.begin(), mad::kSARates.end(),
                   [&](const mad::SARate& rate) { return rate.tenths == tenths; });
  return found == mad::kSARates.end() ? std::nullopt : std::optional(found->code);
}

template <class Value, class Target>
bool store(const std::optional<Value>& value, Target& target) {
  if (value) target = static_cast<Target>(*value);
  return value.has_value();
}

bool set_scope(std::string_view text, GroupFlags& flags) {
  const auto scope = c_number(text, kHighestScope);
  if (!scope || *scope == 0) return false;
  flags.scopes = static_cast<std::uint16_t>(flags.scopes | 1u << *scope);
  return true;
}

bool set_sl(std::string_view text, GroupFlags& flags) {
  const bool good = store(c_number(text, kHighestSl), flags.sl.value);
  flags.sl_given = flags.sl_given || good;
  return good;
}

struct GroupFlag {
  std::string_view name;
  std::string_view values;  // for messages
  bool (*set)(std::string_view text, GroupFlags& flags);
};

static_assert(mad::kSARates.front().code == 2 && mad::kSARates.back().code == 25);

// In the order in which a beginning is looked for: "s" is a scope, not an SL.
constexpr std::array<GroupFlag, 7> kGroupFlags{{
    {"mtu", "1 to 5 (256 to 4096 bytes) or the number of bytes",
     [](std::string_view text, GroupFlags& flags) { return store(mtu_of(text), flags.mtu); }},
    {"rate", "a rate code from 2 to 25 (3 is 10 Gb/s) or a rate such as 100G",
     [](std::string_view text, GroupFlags& flags) { return store(rate_of(text), flags.rate); }},
    {"scope", "1 to 15", set_scope},
    {"Q_Key", "0 to 0xffffffff",
     [](std::string_view text, GroupFlags& flags) {
       return store(c_number(text, 0xffff'ffff), flags.q_key);
     }},
    {"TClass", "0 to 255",
     [](std::string_view text, GroupFlags& flags) {
       return store(c_number(text, 0xff), flags.t_class);
     }},
    {"sl", "0 to 15", set_sl},
    {"FlowLabel", "0 to 0xfffff",
     [](std::string_view text, GroupFlags& flags) {
       return store(c_number(text, kHighestFlowLabel), flags.flow_label);
     }},
}};

void warn_of_unknown(const Word& name, std::span<const std::string_view> known, bool has_value,
                     Diagnostics& diagnostics) {
  if (name.text.empty()) {
    diagnostics.warn(name.place,
                     fmt::format("an empty flag is ignored{}", has_value ? ", and its value" : ""));
    return;
  }
  diagnostics.warn(name.place, [&] {
    return fmt::format("{} is no flag and is ignored; the flags are {}{}", quoted(name.text),
                       fmt::join(known, ", "), suggestion(name.text, known));
  });
}

}  // namespace

bool apply_group_flag(const Setting& flag, GroupFlags& flags, Diagnostics& diagnostics) {
  const auto* const found = std::find_if(
      kGroupFlags.begin(), kGroupFlags.end(),
      [&](const GroupFlag& candidate) { return abbreviates(flag.name.text, candidate.name); });
  if (found == kGroupFlags.end()) return false;
  if (!flag.value) {
    diagnostics.warn(flag.name.place, fmt::format("'{}' needs a value and is ignored: {}",
                                                  found->name, found->values));
  } else if (!found->set(flag.value->text, flags)) {
    diagnostics.warn(flag.value->place,
                     fmt::format("{} is no value of '{}', which is ignored: {} could stand here",
                                 quoted(flag.value->text), found->name, found->values));
  }
  return true;
}

std::optional<Membership> membership_of(const Word& word, const LanguageOptions& options,
                                        Diagnostics& diagnostics) {
  if (abbreviates(word.text, "full")) return Membership::Full;
  if (abbreviates(word.text, "limited")) return Membership::Limited;
  if (!abbreviates(word.text, "both")) return std::nullopt;
  if (options.allow_both_pkeys) return Membership::Both;
  diagnostics.warn(word.place, "'both' means full here, because allow_both_pkeys is off");
  return Membership::Full;
}

void apply_head_flag(const Setting& flag, const LanguageOptions& options, HeadFlags& flags,
                     Diagnostics& diagnostics) {
  if (apply_group_flag(flag, flags.group, diagnostics)) return;
  if (abbreviates(flag.name.text, "ipoib")) {
    flags.ipoib = true;
  } else if (abbreviates(flag.name.text, "defmember")) {
    const Word value = flag.value.value_or(flag.name);
    const auto membership = flag.value ? membership_of(value, options, diagnostics) : std::nullopt;
    if (membership) {
      flags.membership = *membership;
    } else {
      diagnostics.warn(value.place,
                       fmt::format("'defmember' is ignored: {} should be full, limited or both{}",
                                   flag.value ? quoted(value.text) : "its value",
                                   flag.value ? suggestion(value.text, kMemberships) : ""));
    }
  } else if (flag.name.text == "indx0") {
    flags.index0 = true;
  } else {
    warn_of_unknown(flag.name, kHeadFlagNames, flag.value.has_value(), diagnostics);
  }
}

void apply_mgid_flag(const Setting& flag, GroupFlags& flags, Diagnostics& diagnostics) {
  if (!apply_group_flag(flag, flags, diagnostics)) {
    warn_of_unknown(flag.name, kMgidFlagNames, flag.value.has_value(), diagnostics);
  }
}

}  // namespace heddle::partitions
