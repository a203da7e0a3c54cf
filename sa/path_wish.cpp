// SPDX-License-Identifier: BSD-3-Clause
#include "sa/path_wish.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::PathRecord;
using mad::Selector;

constexpr auto kServiceId = component<&PathRecord::service_id>();
constexpr auto kMtu = component<&PathRecord::mtu>();
constexpr auto kMtuSelector = component<&PathRecord::mtu_selector>();
constexpr auto kRate = component<&PathRecord::rate>();
constexpr auto kRateSelector = component<&PathRecord::rate_selector>();
constexpr auto kLife = component<&PathRecord::packet_life_time>();
constexpr auto kLifeSelector = component<&PathRecord::packet_life_time_selector>();

// A path can be used below what it carries, not above. Nothing when the wish cannot be met.
template <class V>
std::optional<V> limit(Selector selector, V wanted, V carried, V least) {
  switch (selector) {
    case Selector::GreaterThan:
      if (carried <= wanted) return std::nullopt;
      return carried;
    case Selector::LessThan:
      if (wanted <= least) return std::nullopt;
      return carried < wanted ? carried : static_cast<V>(wanted - 1);
    case Selector::Exactly:
      if (carried < wanted) return std::nullopt;
      return wanted;
    case Selector::Best:
      return carried;
  }
  return carried;
}

// The other way round: a packet may be let live longer than the path needs, not shorter.
std::optional<std::uint8_t> life_limit(Selector selector, std::uint8_t wanted,
                                       std::uint8_t needed) {
  switch (selector) {
    case Selector::GreaterThan:
      if (needed <= wanted) return std::nullopt;
      return needed;
    case Selector::LessThan:
      if (needed >= wanted) return std::nullopt;
      return needed;
    case Selector::Exactly:
      if (needed > wanted) return std::nullopt;
      return wanted;
    case Selector::Best:
      return needed;
  }
  return needed;
}

}  // namespace

PathWish::PathWish(const Query& query, const PathRecord& wanted, const mad::PortInfo& client,
                   std::uint8_t highest_rate_code)
    : mask_(query.header.component_mask),
      wanted_(wanted),
      client_(client),
      highest_rate_code_(highest_rate_code),
      wanted_rate_(rate_counts() ? mad::rate_rank_of_code(wanted.rate) : std::nullopt) {}

bool PathWish::rate_counts() const {
  return asks(kRate) && asks(kRateSelector);
}

mad::Status PathWish::check() const {
  const bool half_a_service = (mask_ & kServiceId) != 0 && (mask_ & kServiceId) != kServiceId;
  if (half_a_service) return mad::kSAReqInvalid;
  const bool mtu_counts = asks(kMtu) && asks(kMtuSelector);
  if (mtu_counts && wanted_.mtu_selector != Selector::Best && mad::mtu_bytes(wanted_.mtu) == 0) {
    return mad::kSAReqInvalid;
  }
  if (rate_counts() && wanted_.rate_selector != Selector::Best && !wanted_rate_) {
    return mad::kSAReqInvalid;
  }
  return mad::kStatusOk;
}

bool PathWish::possible() const {
  return !asks(component<&PathRecord::raw_traffic>()) || !wanted_.raw_traffic;
}

bool PathWish::takes(mad::ServiceLevel level) const {
  return !asks(component<&PathRecord::sl>()) || wanted_.sl == level;
}

std::optional<mad::PKey> PathWish::wanted_p_key() const {
  if (!asks(component<&PathRecord::p_key>())) return std::nullopt;
  return wanted_.p_key;
}

std::optional<mad::ServiceLevel> PathWish::wanted_level() const {
  if (!asks(component<&PathRecord::sl>())) return std::nullopt;
  return wanted_.sl;
}

qos::Question PathWish::question() const {
  qos::Question question;
  if (asks(kServiceId)) question.service_id = wanted_.service_id;
  if (asks(component<&PathRecord::qos_class>())) question.qos_class = wanted_.qos_class;
  question.p_key = wanted_p_key();
  return question;
}

bool PathWish::wants_reversible() const {
  return asks(component<&PathRecord::reversible>()) && wanted_.reversible;
}

std::optional<PathWish::Terms> PathWish::fit(Reach reach, std::uint8_t packet_life_time,
                                             mad::PKey p_key) const {
  Terms terms{reach.mtu, told(reach.rate), packet_life_time, p_key};
  if (asks(kMtu) && asks(kMtuSelector)) {
    const auto mtu =
        limit(wanted_.mtu_selector, static_cast<std::uint8_t>(wanted_.mtu),
              static_cast<std::uint8_t>(terms.mtu), static_cast<std::uint8_t>(mad::Mtu::Bytes256));
    if (!mtu) return std::nullopt;
    terms.mtu = static_cast<mad::Mtu>(*mtu);
  }
  if (rate_counts()) {
    // One that is named need not be one that would be told.
    const auto carried = wanted_.rate_selector == Selector::Exactly ? reach.rate : terms.rate;
    const auto rate = limit<mad::RateRank>(wanted_.rate_selector, wanted_rate_.value_or(0), carried,
                                           mad::RateRank{0});
    if (!rate) return std::nullopt;
    // Who asks for a rate knows its code; a rate below it may be one that it does not.
    const bool chosen_by_us = wanted_.rate_selector == Selector::LessThan;
    terms.rate = chosen_by_us ? told(*rate) : *rate;
  }
  if (asks(kLife) && asks(kLifeSelector)) {
    const auto life =
        life_limit(wanted_.packet_life_time_selector, wanted_.packet_life_time, packet_life_time);
    if (!life) return std::nullopt;
    terms.packet_life_time = *life;
  }
  return terms;
}

void PathWish::fill(const Terms& terms, PathRecord& record) const {
  if (asks(kServiceId)) record.service_id = wanted_.service_id;
  if (asks(component<&PathRecord::flow_label>())) record.flow_label = wanted_.flow_label;
  if (asks(component<&PathRecord::t_class>())) record.t_class = wanted_.t_class;
  if (asks(component<&PathRecord::qos_class>())) record.qos_class = wanted_.qos_class;
  record.p_key = terms.p_key;
  record.mtu_selector = record.rate_selector = record.packet_life_time_selector = Selector::Exactly;
  record.mtu = terms.mtu;
  record.rate = mad::kSARates[terms.rate].code;
  record.packet_life_time = terms.packet_life_time;
}

}  // namespace heddle::sa
