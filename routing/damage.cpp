// SPDX-License-Identifier: BSD-3-Clause
#include "routing/damage.hpp"

#include <algorithm>

namespace heddle::routing {

using fabric::SwitchIndex;

Damage::Damage(const Home& whole, const Departure& departure, const fabric::Topology& left,
               const fabric::LidMap& lids, const Certificate& channels_of_home)
    : home(whole),
      now(left),
      certificate(channels_of_home),
      channels(certificate.channels()),
      tables(whole.selected->routes.tables),
      now_at(whole.topology->switch_count(), kNone),
      lost(channels.count(), 0),
      has_hosts(now_at.size()) {
  for (std::uint32_t s = 0; s < departure.at_home.size(); ++s) {
    now_at[departure.at_home[s].value] = s;
    has_hosts[departure.at_home[s].value] = departure.has_hosts[s];
  }
  for (const auto& port : departure.lost) {
    gates.emplace_back(departure.at_home[port.at.value].value, port.out.value);
  }
  find_lost();
  find_affected(lids);
}

void Damage::find_lost() {
  for (std::uint32_t at = 0; at < now_at.size(); ++at) {
    if (now_at[at] != kNone) continue;
    std::fill(lost.begin() + channels.first[at], lost.begin() + channels.first[at + 1], 1);
  }
  for (const auto& [at, out] : gates) lost[certificate.channel(at, out)] = 1;
}

void Damage::find_affected(const fabric::LidMap& lids) {
  std::vector<std::uint8_t> passes(std::size_t{lids.top().value} + 1);
  for (const auto& [at, out] : gates) {
    const auto row = tables.row(SwitchIndex{at});
    const std::size_t count = std::min(row.size(), passes.size());
    for (std::size_t lid = 1; lid < count; ++lid) passes[lid] |= row[lid] == out;
  }
  std::vector<mad::Lid> of_others;
  for (std::size_t number = 1; number < passes.size(); ++number) {
    if (passes[number] == 0) continue;
    const mad::Lid lid{static_cast<std::uint16_t>(number)};
    if (lids.owner(lid) == fabric::kNoPort || home.lids->owner(lid) == fabric::kNoPort) continue;
    (is_of_switch(lid) ? affected : of_others).push_back(lid);
  }
  affected.insert(affected.end(), of_others.begin(), of_others.end());
}

std::optional<std::uint32_t> Damage::target_of(mad::Lid lid) const {
  const auto place = home.topology->attachment(home.lids->owner(lid));
  if (!place) return std::nullopt;
  return place->at.value;
}

bool Damage::is_of_switch(mad::Lid lid) const {
  return home.topology->is_switch(home.topology->node_of(home.lids->owner(lid)));
}

}  // namespace heddle::routing
