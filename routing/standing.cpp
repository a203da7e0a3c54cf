// SPDX-License-Identifier: BSD-3-Clause
#include "routing/standing.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fabric/islands.hpp"

namespace heddle::routing {
namespace {

using fabric::ForwardingTables;
using fabric::kNoChannel;
using fabric::LidMap;
using fabric::SwitchIndex;
using fabric::Topology;

// Follows one destination's entries from every switch; what is known of a switch is known of all
// before it on the way.
class Column {
 public:
  Column(const Topology& topology, const ForwardingTables& tables)
      : topology_(topology), tables_(tables), verdict_(topology.switch_count()) {}

  template <class Concerns>
  bool arrives(mad::Lid lid, fabric::Topology::Attachment goal, const Concerns& concerns) {
    std::fill(verdict_.begin(), verdict_.end(), Verdict::Unknown);
    verdict_[goal.at.value] =
        tables_.out_port(goal.at, lid) == goal.out ? Verdict::Arrives : Verdict::Fails;
    for (std::uint32_t s = 0; s < verdict_.size(); ++s) {
      if (concerns(SwitchIndex{s}) && !follow(SwitchIndex{s}, lid)) return false;
    }
    return true;
  }

 private:
  enum class Verdict : std::uint8_t { Unknown, OnTheWay, Arrives, Fails };

  bool follow(SwitchIndex at, mad::Lid lid) {
    way_.clear();
    while (verdict_[at.value] == Verdict::Unknown) {
      verdict_[at.value] = Verdict::OnTheWay;
      way_.push_back(at);
      const auto out = tables_.out_port(at, lid);
      if (out.value > topology_.node(at).port_count) break;
      const auto channel = topology_.channel_by_port(at, out);
      if (channel == kNoChannel) break;
      at = topology_.channels()[channel.value].to;
    }
    const bool well = verdict_[at.value] == Verdict::Arrives;
    for (const SwitchIndex passed : way_) {
      verdict_[passed.value] = well ? Verdict::Arrives : Verdict::Fails;
    }
    return well;
  }

  const Topology& topology_;
  const ForwardingTables& tables_;
  std::vector<Verdict> verdict_;  // by switch
  std::vector<SwitchIndex> way_;
};

std::optional<Selected> with_standing(const Topology& topology, const LidMap& lids,
                                      const Policy& policy, const Home& standing, Routes fresh,
                                      const base::ParallelFor& parallel) {
  if (fresh.lanes.vls != 1) return std::nullopt;
  const auto columns = columns_that_arrive(topology, lids, standing.selected->routes.tables);
  const auto kept = std::count(columns.begin(), columns.end(), true);
  const auto departure = departure_from(standing, topology, lids, policy);
  if (kept == 0 || !departure.comparable) return std::nullopt;
  take_columns(standing, departure, columns, fresh.tables);
  fresh.notes.push_back(
      fmt::format("{} LIDs keep the ways that another subnet manager gave them", kept));
  return select_if_proven(topology, lids, policy, std::move(fresh), {}, parallel);
}

}  // namespace

std::vector<bool> columns_that_arrive(const Topology& topology, const LidMap& lids,
                                      const ForwardingTables& tables) {
  const fabric::Islands islands(topology);
  Column column(topology, tables);
  std::vector<bool> arrive(std::size_t{lids.top().value} + 1);
  for (std::size_t number = 1; number < arrive.size(); ++number) {
    const mad::Lid lid{static_cast<std::uint16_t>(number)};
    const auto owner = lids.owner(lid);
    const auto goal = owner == fabric::kNoPort ? std::nullopt : topology.attachment(owner);
    arrive[number] = goal && column.arrives(lid, *goal, [&](SwitchIndex at) {
      return islands.of(at) == islands.of(goal->at);
    });
  }
  return arrive;
}

base::Result<std::shared_ptr<const Selected>> select_standing(const Topology& topology,
                                                              const LidMap& lids,
                                                              const Policy& policy,
                                                              const Home& standing,
                                                              const base::ParallelFor& parallel) {
  std::vector<SwitchIndex> same(topology.switch_count());
  for (std::uint32_t s = 0; s < same.size(); ++s) same[s] = SwitchIndex{s};
  Routes left{"standing",
              ForwardingTables({standing.selected, &standing.selected->routes.tables}, same),
              {"the routes that another subnet manager left"}};
  if (auto whole = select_if_proven(topology, lids, policy, std::move(left), {}, parallel)) {
    return std::make_shared<const Selected>(std::move(*whole));
  }
  const Refine refine = [&](const Routes& fresh) {
    return with_standing(topology, lids, policy, standing, fresh, parallel);
  };
  auto selected = select_routes(topology, lids, policy, parallel, refine);
  if (!selected) return selected.error();
  return std::make_shared<const Selected>(std::move(*selected));
}

}  // namespace heddle::routing
