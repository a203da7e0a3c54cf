// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_multicast.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "mad/multicast_forwarding_table.hpp"
#include "routing/shared_lanes.hpp"

namespace heddle::sm {
namespace {

using fabric::SwitchIndex;
using multicast::RoleChange;

// A write that failed is planned again, so often in one phase; the next sweep tries anew.
constexpr unsigned kMaxRounds = 3;

// Trees share the lanes of the unicast routes.
class LaneRule final : public multicast::TurnRule {
 public:
  LaneRule(std::unique_ptr<routing::SharedLanes> lanes,
           std::shared_ptr<const multicast::MlidLevels> levels)
      : lanes_(std::move(lanes)), levels_(std::move(levels)) {}
  unsigned packets_to(mad::Lid mlid) override {
    const std::uint16_t levels = levels_->of(mlid);
    lanes_->set_levels(levels);
    return levels;
  }
  bool has(fabric::ChannelIndex held, fabric::ChannelIndex next) const override {
    return lanes_->has(held, next);
  }
  bool take(fabric::ChannelIndex held, fabric::ChannelIndex next) override {
    return lanes_->take(held, next);
  }
  std::size_t on_trial() const override { return lanes_->on_trial(); }
  void undo(std::size_t upto) override { lanes_->undo(upto); }
  void keep() override { lanes_->keep(); }
  void begin_anew() override { lanes_->begin_anew(); }

 private:
  std::unique_ptr<routing::SharedLanes> lanes_;
  std::shared_ptr<const multicast::MlidLevels> levels_;
};

std::unique_ptr<multicast::TurnRule> rule_of(
    const Picture& picture, const std::shared_ptr<const multicast::MlidLevels>& levels) {
  if (!picture.routes) return nullptr;
  auto lanes = routing::SharedLanes::make(*picture.frozen.topology, *picture.routes);
  return lanes ? std::make_unique<LaneRule>(std::move(lanes), levels) : nullptr;
}

std::uint32_t position_count(const fabric::Node& node) {
  return mad::mft_position_of(mad::PortNumber{node.port_count}) + 1;
}

}  // namespace

mad::Lid multicast_fdb_top(mad::Lid highest_in_use) {
  constexpr std::size_t kLeast = 64;  // LIDs: two blocks, which successors read
  const int first = mad::kFirstMulticastLid.value;
  const std::size_t used = highest_in_use == mad::kNoLid
                               ? 0
                               : static_cast<std::size_t>(highest_in_use.value - first) + 1;
  const std::size_t room = std::bit_ceil(std::max(2 * used, kLeast));
  const std::size_t count = std::min(room, multicast::kMaxMlids);
  return mad::Lid{static_cast<std::uint16_t>(first + static_cast<int>(count) - 1)};
}

// A switch that restarted lost its LinearFDBTop with its tables; Discovery has seen to that.
void MulticastProgramming::renew(const Context& context, bool others,
                                 const std::vector<bool>& doubted) {
  const auto& topology = context.picture.frozen.topology;
  multicast::Tables standing(topology->switch_count());
  std::vector<Known> known(topology->switch_count());
  if (topology_ && !others) standing = standing_.reindexed(*topology_, *topology);
  for (std::uint32_t s = 0; s < topology->switch_count() && topology_ && !others; ++s) {
    const SwitchIndex at{s};
    const auto before = topology_->find_node(topology->node(at).guid);
    const auto& node = context.picture.observation[context.picture.frozen.node_of[s]];
    const bool kept = node.switch_info && node.switch_info->linear_fdb_top != 0 &&
                      !(s < doubted.size() && doubted[s]);
    if (before && topology_->is_switch(*before) && kept) {
      known[s] = known_[before->value];
    } else {
      standing.clear(at);
    }
  }
  topology_ = topology;
  standing_ = std::move(standing);
  known_ = std::move(known);
  verifier_.reset();
  if (!trees_) trees_.emplace(topology_);
  auto rule = rule_of(context.picture, levels_);
  trees_->set_topology(topology_, rule.get());
  rule_ = std::move(rule);
}

void MulticastProgramming::begin(Context& context, const std::vector<RoleChange>& changes,
                                 const multicast::Groups& groups, bool all) {
  take_levels(changes, groups, all);
  trees_->apply(changes);
  for (const RoleChange& change : changes) inherited_.erase({change.mlid, change.port});
  unproven_ = all ? trees_->mlids() : std::vector<mad::Lid>{};
  for (const RoleChange& change : changes) unproven_.push_back(change.mlid);
  add_refitted();
  take_roles(groups);
  rounds_ = 0;
  read(context);
}

// Before the trees change. A tree whose packets come on another lane than before is asked about
// anew.
void MulticastProgramming::take_levels(const std::vector<RoleChange>& changes,
                                       const multicast::Groups& groups, bool all) {
  std::set<mad::Lid> concerned;
  for (const RoleChange& change : changes) concerned.insert(change.mlid);
  if (all) {
    for (const mad::Lid mlid : trees_->mlids()) concerned.insert(mlid);
  }
  for (const mad::Lid mlid : concerned) {
    if (levels_->take(groups, mlid)) trees_->ask_again(mlid);
  }
}

void MulticastProgramming::take_roles(const multicast::Groups& groups) {
  roles_.clear();
  for (const mad::Lid mlid : unproven_) {
    const auto roles = groups.roles(mlid);
    roles_.insert(roles_.end(), roles.begin(), roles.end());
    for (auto heir = inherited_.lower_bound({mlid, {}});
         heir != inherited_.end() && heir->first == mlid; ++heir) {
      roles_.push_back({mlid, heir->second, multicast::Role::Receiver});
    }
  }
}

// What stands is known now.
void MulticastProgramming::take_over() {
  heirlooms_.clear();
  if (!keeps_heirlooms_) return;
  for (const RoleChange& member : trees_->adopt(standing_)) {
    inherited_.emplace(member.mlid, member.port);
    unproven_.push_back(member.mlid);
    roles_.push_back(member);
  }
  for (const mad::Lid mlid : add_refitted()) {
    const auto members = trees_->members(mlid);
    roles_.insert(roles_.end(), members.begin(), members.end());
  }
}

// Trees that had to give way for others. Those that are to be proven only for that.
std::vector<mad::Lid> MulticastProgramming::add_refitted() {
  std::sort(unproven_.begin(), unproven_.end());
  unproven_.erase(std::unique(unproven_.begin(), unproven_.end()), unproven_.end());
  const auto refitted = trees_->take_refitted();
  std::vector<mad::Lid> added;
  std::set_difference(refitted.begin(), refitted.end(), unproven_.begin(), unproven_.end(),
                      std::back_inserter(added));
  const auto middle = unproven_.insert(unproven_.end(), added.begin(), added.end());
  std::inplace_merge(unproven_.begin(), middle, unproven_.end());
  return added;
}

std::vector<RoleChange> MulticastProgramming::release(const multicast::Groups& groups) {
  std::vector<RoleChange> changes;
  for (const auto& [mlid, port] : inherited_) {
    changes.push_back({mlid, port, groups.role(mlid, port)});
  }
  return changes;
}

// Up to MulticastFDBTop, of a switch whose tables are taken over.
std::uint16_t MulticastProgramming::blocks_to_inherit(const Context& context,
                                                      SwitchIndex at) const {
  constexpr std::uint16_t kUntold = 8;  // of a switch that has no MulticastFDBTop
  const auto& info =
      context.picture.observation[context.picture.frozen.node_of[at.value]].switch_info;
  if (at.value >= heirlooms_.size() || !heirlooms_[at.value] || !info) return 0;
  const mad::Lid top{info->multicast_fdb_top};
  const bool told = top >= mad::kFirstMulticastLid && top != mad::kPermissiveLid;
  return static_cast<std::uint16_t>(told ? mad::mft_block_of(top) + 1 : kUntold);
}

void MulticastProgramming::read(Context& context) {
  step_ = Step::Reading;
  failed_ = false;
  // Of the LIDs that changed, not of all there are: one join among thousands of groups must be
  // cheap.
  std::set<std::uint16_t> used;
  for (const mad::Lid mlid : unproven_) {
    used.insert(static_cast<std::uint16_t>(mad::mft_block_of(mlid)));
  }
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    const SwitchIndex at{s};
    for (const std::uint16_t block : used) read_unknown(context, at, block);
    const std::uint16_t inherited = blocks_to_inherit(context, at);
    for (std::uint16_t block = 0; block < inherited; ++block) read_unknown(context, at, block);
  }
}

void MulticastProgramming::read_unknown(Context& context, SwitchIndex at, std::uint16_t block) {
  const bool exists = block * mad::kMlidsPerMftBlock < topology_->node(at).multicast_fdb_cap;
  const bool known = block < known_[at.value].size() && known_[at.value][block];
  if (exists && !known) read_block(context, at, block);
}

void MulticastProgramming::read_block(Context& context, SwitchIndex at, std::uint16_t block) {
  if (known_[at.value].size() <= block) known_[at.value].resize(block + 1u, false);
  known_[at.value][block] = true;  // unless an answer fails to come
  for (std::uint32_t position = 0; position < position_count(topology_->node(at)); ++position) {
    submit(context, at, mad::Method::Get, mad::mft_modifier(block, position), 0);
  }
}

void MulticastProgramming::submit(Context& context, SwitchIndex at, mad::Method method,
                                  std::uint32_t modifier, std::uint32_t detail) {
  Request request;
  request.device = *context.picture.device({context.picture.frozen.node_of[at.value], {0}});
  request.purpose = Purpose::Multicast;
  request.method = method;
  request.attribute = mad::AttributeId::MulticastForwardingTable;
  request.modifier = modifier;
  request.subject = at.value;
  request.detail = detail;
  context.transactions.submit(request);
}

bool MulticastProgramming::go_on(Context& context) {
  switch (step_) {
    case Step::Idle:
      return false;
    case Step::Reading:
      return plan(context);
    case Step::Writing:
      stages_.erase(stages_.begin());
      if (failed_) {
        stages_.clear();
        if (++rounds_ >= kMaxRounds) break;
        read(context);
        return true;
      }
      if (stages_.empty()) break;
      write_stage(context);
      return true;
  }
  // What stands is what was wanted: sharing its memory makes the next comparison cheap.
  if (!failed_) standing_ = trees_->tables();
  step_ = Step::Idle;
  return false;
}

// A switch whose blocks are not known gets nothing: no tree can be proven that runs through it.
bool MulticastProgramming::plan(Context& context) {
  if (!heirlooms_.empty()) take_over();
  tell_unsafe(context);
  if (!prove(context)) {
    step_ = Step::Idle;
    return false;
  }
  stages_ = multicast::plan_change(*topology_, standing_, trees_->tables());
  step_ = Step::Writing;
  if (stages_.empty()) {
    step_ = Step::Idle;
    return false;
  }
  write_stage(context);
  return true;
}

void MulticastProgramming::tell_unsafe(Context& context) {
  context.picture.unsafe_trees.reset();
  if (!rule_) return;
  auto unsafe = trees_->unsafe();
  context.picture.unsafe_trees = unsafe.size();
  if (!unsafe.empty() && unsafe != unsafe_) {
    context.events.say(MulticastMayLoop{unsafe.front(), unsafe.size()});
  }
  unsafe_ = std::move(unsafe);
}

bool MulticastProgramming::prove(Context& context) {
  if (unproven_.empty()) return true;
  if (!verifier_) verifier_.emplace(*topology_);
  const auto proof = verifier_->verify(trees_->tables(), roles_, unproven_);
  if (proof.proven()) return true;
  const std::string reason = multicast::describe(*topology_, proof.samples.front());
  context.events.say(MulticastUnproven{reason});
  context.picture.problems.push_back("multicast tables were not written: " + reason);
  return false;
}

void MulticastProgramming::write_stage(Context& context) {
  failed_ = false;
  const multicast::Stage& stage = stages_.front();
  for (std::uint32_t i = 0; i < stage.size(); ++i) {
    submit(context, stage[i].at, mad::Method::Set,
           mad::mft_modifier(stage[i].block, stage[i].position), i);
  }
}

mad::SmpData MulticastProgramming::data_for(const Request& request) const {
  mad::SmpData data;
  mad::encode(stages_.front()[request.detail].table,
              std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void MulticastProgramming::on_answer(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  const SwitchIndex at{request.subject};
  const auto block = static_cast<std::uint16_t>(mad::mft_modifier_block(request.modifier));
  const auto position = static_cast<std::uint8_t>(mad::mft_modifier_position(request.modifier));
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  if (well) {
    const auto held = mad::decode<mad::MulticastForwardingTable>(answer.data);
    standing_.set_block({at, block, position, held});
    const bool as_told =
        request.method != mad::Method::Set || held == stages_.front()[request.detail].table;
    if (as_told) return;
  }
  failed_ = true;
  if (!well) known_[at.value][block] = false;
  Picture& picture = context.picture;
  const NodeName name = picture.name(picture.frozen.node_of[at.value]);
  if (well) {
    picture.problems.push_back(text(name) + " holds another multicast table than it was given");
  } else if (answer.answered) {
    context.events.say(SetRefused{name, request.attribute, request.modifier, answer.status});
    picture.problems.push_back(text(name) + " refused its multicast table");
  } else if (picture.falls_silent(request.device)) {
    picture.problems.push_back(text(name) + " does not answer about its multicast table");
    context.events.say(
        DeviceSilent{context.transactions.route(request.device).text(), name, request.attribute});
  }
}

std::shared_ptr<const multicast::Tables> MulticastProgramming::tables(
    const std::shared_ptr<const fabric::Topology>& topology) const {
  if (!topology_ || !topology) return nullptr;
  return std::make_shared<const multicast::Tables>(
      topology_ == topology ? standing_ : standing_.reindexed(*topology_, *topology));
}

}  // namespace heddle::sm
