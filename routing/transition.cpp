// SPDX-License-Identifier: BSD-3-Clause
#include "routing/transition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "fabric/dependencies.hpp"
#include "fabric/survey.hpp"
#include "fabric/verification.hpp"
#include "routing/kin_transition.hpp"
#include "routing/trial.hpp"

namespace heddle::routing {
namespace {

using fabric::kLftBlockLids;
using fabric::kNowhere;
using fabric::SwitchIndex;
using fabric::Topology;

constexpr std::uint8_t kEmpty = mad::kNoPortNumber.value;

// A block without a route.
constexpr std::array<std::uint8_t, kLftBlockLids> kNone = [] {
  std::array<std::uint8_t, kLftBlockLids> none{};
  none.fill(kEmpty);
  return none;
}();

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

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

std::size_t count_bits(const std::vector<std::uint64_t>& words) {
  std::size_t sum = 0;
  for (const std::uint64_t word : words) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

// Entries of one block of LIDs, old and new, each LID's of all switches side by side.
class TwoColumns {
 public:
  TwoColumns(const fabric::Wiring& wiring, const std::vector<const std::uint8_t*>& old_rows,
             std::size_t old_size, const fabric::ForwardingTables& wanted)
      : wiring_(wiring),
        old_rows_(old_rows),
        old_size_(old_size),
        wanted_(wanted),
        switches_(old_rows.size()),
        old_(kLftBlockLids * switches_),
        new_(kLftBlockLids * switches_),
        pending_(switches_) {}

  // Bits of the LIDs in the block that have other entries somewhere, and of those among them that
  // have another one in place of one that led somewhere.
  struct Differing {
    std::uint64_t changed = 0;
    std::uint64_t replaced = 0;
  };
  Differing load(std::size_t block) {
    Differing found;
    const std::size_t at = block * kLftBlockLids;
    for (std::size_t s = 0; s < switches_; ++s) {
      const auto fresh = wanted_.block(SwitchIndex{static_cast<std::uint32_t>(s)}, block);
      const bool held = old_rows_[s] != nullptr && at < old_size_;
      const std::uint8_t* before = held ? old_rows_[s] + at : kNone.data();
      if (std::memcmp(before, fresh.data(), kLftBlockLids) == 0) continue;
      for (std::size_t i = 0; i < kLftBlockLids; ++i) {
        if (before[i] == fresh[i]) continue;
        found.changed |= std::uint64_t{1} << i;
        if (before[i] != kEmpty) found.replaced |= std::uint64_t{1} << i;
      }
    }
    if (found.changed != 0) transpose(block);
    return found;
  }

  // Of replaced ones. Whether packets to the LID could go round where some switches hold old
  // entries, some new ones.
  bool may_circle(std::size_t index) {
    std::fill(pending_.begin(), pending_.end(), 0);
    for (std::uint32_t s = 0; s < switches_; ++s) {
      for_each_next(index, s, [&](std::uint32_t next) { ++pending_[next]; });
    }
    settled_.clear();
    for (std::uint32_t s = 0; s < switches_; ++s) {
      if (pending_[s] == 0) settled_.push_back(s);
    }
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      for_each_next(index, settled_[i], [&](std::uint32_t next) {
        if (--pending_[next] == 0) settled_.push_back(next);
      });
    }
    return settled_.size() < switches_;
  }

  // The entries that must wait for others. False if they would need more steps than there are.
  bool put_in_order(std::size_t index, mad::Lid lid, std::vector<Transition::Late>& late) {
    constexpr std::uint32_t kUnknown = 0xFFFF'FFFF;
    std::fill(pending_.begin(), pending_.end(), kUnknown);  // here: changed ones from here on
    const std::size_t before = late.size();
    for (std::uint32_t s = 0; s < switches_; ++s) {
      settled_.clear();
      std::uint32_t at = s;
      while (at != kNowhere && pending_[at] == kUnknown && settled_.size() <= switches_) {
        settled_.push_back(at);
        at = wiring_.step(at, outs(index, at)[1]);
      }
      if (settled_.size() > switches_) {  // goes round by itself: nobody's LID
        late.resize(before);
        return false;
      }
      std::uint32_t behind = at == kNowhere ? 0 : pending_[at];
      for (; !settled_.empty(); settled_.pop_back()) {
        const std::uint32_t here = settled_.back();
        const auto [old, now] = outs(index, here);
        if (old != now) ++behind;
        pending_[here] = behind;
        if (old == now || behind == 1) continue;
        late.push_back({SwitchIndex{here}, lid, static_cast<std::uint8_t>(behind - 1)});
        if (behind <= Transition::kMostSteps) continue;
        late.resize(before);
        return false;
      }
    }
    return true;
  }

  // Old and new; the same twice where nothing changed.
  std::array<std::uint8_t, 2> outs(std::size_t index, std::uint32_t at) const {
    return {old_[index * switches_ + at], new_[index * switches_ + at]};
  }

  template <class Visit>
  void for_each_next(std::size_t index, std::uint32_t at, const Visit& visit) const {
    const auto [before, now] = outs(index, at);
    const std::uint32_t first = wiring_.step(at, before);
    if (first != kNowhere) visit(first);
    if (before == now) return;
    const std::uint32_t second = wiring_.step(at, now);
    if (second != kNowhere && second != first) visit(second);
  }

 private:
  void transpose(std::size_t block) {
    const std::size_t at = block * kLftBlockLids;
    for (std::size_t s = 0; s < switches_; ++s) {
      const auto fresh = wanted_.block(SwitchIndex{static_cast<std::uint32_t>(s)}, block);
      const bool held = old_rows_[s] != nullptr && at < old_size_;
      for (std::size_t i = 0; i < kLftBlockLids; ++i) {
        old_[i * switches_ + s] = held ? old_rows_[s][at + i] : kEmpty;
        new_[i * switches_ + s] = fresh[i];
      }
    }
  }

  const fabric::Wiring& wiring_;
  const std::vector<const std::uint8_t*>& old_rows_;
  std::size_t old_size_;
  const fabric::ForwardingTables& wanted_;
  std::size_t switches_;
  std::vector<std::uint8_t> old_, new_;
  std::vector<std::uint32_t> pending_;  // by switch: ways in that are not settled yet
  std::vector<std::uint32_t> settled_;
};

// What packets of channel adapters to one LID may wait for, in any mixture; or, if they are written
// in order, in any where whoever has a new entry sends to such as have theirs.
class Mixer {
 public:
  explicit Mixer(const fabric::Survey& survey)
      : survey_(survey), passed_(survey.has_hosts.size()) {}

  // Calls visit(held, next) for channels of the topology, the same ones more than once.
  template <class Visit>
  void for_each(const TwoColumns& columns, std::size_t index, mad::Lid lid, bool in_order,
                const Visit& visit) {
    mark_passed(columns, index, lid);
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (!passed_[s]) continue;
      const auto [before, now] = columns.outs(index, s);
      visit_from(columns, index, s, before, false, visit);
      if (before != now) visit_from(columns, index, s, now, in_order, visit);
    }
  }

 private:
  // To a host everybody may send; to a switch, or to nobody, only hosts do.
  void mark_passed(const TwoColumns& columns, std::size_t index, mad::Lid lid) {
    const bool owned = lid.value < survey_.targets.size() &&
                       survey_.targets[lid.value].at != kNowhere &&
                       survey_.targets[lid.value].switch_row == kNowhere;
    std::fill(passed_.begin(), passed_.end(), owned);
    if (owned) return;
    found_.clear();
    const auto meet = [this](std::uint32_t at) {
      if (passed_[at]) return;
      passed_[at] = true;
      found_.push_back(at);
    };
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (survey_.has_hosts[s] != 0) meet(s);
    }
    for (std::size_t i = 0; i < found_.size(); ++i) columns.for_each_next(index, found_[i], meet);
  }

  template <class Visit>
  void visit_from(const TwoColumns& columns, std::size_t index, std::uint32_t at, std::uint8_t out,
                  bool only_new, const Visit& visit) const {
    const auto held = channel_of(SwitchIndex{at}, out);
    if (held == fabric::kNoChannel) return;
    const SwitchIndex next = survey_.topology.channels()[held.value].to;
    const auto [before, now] = columns.outs(index, next.value);
    for (const std::uint8_t then : {only_new ? now : before, now}) {
      const auto onward = channel_of(next, then);
      if (onward != fabric::kNoChannel) visit(held, onward);
    }
  }

  fabric::ChannelIndex channel_of(SwitchIndex at, std::uint8_t out) const {
    return survey_.topology.channel_by_entry(at, out);
  }

  const fabric::Survey& survey_;
  std::vector<bool> passed_;  // by switch
  std::vector<std::uint32_t> found_;
};

std::vector<SwitchIndex> beside_losses(const Topology& topology, const Topology& before) {
  std::vector<SwitchIndex> beside;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto& node = topology.node(SwitchIndex{s});
    const auto old = before.find_node(node.guid);
    if (!old || !before.is_switch(*old) || before.node(*old).port_count != node.port_count)
      continue;
    const auto channels = before.channels_from(SwitchIndex{old->value});
    const bool lost = std::any_of(channels.begin(), channels.end(), [&](const auto& channel) {
      return topology.channel_by_port(SwitchIndex{s}, channel.out) == fabric::kNoChannel;
    });
    if (lost) beside.push_back(SwitchIndex{s});
  }
  return beside;
}

// By block of LIDs, a bit each.
struct Columns {
  std::vector<std::uint64_t> changed, replaced, circling, endless;
  std::vector<std::vector<Transition::Late>> late;
};

Columns compare(const fabric::Survey& survey, const std::vector<const std::uint8_t*>& rows,
                const InPlace& in_place, const fabric::ForwardingTables& tables,
                const base::ParallelFor& parallel) {
  const std::size_t blocks = tables.block_count();
  const std::vector<std::uint64_t> none(blocks);
  Columns found{none, none, none, none, std::vector<std::vector<Transition::Late>>(blocks)};
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

// All that the finding of credit loops needs.
struct Mixture {
  const fabric::Survey& survey;
  const fabric::LidMap& lids;
  const Selected& wanted;
  const std::vector<const std::uint8_t*>& rows;
  const InPlace& in_place;
  const Columns& found;

  std::uint64_t mixed(std::size_t block) const {
    return found.changed[block] & ~found.endless[block];
  }
  // What is new where nothing was can only do in part what all of it does, which is among what is
  // wanted. It matters nevertheless beside old entries that are emptied.
  std::uint64_t replaced(std::size_t block) const { return found.replaced[block] & mixed(block); }
  bool in_order(std::size_t block, std::size_t index) const {
    return (found.circling[block] >> index & 1) != 0;
  }
  TwoColumns columns() const {
    return {survey.wiring, rows, in_place.tables->row_size(), wanted.routes.tables};
  }
};

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
  std::optional<fabric::Dependencies> dependencies;
  fabric::verify(mixture.survey.topology, mixture.lids, mixture.wanted.routes.tables, {}, parallel,
                 {}, &dependencies);
  if (!closes_loop(mixture, *dependencies, parallel)) return {};
  if (count_bits(mixed) * mixture.survey.topology.switch_count() > kMostTried) return mixed;
  return columns_that_clash(mixture, *dependencies, parallel);
}

void arrange(const Columns& found, const std::vector<std::uint64_t>& clashes,
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
  const Columns columns = compare(survey, rows, in_place, tables, parallel);
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
