// SPDX-License-Identifier: BSD-3-Clause
#include "routing/repair.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fabric/islands.hpp"
#include "routing/certificate.hpp"
#include "routing/column_mender.hpp"
#include "routing/damage.hpp"

namespace heddle::routing {
namespace {

using fabric::LidMap;
using fabric::SwitchIndex;
using fabric::Topology;

// A LID that has to be mended, and its number among all.
struct Task {
  mad::Lid lid{};
  std::size_t rank = 0;
  // The switch it leads to, and whether it is its own: where one LID of a kind needs new turns the
  // others do.
  std::uint32_t kind = 0;
};

// A mender with the right to new turns.
class Grower {
 public:
  Grower(const Damage& damage, bool few_turns)
      : mender_(damage), order_(std::make_shared<ChannelOrder>(damage.certificate.order())) {
    mender_.grow(*order_);
    if (few_turns) mender_.take_few_turns();
  }
  bool mend(const std::vector<Task>& tasks) {
    return std::all_of(tasks.begin(), tasks.end(),
                       [&](const Task& task) { return mender_.mend(task.lid, task.rank); });
  }
  std::shared_ptr<ChannelOrder> order() const { return order_; }
  // As it is now, for those who follow it while it grows.
  std::shared_ptr<const ChannelOrder> copied_order() const {
    return std::make_shared<const ChannelOrder>(*order_);
  }
  const Repair& found() const { return mender_.found(); }

 private:
  ColumnMender mender_;
  std::shared_ptr<ChannelOrder> order_;
};

// One of those that work at the same time, on LIDs that need no new turn.
struct Hand {
  // By the turns of `order`.
  void work(const Damage& damage, const ChannelOrder& order, std::size_t start) {
    if (tasks.empty()) return;
    if (!mender) mender.emplace(damage, start);
    mender->follow(order);
    std::vector<std::uint8_t> is_vain(2 * damage.now_at.size());
    for (const Task& task : std::exchange(tasks, {})) {
      if (is_vain[task.kind] == 0 && mender->mend(task.lid, task.rank)) continue;
      is_vain[task.kind] = 1;
      left.push_back(task);
    }
  }
  std::vector<Task> tasks, left;
  std::optional<ColumnMender> mender;
};

class Mending {
 public:
  Mending(const Damage& damage, const base::ParallelFor& parallel, const Beside& beside)
      : damage_(damage), parallel_(parallel), beside_(beside) {}

  std::optional<Repair> run(const Kinship* present) {
    deal_out();
    if (!mend_side_by_side() && !mend_one_by_one()) return std::nullopt;
    return collect(present);
  }

 private:
  // How many there are must not depend on the threads there are, or the ways would.
  static constexpr std::size_t kHands = ColumnMender::kStarts;

  static bool is_own(const Task& task) { return task.kind % 2 == 1; }

  // A switch that lost a link is hard to reach by turns that are there; so is what hangs on it.
  // Other switches without hosts mostly need no more than the turns that were added for that one.
  void deal_out() {
    std::vector<std::uint8_t> lost_one(damage_.now_at.size());
    for (const auto& [at, out] : damage_.gates) lost_one[at] = 1;
    for (std::size_t rank = 0; rank < damage_.affected.size(); ++rank) {
      const mad::Lid lid = damage_.affected[rank];
      const auto target = damage_.target_of(lid);
      if (!target) continue;  // it hangs on no switch
      const Task task{lid, rank, 2 * *target + (damage_.is_of_switch(lid) ? 1 : 0)};
      tasks_.push_back(task);
      if (lost_one[*target] != 0) {
        (is_own(task) ? hard_ : late_hard_).push_back(task);
      } else if (damage_.has_hosts[*target] != 0) {
        deal(task);
      } else {
        late_.push_back(task);
      }
    }
  }
  void deal(const Task& task) { hands_[dealt_++ % kHands].tasks.push_back(task); }

  // LIDs that need no new turn have no effect on one another. Those that do are mended one after
  // the other, and what was added for some is mostly enough for the rest. False if some are beyond
  // repair in this order.
  bool mend_side_by_side() {
    const auto home =
        std::shared_ptr<const ChannelOrder>(damage_.home.selected, &damage_.certificate.order());
    if (!work_beside(home, hard_, beside_)) return false;
    for (const Task& task : take_left()) deal(task);
    for (const Task& task : late_) deal(task);
    return work_beside(grower_ ? grown_order() : home, late_hard_, {}) && grow(take_left());
  }
  // With all turns there are now, and no more.
  std::shared_ptr<const ChannelOrder> grown_order() const {
    return late_hard_.empty() ? grower_->order() : grower_->copied_order();
  }
  // The hands by the turns of that order, which the grower does not touch.
  bool work_beside(const std::shared_ptr<const ChannelOrder>& order, const std::vector<Task>& needy,
                   const Beside& others) {
    bool grows = true;
    parallel_(1 + kHands + others.count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (i > kHands) {
          others.run(i - 1 - kHands);
        } else if (i > 0) {
          hands_[i - 1].work(damage_, *order, i - 1);
        } else if (!needy.empty()) {
          grows = grow(needy);
        }
      }
    });
    return grows;
  }

  // One after the other, with new turns.
  bool grow(const std::vector<Task>& tasks) {
    if (tasks.empty()) return true;
    if (!grower_) grower_.emplace(damage_, false);
    return grower_->mend(tasks);
  }
  std::vector<Task> take_left() {
    std::vector<Task> left;
    for (Hand& hand : hands_) {
      left.insert(left.end(), hand.left.begin(), hand.left.end());
      hand.left.clear();
    }
    std::sort(left.begin(), left.end(),
              [](const Task& a, const Task& b) { return a.rank < b.rank; });
    return left;
  }

  // All of them, as if nothing had been done. Switches' own LIDs have fewer ways; if they cannot
  // come first with as few new turns as will do, it is tried both the other way round.
  bool mend_one_by_one() {
    for (Hand& hand : hands_) hand.mender.reset();
    std::vector<Task> own, others;
    for (const Task& task : tasks_) (is_own(task) ? own : others).push_back(task);
    for (const auto& [own_first, few] : {std::pair(true, true), {false, false}, {false, true}}) {
      grower_.emplace(damage_, few);
      if (grower_->mend(own_first ? own : others) && grower_->mend(own_first ? others : own)) {
        return true;
      }
    }
    return false;
  }

  std::optional<Repair> collect(const Kinship* present) {
    Repair repair;
    for (const Hand& hand : hands_) {
      if (hand.mender) add(repair, hand.mender->found());
    }
    if (grower_) add(repair, grower_->found());
    if (present != nullptr && !grower_) grower_.emplace(damage_, false);
    if (present != nullptr) take_in(*present, *grower_->order());
    repair.places = (grower_ ? *grower_->order() : damage_.certificate.order()).positions();
    return repair;
  }
  static void add(Repair& repair, const Repair& found) {
    repair.entries.insert(repair.entries.end(), found.entries.begin(), found.entries.end());
    repair.added.insert(repair.added.end(), found.added.begin(), found.added.end());
    repair.moved += found.moved;
    repair.max_hops = std::max(repair.max_hops, found.max_hops);
    repair.longer += found.longer;
  }
  static void take_in(const Kinship& present, ChannelOrder& order) {
    for (const auto& [held, next] : present.added) {
      if (!order.has(held, next)) order.add(held, next);
    }
  }

  const Damage& damage_;
  const base::ParallelFor& parallel_;
  const Beside& beside_;
  std::vector<Task> tasks_;                    // all
  std::vector<Task> hard_, late_hard_, late_;  // of them, see deal_out
  std::array<Hand, kHands> hands_;
  std::size_t dealt_ = 0;
  std::optional<Grower> grower_;
};

std::uint64_t count_routes(const Topology& now, const Departure& departure) {
  const fabric::Islands islands(now);
  std::uint64_t routes = 0;
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    routes +=
        islands.members(islands.of(SwitchIndex{s})).size() * std::uint64_t{departure.lid_count[s]};
  }
  return routes;
}

// Home's rows, but those that change.
fabric::ForwardingTables written_over(const Home& home, const Departure& departure,
                                      const Repair& repair) {
  fabric::ForwardingTables tables(
      std::shared_ptr<const fabric::ForwardingTables>(home.selected, &home.selected->routes.tables),
      departure.at_home);
  for (const Repair::Entry& entry : repair.entries) tables.set(entry.at, entry.lid, entry.out);
  return tables;
}

}  // namespace

std::optional<Repair> repair(const Home& home, const Departure& departure, const Topology& now,
                             const LidMap& lids, const Kinship* present,
                             const base::ParallelFor& parallel, const Beside& beside) {
  const auto& certificate = home.selected->certificate;
  if (!certificate) return std::nullopt;
  const bool is_kin = present != nullptr && present->certificate == certificate;
  const Damage damage(home, departure, now, lids, *certificate);
  return Mending(damage, parallel, beside).run(is_kin ? present : nullptr);
}

std::string note_of(const Repair& repair) {
  if (repair.moved == 0) return "all LIDs keep the ways they had before the loss";
  return fmt::format("{} LIDs go around what was lost, by {} entries", repair.moved,
                     repair.entries.size());
}

Selected repaired(const Home& home, const Departure& departure, const Topology& now,
                  const Repair& repair, const base::ParallelFor& parallel) {
  const Selected& before = *home.selected;
  fabric::ForwardingTables tables;
  std::uint64_t routes = 0;
  parallel(2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t half = begin; half < end; ++half) {
      if (half == 0) tables = written_over(home, departure, repair);
      if (half == 1) routes = count_routes(now, departure);
    }
  });
  Selected selected{
      {before.routes.engine, std::move(tables), before.routes.notes, before.routes.lanes},
      before.proof,
      before.rejected,
      false,
      nullptr,
      std::make_shared<const Kinship>(
          Kinship{before.certificate, repair.places, repair.added, departure.at_home})};
  selected.routes.notes.push_back(note_of(repair));
  auto& proof = selected.proof;
  proof.routes = routes;
  proof.max_hops = std::max(proof.max_hops, repair.max_hops);
  proof.dependencies += repair.added.size();
  if (proof.routes > 0) {
    proof.mean_hops += static_cast<double>(repair.longer) / static_cast<double>(proof.routes);
  }
  return selected;
}

}  // namespace heddle::routing
