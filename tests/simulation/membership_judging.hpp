// SPDX-License-Identifier: BSD-3-Clause
// Whoever is a member of a group, as subnet administration tells it, must be reached by every other
// member, once, through the switches' own tables.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/devices.hpp"
#include "sim/walker.hpp"
#include "tests/simulation/ipoib_client.hpp"

namespace heddle::test {

struct GroupVerdict {
  std::string complaint;  // empty when all is right
  std::set<sim::PortIndex> members;
};

// The first client asks.
inline GroupVerdict judge_group(Box& box, std::vector<IpoibClient>& clients, const mad::Gid& mgid) {
  GroupVerdict verdict;
  mad::MCMemberRecord wanted;
  wanted.mgid = mgid;
  const auto told =
      clients.front().ask(mad::Method::GetTable, mad::component<&mad::MCMemberRecord::mgid>(),
                          wanted, sm::Options{}.sm_key);
  if (told.status() != mad::kStatusOk) return {"the group cannot be asked for", {}};
  mad::Lid mlid{};
  const sim::Devices& devices = box.world().devices();
  for (const auto& record : told.records) {
    mlid = record.mlid;
    for (std::uint32_t node = 0; node < devices.nodes.size(); ++node) {
      const sim::PortIndex port = devices.first_endpoint(node);
      if (devices.port_guid(port) == record.port_gid.guid) verdict.members.insert(port);
    }
  }
  for (const sim::PortIndex from : verdict.members) {
    const auto spread = sim::spread(devices, from, {mlid});
    std::set<sim::PortIndex> reached(spread.reached.begin(), spread.reached.end());
    reached.insert(from);
    if (!spread.loops.empty()) verdict.complaint = "a packet went round in a circle";
    if (!spread.twice.empty()) verdict.complaint = "a packet came twice";
    if (reached != verdict.members) {
      verdict.complaint = fmt::format("{} reaches {} of {} members", sim::describe(devices, from),
                                      reached.size(), verdict.members.size());
    }
  }
  return verdict;
}

}  // namespace heddle::test
