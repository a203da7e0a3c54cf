// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/terms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/component_mask.hpp"
#include "mad/link.hpp"
#include "mad/mgid.hpp"

namespace heddle::multicast {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Selector;

constexpr auto kMgid = component<&MCMemberRecord::mgid>();
constexpr auto kPortGid = component<&MCMemberRecord::port_gid>();
constexpr auto kQKey = component<&MCMemberRecord::q_key>();
constexpr auto kMlid = component<&MCMemberRecord::mlid>();
constexpr auto kTClass = component<&MCMemberRecord::t_class>();
constexpr auto kPKey = component<&MCMemberRecord::p_key>();
constexpr auto kSl = component<&MCMemberRecord::sl>();
constexpr auto kFlowLabel = component<&MCMemberRecord::flow_label>();
constexpr auto kHopLimit = component<&MCMemberRecord::hop_limit>();
constexpr auto kScope = component<&MCMemberRecord::scope>();
constexpr auto kJoinState = component<&MCMemberRecord::join_state>();

constexpr unsigned kMaxLife = 63;

// A value with its selector, in units that compare as they should. Nothing when the request leaves
// either of the two out, or asks for the best, which every value may be.
struct Wish {
  Selector selector{};
  unsigned value{};

  bool allows(unsigned offered) const {
    switch (selector) {
      case Selector::GreaterThan:
        return offered > value;
      case Selector::LessThan:
        return offered < value;
      case Selector::Exactly:
        return offered == value;
      case Selector::Best:
        return true;
    }
    return false;
  }

  // What is allowed and next to `preferred`, within least..most.
  std::optional<unsigned> choose(unsigned preferred, unsigned least, unsigned most) const {
    if (selector == Selector::GreaterThan) least = std::max(least, value + 1);
    if (selector == Selector::LessThan) {
      if (value == 0) return std::nullopt;
      most = std::min(most, value - 1);
    }
    if (selector == Selector::Exactly) {
      least = std::max(least, value);
      most = std::min(most, value);
    }
    if (least > most) return std::nullopt;
    return std::clamp(preferred, least, most);
  }
};

// Query: a value without its selector must be met exactly. In a join it does not count.
enum class Purpose : std::uint8_t { Join, Query };

template <auto Value, auto Sel>
std::optional<Wish> wish(const MCMemberRecord& wanted, std::uint64_t mask, Purpose purpose,
                         unsigned value) {
  if ((mask & component<Value>()) == 0) return std::nullopt;
  if ((mask & component<Sel>()) != 0) return Wish{wanted.*Sel, value};
  if (purpose == Purpose::Join) return std::nullopt;
  return Wish{Selector::Exactly, value};
}

struct Wishes {
  std::optional<Wish> mtu, rate, life;
};

// An error when the request names an MTU or a rate that does not exist.
base::Result<Wishes> wishes_of(const MCMemberRecord& wanted, std::uint64_t mask, Purpose purpose) {
  Wishes wishes;
  wishes.mtu = wish<&MCMemberRecord::mtu, &MCMemberRecord::mtu_selector>(
      wanted, mask, purpose, static_cast<unsigned>(wanted.mtu));
  if (wishes.mtu && wishes.mtu->selector != Selector::Best && mad::mtu_bytes(wanted.mtu) == 0) {
    return base::error(fmt::format("MTU code {} does not exist", wishes.mtu->value));
  }
  const auto rank = mad::rate_rank_of_code(wanted.rate);
  wishes.rate = wish<&MCMemberRecord::rate, &MCMemberRecord::rate_selector>(
      wanted, mask, purpose, rank.value_or(mad::RateRank{0}));
  if (wishes.rate && wishes.rate->selector != Selector::Best && !rank) {
    return base::error(no_such_rate(wanted.rate));
  }
  wishes.life = wish<&MCMemberRecord::packet_life_time, &MCMemberRecord::packet_life_time_selector>(
      wanted, mask, purpose, wanted.packet_life_time);
  return wishes;
}

unsigned rank_of(const MCMemberRecord& group) {
  return mad::rate_rank_of_code(group.rate).value_or(mad::RateRank{0});
}

std::string rate_text(unsigned rank) {
  const unsigned tenths = mad::kSARates[rank].tenths;
  return tenths % 10 == 0 ? fmt::format("{} Gb/s", tenths / 10)
                          : fmt::format("{}.{} Gb/s", tenths / 10, tenths % 10);
}

std::string_view words_of(Selector selector) {
  switch (selector) {
    case Selector::GreaterThan:
      return "more than ";
    case Selector::LessThan:
      return "less than ";
    default:
      return "";
  }
}

std::string mtu_wish(const Wish& wish) {
  return fmt::format("an MTU of {}{}", words_of(wish.selector),
                     mad::mtu_bytes(static_cast<mad::Mtu>(wish.value)));
}

std::string rate_wish(const Wish& wish) {
  return fmt::format("a rate of {}{}", words_of(wish.selector), rate_text(wish.value));
}

// A component that is simply equal or not, and is not.
struct Difference {
  const char* name;
  std::uint64_t asked;
  std::uint64_t has;
};

std::optional<Difference> first_difference(const MCMemberRecord& wanted, std::uint64_t mask,
                                           const MCMemberRecord& group) {
  struct Plain {
    std::uint64_t bit;
    Difference values;
  };
  const Plain all[] = {
      {kQKey, {"Q_Key", wanted.q_key, group.q_key}},
      {kTClass, {"TClass", wanted.t_class, group.t_class}},
      {kSl, {"SL", wanted.sl.value, group.sl.value}},
      {kFlowLabel, {"FlowLabel", wanted.flow_label, group.flow_label}},
      {kHopLimit, {"HopLimit", wanted.hop_limit, group.hop_limit}},
      {kPKey, {"P_Key", wanted.p_key.value & 0x7FFFu, group.p_key.value & 0x7FFFu}},
  };
  for (const Plain& one : all) {
    if ((mask & one.bit) != 0 && one.values.asked != one.values.has) return one.values;
  }
  return std::nullopt;
}

// What an IPoIB group must have in common with the broadcast group of its partition.
std::optional<std::string> disagreement(const MCMemberRecord& group, const MCMemberRecord& model) {
  const auto say = [&](const char* what) {
    return fmt::format("{} differs from that of the broadcast group {}", what, text_of(model.mgid));
  };
  if (group.q_key != model.q_key) return say("its Q_Key");
  if (group.mtu != model.mtu) return say("its MTU");
  if (group.rate != model.rate) return say("its rate");
  if (group.sl != model.sl) return say("its SL");
  return std::nullopt;
}

std::optional<std::string> bad_name(const MCMemberRecord& wanted) {
  if (wanted.mgid == mad::Gid{}) return std::nullopt;
  if (auto fault = fault_of(wanted.mgid)) return "the MGID " + *fault;
  if (signature_of(wanted.mgid) == mad::kMadeBySASignature) {
    return "the MGID is one that only subnet administration makes";
  }
  if (is_ipoib(wanted.mgid) && !same_partition(p_key_of(wanted.mgid), wanted.p_key)) {
    return fmt::format("the MGID holds P_Key {:#06x}, the request {:#06x}",
                       p_key_of(wanted.mgid).value, wanted.p_key.value);
  }
  return std::nullopt;
}

// What choose() would, next to it in a code that groups may have.
std::optional<unsigned> choose_rate(const Wish& asked, unsigned preferred, unsigned most,
                                    std::uint8_t highest_code) {
  const auto rate = asked.choose(preferred, 0, most);
  if (!rate || asked.selector == Selector::Exactly) return rate;
  const auto may_be = [&](unsigned rank) { return mad::kSARates[rank].code <= highest_code; };
  for (unsigned below = *rate + 1; below-- > 0 && asked.allows(below);) {
    if (may_be(below)) return below;
  }
  for (unsigned above = *rate; above <= most && asked.allows(above); ++above) {
    if (may_be(above)) return above;
  }
  return std::nullopt;
}

// Takes MTU, rate and life from the wishes; those of `model` or of policy where there are none.
std::optional<std::string> settle(const Wishes& wishes, const PortFacts& port, const Policy& policy,
                                  const MCMemberRecord* model, MCMemberRecord& record) {
  constexpr auto kLeastMtu = static_cast<unsigned>(mad::Mtu::Bytes256);
  constexpr Wish kAny{Selector::Best, 0};
  const auto port_mtu = static_cast<unsigned>(port.mtu);
  const auto usual_mtu = static_cast<unsigned>(model != nullptr ? model->mtu : policy.default_mtu);
  const Wish mtu_asked = wishes.mtu.value_or(kAny);
  const bool best_mtu = wishes.mtu && wishes.mtu->selector == Selector::Best;
  const auto mtu = mtu_asked.choose(best_mtu ? port_mtu : usual_mtu, kLeastMtu, port_mtu);
  if (!mtu) {
    return fmt::format("{} can do an MTU of {}, {} is asked for", name_of(port),
                       mad::mtu_bytes(port.mtu), mtu_wish(mtu_asked));
  }
  const unsigned usual_rate = model != nullptr ? rank_of(*model) : policy.default_rate;
  const Wish rate_asked = wishes.rate.value_or(kAny);
  const bool best_rate = wishes.rate && wishes.rate->selector == Selector::Best;
  const auto highest_code = model != nullptr ? mad::kAllRateCodes : policy.highest_rate_code;
  const auto rate =
      choose_rate(rate_asked, best_rate ? port.rate : usual_rate, port.rate, highest_code);
  if (!rate) {
    return fmt::format("{} runs at {}, {} is asked for", name_of(port), rate_text(port.rate),
                       rate_wish(rate_asked));
  }
  const auto life = wishes.life.value_or(kAny).choose(policy.packet_life_time, 0, kMaxLife);
  if (!life) return "no packet lifetime is what is asked for";
  record.mtu = static_cast<mad::Mtu>(*mtu);
  record.rate = mad::kSARates[*rate].code;
  record.packet_life_time = static_cast<std::uint8_t>(*life);
  return std::nullopt;
}

}  // namespace

bool names_member(std::uint64_t mask) {
  constexpr auto kNeeded = kMgid | kPortGid | kJoinState;
  return (mask & kNeeded) == kNeeded;
}

bool names_new_group(std::uint64_t mask) {
  constexpr auto kNeeded = kQKey | kPKey | kTClass | kSl | kFlowLabel;
  return names_member(mask) && (mask & kNeeded) == kNeeded;
}

std::string name_of(const PortFacts& port) {
  return port.name.empty() ? "port " + base::hex(port.port.value) : std::string(port.name);
}

std::string no_such_rate(std::uint8_t code) {
  return fmt::format("rate code {} does not exist: they are {} to {}", code,
                     mad::kSARates.front().code, mad::kSARates.back().code);
}

std::optional<std::string> out_of_reach(const PortFacts& port, const MCMemberRecord& group) {
  const bool member_of_key = !port.has_p_key || port.has_p_key(group.p_key);
  if (!member_of_key) {
    return fmt::format("{} is not in partition {:#06x}, which the group is in", name_of(port),
                       group.p_key.value);
  }
  if (port.mtu < group.mtu) {
    return fmt::format("{} can do an MTU of {}, the group needs {}", name_of(port),
                       mad::mtu_bytes(port.mtu), mad::mtu_bytes(group.mtu));
  }
  if (port.rate < rank_of(group)) {
    return fmt::format("{} runs at {}, the group needs {}", name_of(port), rate_text(port.rate),
                       rate_text(rank_of(group)));
  }
  return std::nullopt;
}

std::optional<std::string> contradiction(const MCMemberRecord& wanted, std::uint64_t mask,
                                         const MCMemberRecord& group) {
  if (const auto one = first_difference(wanted, mask, group)) {
    return fmt::format("{} {:#x} is asked for, the group has {:#x}", one->name, one->asked,
                       one->has);
  }
  const auto wishes = wishes_of(wanted, mask, Purpose::Join);
  if (!wishes) return wishes.error().message;
  if (wishes->mtu && !wishes->mtu->allows(static_cast<unsigned>(group.mtu))) {
    return fmt::format("{} is asked for, the group has {}", mtu_wish(*wishes->mtu),
                       mad::mtu_bytes(group.mtu));
  }
  if (wishes->rate && !wishes->rate->allows(rank_of(group))) {
    return fmt::format("{} is asked for, the group has {}", rate_wish(*wishes->rate),
                       rate_text(rank_of(group)));
  }
  if (wishes->life && !wishes->life->allows(group.packet_life_time)) {
    return fmt::format("the group has packet lifetime code {}, another is asked for",
                       group.packet_life_time);
  }
  return std::nullopt;
}

base::Result<MCMemberRecord> terms_of(const Request& request, const Policy& policy,
                                      const MCMemberRecord* model) {
  const MCMemberRecord& wanted = request.wanted;
  if (!is_p_key(wanted.p_key)) return base::error("the P_Key is invalid");
  if (auto fault = bad_name(wanted)) return base::error(std::move(*fault));
  const auto wishes = wishes_of(wanted, request.mask, Purpose::Join);
  if (!wishes) return wishes.error();
  if (model != nullptr) {
    if (const auto reason = out_of_reach(request.port, *model)) {
      return base::error(
          fmt::format("as of its broadcast group {}, {}", text_of(model->mgid), *reason));
    }
  }
  MCMemberRecord record = wanted;
  record.port_gid = {};
  record.join_state = 0;
  record.proxy_join = false;
  if ((request.mask & kMlid) == 0) record.mlid = mad::kNoLid;
  record.mtu_selector = record.rate_selector = Selector::Exactly;
  record.packet_life_time_selector = Selector::Exactly;
  if ((request.mask & kHopLimit) == 0) record.hop_limit = model != nullptr ? model->hop_limit : 0;
  const bool scope_counts = wanted.mgid == mad::Gid{} && (request.mask & kScope) != 0;
  record.scope = scope_counts ? wanted.scope : mad::kLinkLocalScope;
  if (wanted.mgid != mad::Gid{}) record.scope = scope_of(wanted.mgid);
  if (record.scope == 0) return base::error("a group needs a scope other than 0");
  if (auto refusal = settle(*wishes, request.port, policy, model, record)) {
    return base::error(std::move(*refusal));
  }
  if (model != nullptr) {
    if (auto text = disagreement(record, *model)) return base::error(std::move(*text));
  }
  return record;
}

bool has_terms(const MCMemberRecord& wanted, std::uint64_t mask, const MCMemberRecord& group) {
  if (first_difference(wanted, mask, group)) return false;
  if ((mask & kMlid) != 0 && wanted.mlid != group.mlid) return false;
  if ((mask & kScope) != 0 && wanted.scope != group.scope) return false;
  const auto wishes = wishes_of(wanted, mask, Purpose::Query);
  if (!wishes) return false;
  return (!wishes->mtu || wishes->mtu->allows(static_cast<unsigned>(group.mtu))) &&
         (!wishes->rate || wishes->rate->allows(rank_of(group))) &&
         (!wishes->life || wishes->life->allows(group.packet_life_time));
}

}  // namespace heddle::multicast
