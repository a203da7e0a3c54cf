// SPDX-License-Identifier: BSD-3-Clause
#include "routing/kept_entries.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "fabric/dependencies.hpp"
#include "fabric/survey.hpp"
#include "fabric/verification.hpp"
#include "routing/certificate.hpp"
#include "routing/trial.hpp"

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;
using fabric::ForwardingTables;
using fabric::kNowhere;
using fabric::SwitchIndex;

// What packets to a LID may wait for from now to the end.
class Passage {
 public:
  Passage(const fabric::Survey& survey, const Halfway& halfway)
      : survey_(survey), halfway_(halfway), passed_(survey.has_hosts.size()) {}

  bool changes(mad::Lid lid) const {
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (now(s, lid) != in_the_end(s, lid)) return true;
    }
    return false;
  }

  // Calls visit(held, next) for channels of the topology, the same ones more than once.
  template <class Visit>
  void for_each(mad::Lid lid, const Visit& visit) {
    mark_passed(lid);
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (!passed_[s]) continue;
      const ChannelIndex before = channel(s, now(s, lid)), after = channel(s, in_the_end(s, lid));
      if (before != fabric::kNoChannel) {
        const std::uint32_t next = leads_to(before);
        visit_pair(before, channel(next, now(next, lid)), visit);
        visit_pair(before, channel(next, in_the_end(next, lid)), visit);
      }
      if (after == fabric::kNoChannel) continue;
      const std::uint32_t next = leads_to(after);
      visit_pair(after, channel(next, in_the_end(next, lid)), visit);
    }
  }

 private:
  template <class Visit>
  static void visit_pair(ChannelIndex held, ChannelIndex next, const Visit& visit) {
    if (next != fabric::kNoChannel) visit(held, next);
  }

  // To a host everybody may send; to a switch, or to nobody, only hosts do.
  void mark_passed(mad::Lid lid) {
    const bool is_host = lid.value < survey_.targets.size() &&
                         survey_.targets[lid.value].at != kNowhere &&
                         survey_.targets[lid.value].switch_row == kNowhere;
    std::fill(passed_.begin(), passed_.end(), is_host);
    if (is_host) return;
    std::vector<std::uint32_t> found;
    const auto meet = [&](std::uint32_t at) {
      if (at == kNowhere || passed_[at]) return;
      passed_[at] = true;
      found.push_back(at);
    };
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (survey_.has_hosts[s] != 0) meet(s);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      meet(survey_.wiring.step(found[i], now(found[i], lid)));
      meet(survey_.wiring.step(found[i], in_the_end(found[i], lid)));
    }
  }

  std::uint8_t now(std::uint32_t at, mad::Lid lid) const {
    return halfway_.now.out_port(SwitchIndex{at}, lid).value;
  }
  std::uint8_t in_the_end(std::uint32_t at, mad::Lid lid) const {
    return halfway_.in_the_end.out_port(SwitchIndex{at}, lid).value;
  }
  ChannelIndex channel(std::uint32_t at, std::uint8_t out) const {
    return survey_.topology.channel_by_entry(SwitchIndex{at}, out);
  }
  std::uint32_t leads_to(ChannelIndex channel) const {
    return survey_.topology.channels()[channel.value].to.value;
  }

  const fabric::Survey& survey_;
  const Halfway& halfway_;
  std::vector<bool> passed_;  // by switch
};

}  // namespace

std::vector<mad::Lid> lids_that_lock(const fabric::Topology& topology, const fabric::LidMap& lids,
                                     const Halfway& halfway,
                                     const std::vector<mad::Lid>& candidates,
                                     const base::ParallelFor& parallel) {
  if (candidates.empty()) return {};
  if (halfway.lanes.vls > 1) {
    const auto proof = fabric::verify(topology, lids, halfway.in_the_end, halfway.lanes, parallel);
    return proof.deadlock_free() ? std::vector<mad::Lid>{} : candidates;
  }
  const ForwardingTables& others = halfway.withheld;
  std::optional<fabric::Dependencies> dependencies;
  fabric::verify(topology, lids, others, {}, parallel, {}, &dependencies);
  const fabric::Survey survey(topology, lids, others);
  Passage passage(survey, halfway);
  for (std::uint16_t value = 1; value < others.row_size(); ++value) {
    const mad::Lid lid{value};
    const bool is_candidate =
        std::find(candidates.begin(), candidates.end(), lid) != candidates.end();
    if (is_candidate || !passage.changes(lid)) continue;
    passage.for_each(lid, [&](ChannelIndex held, ChannelIndex next) {
      const SwitchIndex via = topology.channels()[held.value].to;
      dependencies->add(held, next.value - topology.first_channel(via).value);
    });
  }
  const auto certificate = Certificate::make(topology, *dependencies);
  if (!certificate) return candidates;
  std::vector<mad::Lid> locking;
  Trial trial(topology, *certificate);
  for (const mad::Lid lid : candidates) {
    passage.for_each(lid, [&](ChannelIndex held, ChannelIndex next) { trial.add(held, next); });
    if (!trial.fits()) locking.push_back(lid);
    trial.end(trial.fits());
  }
  return locking;
}

}  // namespace heddle::routing
