// SPDX-License-Identifier: BSD-3-Clause
// Switches that stand alike deal alike: in a regular fabric one of hundreds decides for all of them
// which way each LID goes, and the others only do the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "routing/counter_rows.hpp"
#include "routing/port_costs.hpp"

namespace heddle::routing {

// A company are switches that know the same of the same choices: these leave by the same ports,
// lead to the same switches and cost the same. What a company decides for one target depends only
// on that and on the traffic that comes to a member, so members to which the same comes decide the
// same and stay together; the others leave it, with the costs from before that target.
class Companies {
 public:
  struct Company {
    std::size_t size = 0;                // members
    std::uint64_t target = 0;            // the latest one it dealt for
    ChoiceCosts costs;                   // now
    ChoiceCosts before;                  // that target
    std::vector<std::uint32_t> to;       // by choice: the switch it leads to
    std::vector<std::uint8_t> out;       // by choice: the port it leaves by
    std::uint32_t hosts = 0;             // of each member
    std::vector<std::uint16_t> traffic;  // by column: what came for that target
    // What that target's LIDs brought farther: place of a counter, and how much.
    std::vector<std::pair<std::uint32_t, std::uint16_t>> loads;
    fabric::SwitchIndex dealer{};  // where that was decided
  };

  // By switch, whether there may be others with so many of its ports that lead to the same switches
  // by the same ports: it suffices to look for company there.
  static std::vector<std::uint8_t> with_kin(const fabric::Topology& topology, std::size_t few);

  // Keeps references. hosts, with_kin: by switch.
  Companies(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
            const std::vector<std::uint8_t>& with_kin, PortCosts& costs);

  // Who deals next may look for company, if that was worth it so far.
  void gather();
  // Everybody is alone, and stays so until they gather.
  void disband();
  // Another target's turn, where nothing is decided at that switch itself.
  void begin_target(fabric::SwitchIndex target);

  // The company in which the switch deals for this target; none if it is alone. Valid until this is
  // asked again. traffic: a row, by column, from farther away.
  Company* of(fabric::SwitchIndex at, std::span<const std::uint8_t> choices,
              std::span<const std::uint16_t> traffic) {
    const std::uint32_t index = company_[at.value];
    if (index == kNone)
      return seeks_[at.value] != 0 ? join_or_found(at, choices, traffic) : nullptr;
    Company& company = companies_[index];
    if (company.size > 1 && costs_.are_those(at, choices) &&
        (!has_dealt(company) || is_same(company.traffic, traffic))) {
      return &company;
    }
    const bool alone = company.size == 1;
    leave_company(at);
    return alone || !is_worth_it() ? nullptr : join_or_found(at, choices, traffic);
  }
  // By which a switch's company is known until it leaves it; kNone if it is alone.
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  std::uint32_t number_of(fabric::SwitchIndex at) const { return company_[at.value]; }
  const Company& numbered(std::uint32_t number) const { return companies_[number]; }
  // Whether it has dealt for this target: then the others do the same.
  bool has_dealt(const Company& company) const { return company.target == target_; }
  // It is about to deal, and this switch does it for all.
  void deal_for(Company& company, fabric::SwitchIndex dealer,
                std::span<const std::uint16_t> traffic);

  // Its costs are its own again, if they were not.
  void leave(fabric::SwitchIndex at) {
    if (company_[at.value] != kNone) leave_company(at);
  }

 private:
  bool is_worth_it() const { return joiners_ >= founders_; }
  static bool is_same(std::span<const Counter> a, std::span<const Counter> b) {
    return are_same_rows(a.data(), b.data(), b.size());
  }
  void leave_company(fabric::SwitchIndex at);
  Company* join_or_found(fabric::SwitchIndex at, std::span<const std::uint8_t> choices,
                         std::span<const std::uint16_t> traffic);
  bool would_take(const Company& company, fabric::SwitchIndex at,
                  std::span<const std::uint8_t> choices,
                  std::span<const std::uint16_t> traffic) const;
  std::uint32_t found(fabric::SwitchIndex at, std::span<const std::uint8_t> choices);

  const CompactChannels& channels_;
  const std::vector<std::uint32_t>& hosts_;
  const std::vector<std::uint8_t>& with_kin_;
  PortCosts& costs_;
  std::uint64_t target_ = 0;  // how many there have been
  std::vector<Company> companies_;
  std::vector<std::uint32_t> empty_;    // of these
  std::vector<std::uint32_t> company_;  // by switch
  std::vector<std::uint8_t> seeks_;     // by switch: it has not looked for any since they gathered
  // Those that were founded for this target, by the switch that the first choice leads to.
  std::unordered_multimap<std::uint32_t, std::uint32_t> founded_;
  std::uint64_t founded_for_ = 0;
  std::size_t founders_ = 0, joiners_ = 0;
  ChoiceCosts own_;  // of the switch in hand
};

}  // namespace heddle::routing
