// SPDX-License-Identifier: BSD-3-Clause
// What routing/column_mender.hpp is on one VL, where packets keep to lanes: whose way led over what
// was lost gets another one, on which they have the levels they had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/islands.hpp"
#include "mad/types.hpp"
#include "routing/channel_order.hpp"
#include "routing/damage.hpp"
#include "routing/packet_lanes.hpp"
#include "routing/repair.hpp"

namespace heddle::routing {

class LaneMender {
 public:
  // All outlive this. The order's channels are lanes of the damage's, `vls` of each side by side;
  // new turns are added to it. `lanes`: of home.
  LaneMender(const Damage& damage, PacketLanes& lanes, ChannelOrder& order, unsigned vls);

  // False if it is beyond repair; what was found is of no use then. `rank` numbers the LIDs, so
  // that they take turns among ways that are equally good.
  bool mend(mad::Lid lid, std::size_t rank);
  // The same by other levels where there is no way on those that there are. The fewer LIDs have not
  // been mended yet, the more it knows.
  bool mend_on_other_levels(mad::Lid lid, std::size_t rank);

  // The entries of each LID stand together. `added` is about lanes; there are neither places nor
  // hops.
  Repair found() const;

 private:
  static constexpr std::uint32_t kNone = Damage::kNone;
  // Of one LID, and of the attempt that `stamp` says.
  struct Way {
    std::uint32_t stamp = 0;
    std::uint32_t hops = 0;  // to the target
    std::uint32_t channel = 0;
  };
  struct Far {
    std::uint32_t stamp = 0;
    std::uint32_t hops = 0;
  };
  struct Move {
    std::uint32_t at = 0;
    mad::Lid lid{};
    std::uint8_t before = 0;
  };
  static std::uint64_t key_of(std::uint32_t at, mad::Lid lid) {
    return std::uint64_t{lid.value} << 32 | at;
  }

  bool turn_to(mad::Lid lid, std::size_t rank);
  void begin();
  void find_broken();
  bool step_aside();
  bool look_around(bool all);
  bool sidestep(std::uint32_t at);
  void keep_behind(std::uint32_t at);
  bool grow(const std::vector<std::uint32_t>& lost);
  void offer(std::uint32_t at, std::uint32_t hops);
  bool lay(std::uint32_t at, std::uint32_t hops);
  bool take(std::uint32_t at, std::uint32_t channel, LaneSet lanes, bool with_comers);
  bool leads_on(std::uint32_t at, std::uint32_t channel, LaneSet lanes, bool with_comers);
  bool change_lane(std::uint32_t at);
  bool change_lane(std::uint32_t at, std::uint32_t channel);
  bool takes_others(std::uint32_t at, LaneSet lane);
  bool takes_way(std::uint32_t from, mad::Lid to, LaneSet lane);
  bool has_comers(std::uint32_t at, mad::Lid lid) const;
  void move(std::uint32_t at, mad::Lid lid, std::uint8_t out);
  void set(std::uint32_t at, mad::Lid lid, std::uint8_t out);
  void take_back(std::size_t upto);
  std::uint8_t mended_entry(std::uint32_t at, mad::Lid lid) const;
  std::uint32_t mended_channel(std::uint32_t at, mad::Lid lid) const;
  bool follow(std::uint32_t from, std::uint32_t channel, mad::Lid lid);
  bool admit_path(LaneSet lane);
  bool admit(std::uint32_t held, std::uint32_t next, LaneSet lanes);
  void withdraw(std::size_t upto);
  bool is_cut_off(std::uint32_t at);
  bool tell();

  std::uint8_t entry(std::uint32_t at) const {
    return of_turn_[at] == turn_ ? moved_out_[at] : damage_.entry(at, lid_);
  }
  bool is_broken(std::uint32_t at) const { return broken_[at] == attempt_; }
  bool has_new_way(std::uint32_t at) const { return way_[at].stamp == attempt_; }
  std::uint32_t next_of(std::uint32_t at) const {
    return has_new_way(at) ? way_[at].channel : certificate_.channel(at, entry(at));
  }
  std::uint32_t hops_of(std::uint32_t at);
  std::uint32_t home_hops(std::uint32_t at) const;
  template <class Visit>
  void for_each_comer(std::uint32_t at, Visit visit) const;

  const Damage& damage_;
  PacketLanes& lanes_;
  const Certificate& certificate_;
  const CompactChannels& channels_;
  ChannelOrder& order_;
  const unsigned vls_;
  // Of all LIDs: entries that are not home's, by key_of, and what was added for good.
  std::map<std::uint64_t, std::uint8_t> mended_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept_;
  std::size_t moved_ = 0;
  // Of one LID.
  mad::Lid lid_{};
  std::size_t rank_ = 0;
  std::uint32_t target_ = 0;
  std::uint32_t turn_ = 0;  // LIDs so far
  // By switch: whether something else than home's entry stands there since another LID was mended,
  // and what.
  std::vector<std::uint32_t> of_turn_;
  std::vector<std::uint8_t> moved_out_;
  bool may_add_ = false;  // new turns
  std::uint32_t attempt_ = 0;
  std::vector<std::uint32_t> broken_;  // by switch: the last attempt in which it was
  std::vector<Way> way_;               // by switch
  std::vector<Far> far_;               // by switch: see hops_of
  std::vector<LaneSet> passing_;       // by switch that was found: of all packets that pass it
  std::vector<std::uint32_t> found_;   // those whose packets passed what was lost, nearest first
  std::vector<std::uint32_t> before_;  // by switch that was found: where its packets went to
  std::vector<std::uint64_t> tried_;   // by switch: numbers of hops
  std::vector<std::vector<std::uint32_t>> buckets_;  // by hops
  std::vector<std::uint32_t> path_, choices_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;  // in this attempt
  std::size_t changes_before_ = 0;                              // of lanes, before this attempt
  std::vector<Move> moves_;                                     // of other LIDs, in this attempt
  std::optional<fabric::Islands> islands_;
};

}  // namespace heddle::routing
