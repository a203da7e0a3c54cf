// SPDX-License-Identifier: BSD-3-Clause
#include "routing/companies.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using fabric::SwitchIndex;

namespace {

// The same for the same ports that lead to the same switches, and hardly ever for others.
std::uint64_t mark(std::span<const fabric::Channel> channels) {
  std::uint64_t mixed = 0;
  for (const fabric::Channel& channel : channels) {
    mixed ^= channel.to.value ^ std::uint64_t{channel.out.value} << 32;
    mixed *= 0x9E37'79B9'7F4A'7C15;
    mixed ^= mixed >> 29;
  }
  return mixed;
}

}  // namespace

// The lowest ports or the highest: mostly all that lead up stand together. Who has kin elsewhere
// deals alone, and no worse.
std::vector<std::uint8_t> Companies::with_kin(const fabric::Topology& topology, std::size_t few) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> marked;  // some of the ports, and the switch
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto channels = topology.channels_from(SwitchIndex{s});
    if (channels.size() < few) continue;
    marked.emplace_back(mark(channels.first(few)), s);
    marked.emplace_back(mark(channels.last(few)), s);
  }
  std::sort(marked.begin(), marked.end());
  std::vector<std::uint8_t> with_kin(topology.switch_count());
  for (std::size_t i = 1; i < marked.size(); ++i) {
    const auto& [one, a] = marked[i - 1];
    const auto& [other, b] = marked[i];
    if (one == other && a != b) with_kin[a] = with_kin[b] = 1;
  }
  return with_kin;
}

Companies::Companies(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
                     const std::vector<std::uint8_t>& with_kin, PortCosts& costs)
    : channels_(channels),
      hosts_(hosts),
      with_kin_(with_kin),
      costs_(costs),
      company_(hosts.size(), kNone),
      seeks_(hosts.size()) {}

void Companies::gather() {
  if (is_worth_it()) seeks_ = with_kin_;
}

void Companies::disband() {
  ++target_;
  for (std::uint32_t s = 0; s < company_.size(); ++s) leave(SwitchIndex{s});
  std::fill(seeks_.begin(), seeks_.end(), std::uint8_t{0});
}

void Companies::begin_target(SwitchIndex target) {
  ++target_;
  leave(target);
}

void Companies::deal_for(Company& company, SwitchIndex dealer,
                         std::span<const std::uint16_t> traffic) {
  company.target = target_;
  company.dealer = dealer;
  company.costs.leave_subtree(costs_.subtrees());
  company.before = company.costs;
  company.traffic.assign(traffic.begin(), traffic.end());
  company.loads.clear();
}

void Companies::leave_company(SwitchIndex at) {
  const std::uint32_t index = company_[at.value];
  Company& company = companies_[index];
  ChoiceCosts& costs = has_dealt(company) ? company.before : company.costs;
  costs.leave_subtree(costs_.subtrees());
  costs_.give(at, costs);
  company_[at.value] = kNone;
  if (--company.size == 0) empty_.push_back(index);
}

Companies::Company* Companies::join_or_found(SwitchIndex at, std::span<const std::uint8_t> choices,
                                             std::span<const std::uint16_t> traffic) {
  seeks_[at.value] = 0;
  if (founded_for_ != target_) founded_.clear();
  founded_for_ = target_;
  costs_.in_order(at, choices);
  costs_.take(at, own_);
  const std::uint32_t next = channels_.to[channels_.first[at.value] + choices.front()];
  const auto [first, end] = founded_.equal_range(next);
  const auto known = std::find_if(first, end, [&](const auto& one) {
    return would_take(companies_[one.second], at, choices, traffic);
  });
  ++(known != end ? joiners_ : founders_);
  const std::uint32_t index =
      known != end ? known->second : founded_.emplace(next, found(at, choices))->second;
  company_[at.value] = index;
  ++companies_[index].size;
  return &companies_[index];
}

bool Companies::would_take(const Company& company, SwitchIndex at,
                           std::span<const std::uint8_t> choices,
                           std::span<const std::uint16_t> traffic) const {
  const std::uint32_t first = channels_.first[at.value];
  const auto leads_the_same = [&](std::uint8_t position, std::size_t i) {
    return channels_.to[first + position] == company.to[i] &&
           channels_.out[first + position] == company.out[i];
  };
  if (company.size == 0 || company.to.size() != choices.size()) return false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!leads_the_same(choices[i], i)) return false;
  }
  return company.hosts == hosts_[at.value] && company.before.in_order == own_.in_order &&
         company.before.at_beginning == own_.at_beginning && is_same(company.traffic, traffic);
}

std::uint32_t Companies::found(SwitchIndex at, std::span<const std::uint8_t> choices) {
  if (empty_.empty()) {
    empty_.push_back(static_cast<std::uint32_t>(companies_.size()));
    companies_.emplace_back();
  }
  const std::uint32_t index = empty_.back();
  empty_.pop_back();
  Company& company = companies_[index];
  company.size = 0;
  company.target = 0;
  company.costs = own_;
  company.hosts = hosts_[at.value];
  company.to.clear();
  company.out.clear();
  for (const std::uint8_t position : choices) {
    company.to.push_back(channels_.to[channels_.first[at.value] + position]);
    company.out.push_back(channels_.out[channels_.first[at.value] + position]);
  }
  return index;
}

}  // namespace heddle::routing
