// SPDX-License-Identifier: BSD-3-Clause
#include "routing/transition.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "fabric/counterparts.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/survey.hpp"
#include "fabric/verification.hpp"
#include "routing/kin_transition.hpp"
#include "routing/lane_clashes.hpp"
#include "routing/mixtures.hpp"
#include "routing/trial.hpp"

namespace heddle::routing {
namespace {

using fabric::kLftBlockLids;
using fabric::kNowhere;
using fabric::SwitchIndex;
using fabric::Topology;

// The old table of each switch of now; null where it held none.
std::vector<const std::uint8_t*> old_rows(const Topology& topology, const InPlace& in_place) {
  std::vector<const std::uint8_t*> rows(topology.switch_count(), nullptr);
  for (std::uint32_t s = 0; s < rows.size(); ++s) {
    const auto& node = topology.node(SwitchIndex{s});
    const auto before = in_place.topology->find_node(node.guid);
    if (!before || !in_place.topology->is_switch(*before)) continue;
    if (in_place.topology->node(*before).port_count != node.port_count) continue;
    rows[s] = in_place.tables->row(SwitchIndex{before->value}).data();
  }
  return rows;
}

std::vector<SwitchIndex> beside_losses(const Topology& topology, const Topology& before) {
  std::vector<SwitchIndex> beside;
  const fabric::Counterparts counterparts(topology, before);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto old = counterparts.switch_at(SwitchIndex{s});
    if (!old || before.node(*old).port_count != topology.node(SwitchIndex{s}).port_count) continue;
    const auto channels = before.channels_from(*old);
    const bool lost = std::any_of(channels.begin(), channels.end(), [&](const auto& channel) {
      return topology.channel_by_port(SwitchIndex{s}, channel.out) == fabric::kNoChannel;
    });
    if (lost) beside.push_back(SwitchIndex{s});
  }
  return beside;
}

ChangedColumns compare(const fabric::Survey& survey, const std::vector<const std::uint8_t*>& rows,
                       const InPlace& in_place, const fabric::ForwardingTables& tables,
                       const base::ParallelFor& parallel) {
  const std::size_t blocks = tables.block_count();
  const std::vector<std::uint64_t> none(blocks);
  ChangedColumns found{none, none, none, none, std::vector<std::vector<Transition::Late>>(blocks)};
  parallel(blocks, [&](std::size_t begin, std::size_t end) {
    TwoColumns columns(survey.wiring, rows, in_place.tables->row_size(), tables);
    for (std::size_t block = begin; block < end; ++block) {
      const auto differing = columns.load(block);
      found.changed[block] = differing.changed;
      found.replaced[block] = differing.replaced;
      for_each_bit(differing.replaced, [&](std::size_t i) {
        if (!columns.may_circle(i)) return;
        found.circling[block] |= std::uint64_t{1} << i;
        const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + i)};
        if (!columns.put_in_order(i, lid, found.late[block])) {
          found.endless[block] |= std::uint64_t{1} << i;
        }
      });
    }
  });
  return found;
}

// Each mixture's dependencies together with everything that does not change.
bool closes_loop(const Mixture& mixture, fabric::Dependencies dependencies,
                 const base::ParallelFor& parallel) {
  const auto& topology = mixture.survey.topology;
  parallel(mixture.found.changed.size(), [&](std::size_t begin, std::size_t end) {
    TwoColumns columns = mixture.columns();
    Mixer mixer(mixture.survey);
    const auto add = [&](fabric::ChannelIndex held, fabric::ChannelIndex next) {
      const SwitchIndex via = topology.channels()[held.value].to;
      dependencies.add(held, next.value - topology.first_channel(via).value);
    };
    for (std::size_t block = begin; block < end; ++block) {
      if (mixture.replaced(block) == 0) continue;
      columns.load(block);
      for_each_bit(mixture.replaced(block), [&](std::size_t i) {
        const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + i)};
        mixer.for_each(columns, i, lid, mixture.in_order(block, i), add);
      });
    }
  });
  return !dependencies.find_cycle().empty();
}

// The old entries, as tables of now.
fabric::ForwardingTables old_tables(const Mixture& mixture) {
  const auto& wanted = mixture.wanted.routes.tables;
  fabric::ForwardingTables tables(wanted.switch_count(),
                                  {static_cast<std::uint16_t>(wanted.row_size() - 1)});
  const std::size_t size = std::min(wanted.row_size(), mixture.in_place.tables->row_size());
  for (std::uint32_t s = 0; s < wanted.switch_count(); ++s) {
    if (mixture.rows[s] == nullptr) continue;
    std::copy_n(mixture.rows[s], size, tables.row(SwitchIndex{s}).begin());
  }
  return tables;
}

// Those that do not fit in with the ones before them, while the others are as they were (which
// those are that will be emptied) or as they are wanted.
std::vector<std::uint64_t> columns_that_clash(const Mixture& mixture,
                                              const fabric::Dependencies& wanted,
                                              const base::ParallelFor& parallel) {
  const auto& topology = mixture.survey.topology;
  std::optional<fabric::Dependencies> before;
  fabric::verify(topology, mixture.lids, old_tables(mixture), {}, parallel, {}, &before);
  const auto certificate = Certificate::make(topology, wanted);
  const auto old_certificate = Certificate::make(topology, *before);
  if (!certificate || !old_certificate) return mixture.found.changed;
  std::vector<std::uint64_t> clash(mixture.found.changed.size());
  Trial trial(topology, *certificate), old_trial(topology, *old_certificate);
  TwoColumns columns = mixture.columns();
  Mixer mixer(mixture.survey);
  for (std::size_t block = 0; block < clash.size(); ++block) {
    if (mixture.mixed(block) == 0) continue;
    columns.load(block);
    for_each_bit(mixture.mixed(block), [&](std::size_t i) {
      const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + i)};
      mixer.for_each(columns, i, lid, mixture.in_order(block, i), [&](auto held, auto next) {
        trial.add(held, next);
        old_trial.add(held, next);
      });
      const bool fits = trial.fits() && old_trial.fits();
      trial.end(fits);
      old_trial.end(fits);
      if (!fits) clash[block] |= std::uint64_t{1} << i;
    });
  }
  return clash;
}

// As if there were one lane: what closes no loop on one closes none on several. Where lanes are
// needed nearly everything that changes may clash, and what is in place may need others.
std::vector<std::uint64_t> find_clashes(const Mixture& mixture, const base::ParallelFor& parallel) {
  // One by one takes time; where so much changes, a short break for all of it is the lesser evil.
  constexpr std::size_t kMostTried = 2'000'000;  // entries
  std::vector<std::uint64_t> mixed(mixture.found.changed.size());
  std::uint64_t replaced = 0;
  for (std::size_t block = 0; block < mixed.size(); ++block) {
    mixed[block] = mixture.mixed(block);
    replaced |= mixture.replaced(block);
  }
  if (replaced == 0) return {};
  if (auto clashes = clashes_on_lanes(mixture, parallel)) return *std::move(clashes);
  std::optional<fabric::Dependencies> dependencies;
  fabric::verify(mixture.survey.topology, mixture.lids, mixture.wanted.routes.tables, {}, parallel,
                 {}, &dependencies);
  if (!closes_loop(mixture, *dependencies, parallel)) return {};
  if (count_bits(mixed) * mixture.survey.topology.switch_count() > kMostTried) return mixed;
  return columns_that_clash(mixture, *dependencies, parallel);
}

void arrange(const ChangedColumns& found, const std::vector<std::uint64_t>& clashes,
             const fabric::ForwardingTables& tables, Transition& transition) {
  std::vector<std::uint64_t> emptied = found.endless;
  for (std::size_t block = 0; block < clashes.size(); ++block) emptied[block] |= clashes[block];
  std::size_t late = 0;
  for (const auto& entries : found.late) late += entries.size();
  if (late > Transition::kMostLate) {
    for (std::size_t block = 0; block < emptied.size(); ++block) {
      emptied[block] |= found.circling[block];
    }
  }
  const auto is_emptied = [&](mad::Lid lid) {
    return (emptied[lid.value / kLftBlockLids] >> (lid.value % kLftBlockLids) & 1) != 0;
  };
  for (const auto& entries : found.late) {
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(transition.late),
                 [&](const auto& entry) { return !is_emptied(entry.lid); });
  }
  std::sort(transition.late.begin(), transition.late.end(), [](const auto& a, const auto& b) {
    return a.at != b.at ? a.at < b.at : a.lid < b.lid;
  });
  for (const auto& entry : transition.late) {
    transition.steps = std::max(transition.steps, entry.step + 1u);
  }
  if (count_bits(emptied) == 0) return;
  transition.steps = std::max(transition.steps, 2u);
  transition.emptied.resize(tables.row_size());
  for (std::uint16_t lid = 0; lid < transition.emptied.size(); ++lid) {
    transition.emptied[lid] = is_emptied(mad::Lid{lid});
  }
}

}  // namespace

Transition plan_transition(const Topology& topology, const fabric::LidMap& lids,
                           const Selected& wanted, const InPlace& in_place,
                           const base::ParallelFor& parallel) {
  Transition transition;
  if (in_place.topology == nullptr || in_place.tables == nullptr) return transition;
  const auto& tables = wanted.routes.tables;
  if (in_place.tables.get() == &tables) return transition;
  auto beside = beside_losses(topology, *in_place.topology);
  if (auto plan = plan_among_kin(topology, lids, wanted, in_place, parallel)) {
    plan->beside_losses = std::move(beside);
    return *std::move(plan);
  }
  transition.beside_losses = std::move(beside);
  const auto rows = old_rows(topology, in_place);
  const fabric::Survey survey(topology, lids, tables);
  const ChangedColumns columns = compare(survey, rows, in_place, tables, parallel);
  transition.changed = count_bits(columns.changed);
  transition.circling = count_bits(columns.circling);
  const auto clashes = find_clashes({survey, lids, wanted, rows, in_place, columns}, parallel);
  transition.clashing = count_bits(clashes);
  arrange(columns, clashes, tables, transition);
  return transition;
}

std::size_t Transition::emptied_count() const {
  return static_cast<std::size_t>(std::count(emptied.begin(), emptied.end(), true));
}

std::span<const Transition::Late> Transition::late_of(SwitchIndex at) const {
  const auto before = [](const Late& entry, SwitchIndex of) { return entry.at < of; };
  const auto first = std::lower_bound(late.begin(), late.end(), at, before);
  const auto last = std::lower_bound(first, late.end(), SwitchIndex{at.value + 1}, before);
  return {first, last};
}

std::span<const Transition::Late> Transition::late_of(SwitchIndex at, std::size_t block) const {
  if (late.empty()) return {};
  const auto entries = late_of(at);
  const auto before = [](const Late& entry, std::size_t lid) { return entry.lid.value < lid; };
  const std::size_t begin = block * kLftBlockLids;
  const auto first = std::lower_bound(entries.begin(), entries.end(), begin, before);
  const auto last = std::lower_bound(first, entries.end(), begin + kLftBlockLids, before);
  return {first, last};
}

}  // namespace heddle::routing
