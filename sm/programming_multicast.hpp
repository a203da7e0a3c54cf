// SPDX-License-Identifier: BSD-3-Clause
// Multicast forwarding tables: what the groups' members need, against what stands in the switches.
// Runs in every sweep, and between sweeps whenever a membership changed.
//
// Blocks are read before the first of their LIDs is used: without knowing what an earlier manager
// left in them nobody could say that a half-written tree holds no loop. Blocks that are not in use
// are left alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "multicast/change.hpp"
#include "multicast/groups.hpp"
#include "multicast/mlid_levels.hpp"
#include "multicast/tables.hpp"
#include "multicast/trees.hpp"
#include "multicast/verification.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

// MulticastFDBTop for groups up to this LID. There is room above it for others to come: raising the
// top takes a sweep, since a Set of SwitchInfo would hide that a switch has restarted.
mad::Lid multicast_fdb_top(mad::Lid highest_in_use);

class MulticastProgramming {
 public:
  // The topology of a new sweep. What switches evidently kept is still known, unless `others` may
  // have written or the switch is `doubted` (Programming::doubted()).
  void renew(const Context& context, bool others, const std::vector<bool>& doubted);
  // Takes the roles as they are now and queues what must be read first. With `all` every tree is
  // proven, else those that the changes concern.
  void begin(Context& context, const std::vector<multicast::RoleChange>& changes,
             const multicast::Groups& groups, bool all);
  // The next begin() reads what another manager left in these switches, and takes over what leads
  // to endports: they are held to be members until release(), since they will not have registered
  // yet. What is not to be kept (`keep`) is emptied instead.
  void inherit(std::vector<bool> from, bool keep) {
    heirlooms_ = std::move(from);
    keeps_heirlooms_ = keep;
  }
  bool has_inherited() const { return !inherited_.empty(); }
  // Or is about to.
  bool inherits() const { return has_inherited() || !heirlooms_.empty(); }
  // Of all trees of the latest begin(), which had to be proven.
  std::size_t members_proven() const { return roles_.size(); }
  // Nobody is held to be a member any longer who has not registered: to be given to begin().
  std::vector<multicast::RoleChange> release(const multicast::Groups& groups);
  // Whether this is the topology of the last renew(): a sweep that failed leaves another picture.
  bool stands_on(const std::shared_ptr<const fabric::Topology>& topology) const {
    return trees_.has_value() && topology_ == topology;
  }
  // When the transactions are idle: queues the next step. False when all is done.
  bool go_on(Context& context);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;

  // What switches hold, by the switches of this topology: a sweep that failed leaves another one
  // than that of the last renew(). Null before that, and without a topology. A cheap copy.
  std::shared_ptr<const multicast::Tables> tables(
      const std::shared_ptr<const fabric::Topology>& topology) const;
  // Nobody is a member of anything any more, and nothing is known.
  void forget() { *this = {}; }

 private:
  enum class Step : std::uint8_t { Idle, Reading, Writing };

  void take_levels(const std::vector<multicast::RoleChange>& changes,
                   const multicast::Groups& groups, bool all);
  std::vector<mad::Lid> add_refitted();
  void take_roles(const multicast::Groups& groups);
  void take_over();
  void read(Context& context);
  std::uint16_t blocks_to_inherit(const Context& context, fabric::SwitchIndex at) const;
  void read_unknown(Context& context, fabric::SwitchIndex at, std::uint16_t block);
  void read_block(Context& context, fabric::SwitchIndex at, std::uint16_t block);
  bool plan(Context& context);
  void write_stage(Context& context);
  bool prove(Context& context);
  void tell_unsafe(Context& context);
  void submit(Context& context, fabric::SwitchIndex at, mad::Method method, std::uint32_t modifier,
              std::uint32_t detail);

  // Which blocks of a switch are known, at all positions.
  using Known = std::vector<bool>;

  std::shared_ptr<const fabric::Topology> topology_;
  std::optional<multicast::Verifier> verifier_;  // of that topology, once it is needed
  // Shared with the rule.
  std::shared_ptr<multicast::MlidLevels> levels_ = std::make_shared<multicast::MlidLevels>();
  std::unique_ptr<multicast::TurnRule> rule_;  // of the trees; null: nothing is known
  std::optional<multicast::Trees> trees_;
  std::vector<mad::Lid> unsafe_;  // as told last
  multicast::Tables standing_;
  std::vector<Known> known_;                  // by SwitchIndex
  std::vector<mad::Lid> unproven_;            // whose trees changed since they were last proven
  std::vector<multicast::RoleChange> roles_;  // of these
  std::vector<multicast::Stage> stages_;      // to be written; the first one is being written
  std::vector<bool> heirlooms_;  // by SwitchIndex: whose tables are yet to be taken over
  bool keeps_heirlooms_ = true;
  std::set<std::pair<mad::Lid, mad::Guid>> inherited_;  // receivers that have not registered
  Step step_ = Step::Idle;
  unsigned rounds_ = 0;  // of planning in this phase
  bool failed_ = false;  // something was refused or not answered in this round
};

}  // namespace heddle::sm
