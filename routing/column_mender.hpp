// SPDX-License-Identifier: BSD-3-Clause
// The work of a repair on one LID after another: who sent its packets over what was lost gets
// another way. See routing/repair.hpp for what such a way must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/islands.hpp"
#include "mad/types.hpp"
#include "routing/channel_order.hpp"
#include "routing/damage.hpp"
#include "routing/repair.hpp"

namespace heddle::routing {

// Scratch memory, and what was found so far. Several may work at the same time on LIDs of their
// own, as long as only those that have an order to themselves add to it.
class ColumnMender {
 public:
  // So many may start differently, and then spread LIDs over ports that are equally good as one
  // would that mended them all.
  static constexpr std::size_t kStarts = 4;

  // Follows home's order at first: only what needs no new turn is mended. `start`: below kStarts.
  explicit ColumnMender(const Damage& damage, std::size_t start = 0);

  // From now on another order, which outlives this, to add new turns to or only to follow.
  void grow(ChannelOrder& order) { order_ = growing_ = &order; }
  void follow(const ChannelOrder& order) {
    order_ = &order;
    growing_ = nullptr;
  }
  // New turns only where there is no way without, one at a time.
  void take_few_turns() { few_turns_ = true; }

  // False if it needs new turns and there may be none: nothing was changed then. False, too, if it
  // is beyond repair; what was found is of no use then. `rank` numbers the LIDs, so that they take
  // turns among ways that are equally good.
  bool mend(mad::Lid lid, std::size_t rank);

  // The entries of each LID stand together. Without places.
  const Repair& found() const { return repair_; }

 private:
  static constexpr std::uint32_t kNone = Damage::kNone;
  // Of one column, and of the attempt that `stamp` says.
  struct Way {
    std::uint32_t stamp = 0;
    std::uint32_t hops = 0;  // to the target
    std::uint32_t channel = 0;
    bool known = false;  // to a switch's own LID, and all its dependencies are there
  };
  struct Far {
    mad::Lid lid{};
    std::uint32_t hops = 0;
  };
  // Of one attempt.
  struct Comers {
    std::uint32_t stamp = 0;
    std::uint32_t begin = 0, end = 0;
  };

  bool begin_column(mad::Lid lid, std::size_t rank);
  bool may_step_aside() const;
  bool is_led_by_known_turns(std::uint32_t at) const;
  bool step_aside();
  bool go_around();
  bool is_unused(std::uint32_t at);
  bool is_alone(std::uint32_t at);
  bool sidestep(std::uint32_t at, std::uint32_t longer, bool is_free);
  std::uint32_t next_turn(std::uint32_t turn, std::uint32_t count) const {
    if (backward_) return (turn == 0 ? count : turn) - 1;
    return turn + 1 == count ? 0 : turn + 1;
  }
  bool may_lead_on(std::uint32_t held);
  bool leads_on(std::uint32_t held) const;
  // Whether home's entry at the other end of a channel leads here by its reverse.
  bool comes_by(std::uint32_t c) const {
    const std::uint32_t before = channels_.to[c];
    return entry(before) == certificate_.back(c) && is_comer(before);
  }
  bool is_comer(std::uint32_t before) const {
    return before != target_ && damage_.now_at[before] != kNone;
  }
  std::span<const std::uint32_t> comers_of(std::uint32_t at);
  void mark_comers(std::uint32_t at);
  bool is_left(std::uint32_t at);
  void find_behind(std::uint32_t at);
  void settle_found();
  bool are_mended() const;
  void find_other_ways();
  void begin();
  void take_as_broken(std::uint32_t at);
  void find_gates();
  void find_broken(bool all);
  bool has_other_port(std::uint32_t at);
  std::uint32_t hops_of(std::uint32_t at);
  std::uint32_t count_hops(std::uint32_t at);
  void put(std::uint32_t at, std::uint32_t hops);
  void settle_all();
  void settle(std::size_t most);
  void begin_freeing();
  void settle_freed();
  void free_neighbours();
  bool carries(std::uint32_t at);
  void free_all();
  bool lay(std::uint32_t at, std::uint32_t hops);
  std::uint32_t choose(std::uint32_t at, std::uint32_t present);
  std::uint32_t fewest_turns() const;
  std::uint32_t new_turns(std::uint32_t held, std::uint32_t most) const;
  bool may_use(std::uint32_t at, std::uint32_t channel);
  bool add(std::uint32_t held, std::uint32_t next);
  bool withdraw();
  bool tell();
  void tell_way(std::uint32_t at);
  void find_used();
  void note_detours();
  std::uint32_t home_hops(std::uint32_t at);
  void note(std::uint32_t at, std::uint8_t out);

  std::uint8_t entry(std::uint32_t at) const { return entries_.entry(fabric::SwitchIndex{at}); }
  bool is_broken(std::uint32_t at) const { return broken_[at] == attempt_; }
  bool is_moved(std::uint32_t at) const { return is_broken(at) && column_[at].stamp == attempt_; }
  // What was not there is there now only if it was added.
  bool may_be_known(const Way& way) const {
    return way.known || !own_lid_ || repair_.added.size() > added_before_;
  }
  bool is_settled(std::uint32_t at) const {
    return !is_broken(at) || column_[at].stamp == attempt_;
  }
  // Packets of hosts go to the LIDs of hosts from anywhere, to those of switches only from where
  // there are hosts (fabric::verify).
  bool is_unbound(std::uint32_t at) const {
    return own_lid_ && damage_.has_hosts[at] == 0 && !bound_;
  }

  const Damage& damage_;
  const bool backward_;  // the ports, from the last to the first
  const Certificate& certificate_;
  const CompactChannels& channels_;
  ChannelOrder* growing_ = nullptr;  // null: no new turns
  const ChannelOrder* order_;        // the same, or one that is only followed
  bool few_turns_ = false;           // see settle_all
  std::uint32_t moved_for_ = kNone;  // the channel for whose sake the order had to move others
  Repair repair_;
  // Of one LID.
  mad::Lid lid_{};
  fabric::ForwardingTables::Column entries_;  // of home
  std::size_t rank_ = 0;
  std::uint32_t target_ = 0;
  bool own_lid_ = false;          // a switch's
  bool freely_ = false;           // see settle_freed
  bool bound_ = false;            // what is unbound shall be bound, too
  std::size_t broken_count_ = 0;  // of found_, before more were freed
  bool only_known_ = false;       // no dependency may be added
  bool lacks_turns_ = false;      // one would have been added, if that were allowed
  std::uint32_t attempt_ = 0;
  std::size_t added_before_ = 0;       // dependencies, before this attempt
  std::vector<std::uint32_t> broken_;  // by switch: the last attempt in which it was
  // By switch: the last attempt in which it was, or in which nobody can step aside to it.
  std::vector<std::uint32_t> barred_;
  std::vector<std::uint32_t> found_;   // those that are
  std::vector<Way> column_;            // by switch
  std::vector<std::uint64_t> tried_;   // by switch: numbers of hops
  std::vector<std::uint32_t> used_;    // by switch: the last attempt whose entry counts
  std::vector<std::uint32_t> turn_;    // by switch: where sidestep looks first
  std::vector<Far> far_;               // by switch: see home_hops
  std::vector<std::uint32_t> unused_;  // by switch: the last attempt in which it is known to be
  std::vector<std::uint32_t> stepped_, stuck_, behind_;
  std::vector<Comers> comers_at_;      // by switch: see comers_of
  std::vector<std::uint32_t> comers_;  // of all for whom they were asked
  std::vector<std::uint64_t> open_;    // see mark_comers
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::uint32_t last_bucket_ = 0;
  std::vector<std::uint32_t> mended_, path_;
  std::vector<std::uint32_t> choices_, unsettled_;  // of lay: channels, and switches
  std::vector<std::uint32_t> known_, unknown_;      // choices without new turns, and with such
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked_;  // of unknown_: new turns, channel
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
  std::optional<fabric::Islands> islands_;
};

}  // namespace heddle::routing
