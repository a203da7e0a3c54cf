// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/verification.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/lane_walk.hpp"
#include "fabric/lid_walks.hpp"
#include "fabric/row_looks.hpp"
#include "fabric/survey.hpp"

namespace heddle::fabric {
namespace {

// By switch: whether packets to the LID may pass it, which some host sends.
std::vector<bool> passed_by_hosts(const Survey& survey, mad::Lid lid) {
  std::vector<bool> passed(survey.has_hosts.size());
  for (std::uint32_t from = 0; from < passed.size(); ++from) {
    if (survey.has_hosts[from] == 0) continue;
    for (std::uint32_t at = from; at != kNowhere && !passed[at];) {
      passed[at] = true;
      at = survey.wiring.step(at, survey.tables.row(SwitchIndex{at})[lid.value]);
    }
  }
  return passed;
}

std::vector<Departed> ways_of(const Survey& survey, const std::vector<DepartedLid>& departed) {
  std::vector<Departed> ways;
  for (const DepartedLid& gone : departed) {
    if (gone.lid.value >= survey.tables.row_size()) continue;
    ways.push_back({gone.lid, {}});
    if (gone.was_switch) ways.back().passed = passed_by_hosts(survey, gone.lid);
  }
  return ways;
}

std::string channel_text(const Topology& topology, ChannelIndex index) {
  const Channel& channel = topology.channels()[index.value];
  const Node& from = topology.node(channel.from);
  return fmt::format("{}/{}",
                     from.description.empty() ? base::hex(from.guid.value) : from.description,
                     channel.out.value);
}

}  // namespace

Verification verify(const Topology& topology, const LidMap& lids, const ForwardingTables& tables,
                    const Lanes& lanes, const base::ParallelFor& parallel,
                    const std::vector<DepartedLid>& departed, std::optional<Dependencies>* graph) {
  HEDDLE_CHECK(tables.switch_count() == topology.switch_count());
  Survey survey(topology, lids, tables);
  LidWalks walks(survey);
  walks.walk(parallel);
  const bool has_lanes = lanes.vls != 1;
  std::optional<Dependencies> dependencies;
  if (!has_lanes) dependencies.emplace(topology);
  const auto ways = has_lanes ? std::vector<Departed>{} : ways_of(survey, departed);
  RowLooks(survey, walks, ways).look(dependencies ? &*dependencies : nullptr, parallel);
  walks.walk_astray(parallel);
  Verification result = walks.sum();
  if (!has_lanes) {
    result.dependencies = dependencies->count();
    result.credit_cycle = dependencies->find_cycle();
    if (graph != nullptr) *graph = std::move(dependencies);
    return result;
  }
  LaneWalk walk(survey, lanes);
  walk.forward(parallel);
  result.dependencies = walk.dependencies().count();
  result.credit_cycle = walk.dependencies().find_cycle();
  if (result.credit_cycle.empty()) {
    if (graph != nullptr) *graph = walk.dependencies();
    walk.replies(parallel);
    result.reply_cycle = walk.dependencies().find_cycle();
  }
  if (graph != nullptr && (!*graph || result.reply_cycle.empty())) *graph = walk.take();
  return result;
}

std::string describe_cycle(const Topology& topology, const std::vector<LaneChannel>& cycle) {
  const bool has_lanes =
      std::any_of(cycle.begin(), cycle.end(), [](const LaneChannel& at) { return at.vl != 0; });
  const auto name = [&](const LaneChannel& at) {
    const std::string channel = channel_text(topology, at.channel);
    return has_lanes ? fmt::format("{} VL {}", channel, at.vl) : channel;
  };
  std::string text;
  for (const LaneChannel& at : cycle) text += name(at) + " -> ";
  return cycle.empty() ? text : text + name(cycle.front());
}

}  // namespace heddle::fabric
