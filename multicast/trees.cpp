// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/trees.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "fabric/counterparts.hpp"
#include "multicast/branches.hpp"
#include "multicast/fitting_tree.hpp"
#include "multicast/mlid_pool.hpp"

namespace heddle::multicast {
namespace {

using fabric::ChannelIndex;
using fabric::kNoChannel;
using fabric::SwitchIndex;

// A tree is compared with a fresh one when it has changed by its size, and by this at least. A link
// counts once; a switch whose last member left counts more, because leaves are what spoils a tree:
// ways stay that only lead past it.
constexpr std::size_t kLeastChange = 32;
constexpr std::size_t kChangeByLeave = 4;
// A tree in more pieces than this is made anew rather than mended.
constexpr std::size_t kMostPieces = 4;

// A switch on a tree. Which ports it forwards to is in the tables.
struct Stop {
  SwitchIndex at{};
  std::uint32_t members = 0;  // ports of it that receive or send
};

struct Tree {
  std::map<mad::Guid, Role> members;
  std::vector<Stop> stops;  // by switch
  std::size_t links = 0;
  std::size_t changed = 0;          // since the last comparison
  std::vector<SwitchIndex> turned;  // switches with links whose turns nobody has been asked about
  bool unsafe = false;              // see Trees::unsafe()
};

// Which channel of the new topology is the same cable between the same switches.
std::vector<ChannelIndex> same_channels(const fabric::Topology& before,
                                        const fabric::Topology& after) {
  const fabric::Counterparts there(before, after);
  std::vector<ChannelIndex> same;
  same.reserve(before.channels().size());
  for (const fabric::Channel& channel : before.channels()) {
    same.push_back(kNoChannel);
    const auto from = there.switch_at(channel.from);
    const auto to = there.switch_at(channel.to);
    if (!from || !to || channel.out.value > after.node(*from).port_count) continue;
    const ChannelIndex now = after.channel_by_port(*from, channel.out);
    if (now == kNoChannel) continue;
    const fabric::Channel& found = after.channels()[now.value];
    if (found.to == *to && found.in == channel.in) same.back() = now;
  }
  return same;
}

// Whoever gets what leaves a switch by this port, unless it is another switch.
std::optional<mad::Guid> endport_at(const fabric::Topology& topology, SwitchIndex at,
                                    mad::PortNumber number) {
  if (number.value > topology.node(at).port_count) return std::nullopt;
  const fabric::PortIndex port = topology.port_of(at, number);
  const fabric::PortIndex end = number.value == 0 ? port : topology.peer(port);
  if (end == fabric::kNoPort) return std::nullopt;
  const bool is_switch = number.value != 0 && topology.is_switch(topology.node_of(end));
  return is_switch ? std::nullopt : std::optional(topology.port(end).guid);
}

}  // namespace

class Trees::Engine {
 public:
  Engine(std::shared_ptr<const fabric::Topology> topology, TreeOptions options)
      : options_(options),
        topology_(std::move(topology)),
        finder_(*topology_),
        branches_(*topology_),
        tables_(topology_->switch_count()),
        piece_(topology_->switch_count()) {}

  void apply(const RoleChange& change);
  void set_topology(std::shared_ptr<const fabric::Topology> topology, TurnRule* rule);
  void rebuild(mad::Lid mlid, Tree& tree);
  void settle_turns(mad::Lid mlid, Tree& tree);
  std::vector<RoleChange> adopt(const Tables& standing);
  std::vector<mad::Guid> unserved(mad::Lid mlid) const;

  std::map<mad::Lid, Tree> trees;
  TreeStatistics statistics;
  std::set<mad::Lid> refitted;
  const Tables& tables() const { return tables_; }
  const fabric::Topology& topology() const { return *topology_; }
  std::span<const std::uint32_t> load() const { return branches_.load(); }

 private:
  std::optional<fabric::Topology::Attachment> place(mad::Lid mlid, mad::Guid port) const;
  Stop* find_stop(Tree& tree, SwitchIndex at) const;
  Stop& make_stop(Tree& tree, SwitchIndex at);
  void drop_stop(Tree& tree, SwitchIndex at);
  void set_link(mad::Lid mlid, Tree& tree, ChannelIndex link, bool on);
  std::vector<ChannelIndex> links_at(mad::Lid mlid, SwitchIndex at) const;
  std::vector<ChannelIndex> links_of(mad::Lid mlid, const Tree& tree) const;
  bool connect(mad::Lid mlid, Tree& tree, std::span<const SwitchIndex> own);
  void prune(mad::Lid mlid, Tree& tree, SwitchIndex at);
  void compare_with_fresh(mad::Lid mlid, Tree& tree);
  void replace_links(mad::Lid mlid, Tree& tree, const std::vector<ChannelIndex>& fresh);
  std::vector<SwitchIndex> member_switches(const Tree& tree) const;
  std::vector<std::vector<SwitchIndex>> pieces_of(mad::Lid mlid, const Tree& tree);
  void seat_members(mad::Lid mlid, Tree& tree);
  void mend(mad::Lid mlid, Tree& tree);
  void take_links(mad::Lid mlid, Tree& tree, const Tables& standing);
  bool take_turns(mad::Lid mlid, SwitchIndex at);
  bool take_turns(mad::Lid mlid, Tree& tree);
  bool fit(mad::Lid mlid, Tree& tree);
  void fit_all_anew();

  TreeOptions options_;
  std::shared_ptr<const fabric::Topology> topology_;
  PortFinder finder_;
  Branches branches_;
  Tables tables_;
  TurnRule* rule_ = nullptr;
  std::optional<FittingTrees> fitting_;  // by that rule, once it is needed
  // For whom trees for everybody were sought: by TurnRule::packets_to(), one LID of each.
  std::map<unsigned, mad::Lid> reserved_;
  std::uint32_t piece_epoch_ = 0;
  std::vector<std::uint32_t> piece_;  // by switch: when it was last walked
};

std::optional<fabric::Topology::Attachment> Trees::Engine::place(mad::Lid mlid,
                                                                 mad::Guid port) const {
  const auto found = finder_.find(port);
  if (!found || !branches_.has_entry(found->at, mlid)) return std::nullopt;
  return found;
}

Stop* Trees::Engine::find_stop(Tree& tree, SwitchIndex at) const {
  const auto found = std::lower_bound(tree.stops.begin(), tree.stops.end(), at,
                                      [](const Stop& stop, SwitchIndex s) { return stop.at < s; });
  return found != tree.stops.end() && found->at == at ? &*found : nullptr;
}

Stop& Trees::Engine::make_stop(Tree& tree, SwitchIndex at) {
  const auto where = std::lower_bound(tree.stops.begin(), tree.stops.end(), at,
                                      [](const Stop& stop, SwitchIndex s) { return stop.at < s; });
  if (where != tree.stops.end() && where->at == at) return *where;
  branches_.load_switch(at, 1);
  return *tree.stops.insert(where, Stop{at});
}

void Trees::Engine::drop_stop(Tree& tree, SwitchIndex at) {
  const Stop* stop = find_stop(tree, at);
  HEDDLE_CHECK(stop != nullptr);
  branches_.load_switch(at, -1);
  tree.stops.erase(tree.stops.begin() + (stop - tree.stops.data()));
}

void Trees::Engine::set_link(mad::Lid mlid, Tree& tree, ChannelIndex link, bool on) {
  const fabric::Channel& channel = topology_->channels()[link.value];
  tables_.set(channel.from, mlid, channel.out, on);
  tables_.set(channel.to, mlid, channel.in, on);
  branches_.load_link(link, on ? 1 : -1);
  tree.links += on ? std::size_t{1} : ~std::size_t{0};
  tree.changed += on;
  if (!on || rule_ == nullptr) return;
  tree.turned.push_back(channel.from);
  tree.turned.push_back(channel.to);
}

std::vector<ChannelIndex> Trees::Engine::links_at(mad::Lid mlid, SwitchIndex at) const {
  std::vector<ChannelIndex> links;
  tables_.entry(at, mlid).for_each([&](mad::PortNumber port) {
    const ChannelIndex channel = topology_->channel_by_port(at, port);
    if (channel != kNoChannel) links.push_back(channel);
  });
  return links;
}

// Each once, seen from the switch with the lower index.
std::vector<ChannelIndex> Trees::Engine::links_of(mad::Lid mlid, const Tree& tree) const {
  std::vector<ChannelIndex> links;
  for (const Stop& stop : tree.stops) {
    for (const ChannelIndex link : links_at(mlid, stop.at)) {
      if (stop.at < topology_->channels()[link.value].to) links.push_back(link);
    }
  }
  return links;
}

// False when nothing else of the tree can be reached from there.
bool Trees::Engine::connect(mad::Lid mlid, Tree& tree, std::span<const SwitchIndex> own) {
  std::vector<SwitchIndex> all;
  all.reserve(tree.stops.size());
  for (const Stop& stop : tree.stops) all.push_back(stop.at);
  const auto links = branches_.to_tree(mlid, all, own);
  for (const ChannelIndex link : links) {
    make_stop(tree, topology_->channels()[link.value].from);
    make_stop(tree, topology_->channels()[link.value].to);
    set_link(mlid, tree, link, true);
  }
  statistics.grafts += !links.empty();
  return !links.empty();
}

// Takes away what nobody needs, from this end of the tree on.
void Trees::Engine::prune(mad::Lid mlid, Tree& tree, SwitchIndex at) {
  for (;;) {
    const Stop* stop = find_stop(tree, at);
    if (stop == nullptr || stop->members != 0) return;
    const auto links = links_at(mlid, at);
    if (links.size() > 1) return;
    drop_stop(tree, at);
    if (links.empty()) return;
    set_link(mlid, tree, links.front(), false);
    at = topology_->channels()[links.front().value].to;
  }
}

void Trees::Engine::apply(const RoleChange& change) {
  const auto entry = trees.try_emplace(change.mlid).first;
  Tree& tree = entry->second;
  const auto member = tree.members.find(change.port);
  const Role before = member == tree.members.end() ? Role::None : member->second;
  if (change.role == Role::None) {
    if (before != Role::None) tree.members.erase(member);
  } else {
    tree.members.insert_or_assign(change.port, change.role);
  }
  const auto seat = place(change.mlid, change.port);
  if (seat && before != change.role) {
    tables_.set(seat->at, change.mlid, seat->out, change.role == Role::Receiver);
    if (before == Role::None) {
      const bool is_new = find_stop(tree, seat->at) == nullptr;
      ++make_stop(tree, seat->at).members;
      if (is_new && tree.stops.size() > 1) connect(change.mlid, tree, {&seat->at, 1});
    } else if (change.role == Role::None) {
      Stop& stop = *find_stop(tree, seat->at);
      if (--stop.members == 0) tree.changed += kChangeByLeave;
      prune(change.mlid, tree, seat->at);
    }
    compare_with_fresh(change.mlid, tree);
  }
  if (tree.members.empty()) trees.erase(entry);
}

std::vector<SwitchIndex> Trees::Engine::member_switches(const Tree& tree) const {
  std::vector<SwitchIndex> switches;
  for (const Stop& stop : tree.stops) {
    if (stop.members != 0) switches.push_back(stop.at);
  }
  return switches;
}

void Trees::Engine::compare_with_fresh(mad::Lid mlid, Tree& tree) {
  if (tree.changed < std::max(kLeastChange, tree.links)) return;
  tree.changed = 0;
  const auto fresh = branches_.fresh(mlid, member_switches(tree));
  if (tree.links * 100 <= fresh.size() * (100 + options_.drift_percent)) return;
  replace_links(mlid, tree, fresh);
  ++statistics.rebuilds;
}

void Trees::Engine::replace_links(mad::Lid mlid, Tree& tree,
                                  const std::vector<ChannelIndex>& fresh) {
  for (const ChannelIndex link : links_of(mlid, tree)) set_link(mlid, tree, link, false);
  const auto all = tree.stops;
  for (const Stop& stop : all) {
    if (stop.members == 0) drop_stop(tree, stop.at);
  }
  for (const ChannelIndex link : fresh) {
    make_stop(tree, topology_->channels()[link.value].from);
    make_stop(tree, topology_->channels()[link.value].to);
    set_link(mlid, tree, link, true);
  }
  tree.changed = 0;
}

void Trees::Engine::rebuild(mad::Lid mlid, Tree& tree) {
  // Its own load must not turn it away from where it is.
  replace_links(mlid, tree, {});
  replace_links(mlid, tree, branches_.fresh(mlid, member_switches(tree)));
}

bool Trees::Engine::take_turns(mad::Lid mlid, SwitchIndex at) {
  const auto links = links_at(mlid, at);
  for (const ChannelIndex by : links) {
    const ChannelIndex held = topology_->channels()[by.value].reverse;
    for (const ChannelIndex next : links) {
      if (next != by && !rule_->take(held, next)) return false;
    }
  }
  return true;
}

bool Trees::Engine::take_turns(mad::Lid mlid, Tree& tree) {
  rule_->packets_to(mlid);
  auto& turned = tree.turned;
  std::sort(turned.begin(), turned.end());
  turned.erase(std::unique(turned.begin(), turned.end()), turned.end());
  const bool safe = std::all_of(turned.begin(), turned.end(),
                                [&](SwitchIndex at) { return take_turns(mlid, at); });
  turned.clear();
  if (!safe) rule_->undo(0);
  rule_->keep();
  return safe;
}

bool Trees::Engine::fit(mad::Lid mlid, Tree& tree) {
  if (take_turns(mlid, tree)) return true;
  if (!fitting_) fitting_.emplace(*topology_, *rule_);
  const auto fitting = fitting_->find(
      mlid, member_switches(tree), [&](SwitchIndex at) { return branches_.has_entry(at, mlid); });
  if (!fitting) return false;
  replace_links(mlid, tree, *fitting);
  ++statistics.avoided;
  refitted.insert(mlid);
  return take_turns(mlid, tree);
}

// First come trees for everybody, on which whoever finds no way of his own can rely.
void Trees::Engine::fit_all_anew() {
  rule_->begin_anew();
  fitting_.emplace(*topology_, *rule_);
  for (const auto& [kind, mlid] : reserved_) {
    fitting_->reserve(mlid,
                      [&, lid = mlid](SwitchIndex at) { return branches_.has_entry(at, lid); });
  }
  for (auto& [mlid, tree] : trees) {
    tree.turned.clear();
    for (const Stop& stop : tree.stops) tree.turned.push_back(stop.at);
    tree.unsafe = !fit(mlid, tree);
    tree.turned.clear();
  }
}

// For one that is unsafe nobody is asked again before the routes or the fabric are others: the
// search would be in vain, and each join would pay for it.
void Trees::Engine::settle_turns(mad::Lid mlid, Tree& tree) {
  if (rule_ == nullptr || tree.turned.empty()) return tree.turned.clear();
  if (!tree.unsafe && !fit(mlid, tree)) {
    tree.unsafe = true;
    if (reserved_.emplace(rule_->packets_to(mlid), mlid).second) fit_all_anew();
  }
  tree.turned.clear();
}

// Each in the order in which it was walked; no more than are worth mending, and one.
std::vector<std::vector<SwitchIndex>> Trees::Engine::pieces_of(mad::Lid mlid, const Tree& tree) {
  std::vector<std::vector<SwitchIndex>> pieces;
  ++piece_epoch_;
  for (const Stop& stop : tree.stops) {
    if (std::exchange(piece_[stop.at.value], piece_epoch_) == piece_epoch_) continue;
    auto& piece = pieces.emplace_back(1, stop.at);
    for (std::size_t next = 0; next < piece.size(); ++next) {
      for (const ChannelIndex link : links_at(mlid, piece[next])) {
        const SwitchIndex far = topology_->channels()[link.value].to;
        const bool is_new = std::exchange(piece_[far.value], piece_epoch_) != piece_epoch_;
        if (is_new) piece.push_back(far);
      }
    }
    if (pieces.size() > kMostPieces) break;
  }
  return pieces;
}

void Trees::Engine::seat_members(mad::Lid mlid, Tree& tree) {
  for (const auto& [port, role] : tree.members) {
    const auto seat = place(mlid, port);
    if (!seat) continue;
    ++make_stop(tree, seat->at).members;
    if (role == Role::Receiver) tables_.set(seat->at, mlid, seat->out, true);
  }
}

// Joins what can be joined and takes away what leads nowhere.
void Trees::Engine::mend(mad::Lid mlid, Tree& tree) {
  const auto all = tree.stops;
  for (const Stop& stop : all) prune(mlid, tree, stop.at);
  if (pieces_of(mlid, tree).size() > kMostPieces) {
    rebuild(mlid, tree);
    return;
  }
  for (;;) {
    const auto pieces = pieces_of(mlid, tree);
    const bool joined = pieces.size() > 1 &&
                        std::any_of(pieces.begin(), pieces.end(),
                                    [&](const auto& piece) { return connect(mlid, tree, piece); });
    if (!joined) return;
  }
}

void Trees::Engine::set_topology(std::shared_ptr<const fabric::Topology> topology, TurnRule* rule) {
  rule_ = rule;
  fitting_.reset();
  reserved_.clear();
  const auto same = same_channels(*topology_, *topology);
  struct Kept {
    std::vector<ChannelIndex> links;
    bool lost = false;
  };
  std::map<mad::Lid, Kept> kept;
  for (const auto& [mlid, tree] : trees) {
    Kept& keep = kept[mlid];
    for (const ChannelIndex link : links_of(mlid, tree)) {
      if (same[link.value] != kNoChannel) keep.links.push_back(same[link.value]);
      keep.lost |= same[link.value] == kNoChannel;
    }
  }
  topology_ = std::move(topology);
  finder_ = PortFinder(*topology_);
  branches_ = Branches(*topology_);
  piece_.assign(topology_->switch_count(), 0);
  tables_ = Tables(topology_->switch_count());
  for (auto& [mlid, tree] : trees) {
    tree.stops.clear();
    tree.links = 0;
    tree.turned.clear();
    tree.unsafe = false;
    const std::size_t changed = tree.changed;
    seat_members(mlid, tree);
    for (const ChannelIndex link : kept[mlid].links) {
      const fabric::Channel& channel = topology_->channels()[link.value];
      if (!branches_.has_entry(channel.from, mlid) || !branches_.has_entry(channel.to, mlid)) {
        kept[mlid].lost = true;
        continue;
      }
      make_stop(tree, channel.from);
      make_stop(tree, channel.to);
      set_link(mlid, tree, link, true);
    }
    tree.changed = changed;
  }
  // Only now is the load of those that stay known.
  for (auto& [mlid, tree] : trees) {
    statistics.repairs += kept[mlid].lost;
    mend(mlid, tree);
    settle_turns(mlid, tree);
  }
}

// Links that both ends know of, unless they close a circle.
void Trees::Engine::take_links(mad::Lid mlid, Tree& tree, const Tables& standing) {
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    standing.entry(SwitchIndex{s}, mlid).for_each([&](mad::PortNumber port) {
      if (port.value > topology_->node(SwitchIndex{s}).port_count) return;
      const ChannelIndex link = topology_->channel_by_port(SwitchIndex{s}, port);
      if (link == kNoChannel) return;
      const fabric::Channel& channel = topology_->channels()[link.value];
      const bool counts =
          channel.from < channel.to && standing.contains(channel.to, mlid, channel.in);
      if (!counts || !branches_.has_entry(channel.from, mlid) ||
          !branches_.has_entry(channel.to, mlid)) {
        return;
      }
      make_stop(tree, channel.from);
      make_stop(tree, channel.to);
      set_link(mlid, tree, link, true);
    });
  }
  tree.changed = 0;
  if (tree.links + pieces_of(mlid, tree).size() > tree.stops.size()) rebuild(mlid, tree);
  mend(mlid, tree);
}

std::vector<RoleChange> Trees::Engine::adopt(const Tables& standing) {
  std::map<mad::Lid, Tree> found;
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    const SwitchIndex at{s};
    const std::size_t count = standing.block_count(at) * mad::kMlidsPerMftBlock;
    for (std::size_t index = 0; index < std::min(count, kMaxMlids); ++index) {
      const mad::Lid mlid{static_cast<std::uint16_t>(mad::kFirstMulticastLid.value + index)};
      if (trees.count(mlid) != 0) continue;
      standing.entry(at, mlid).for_each([&](mad::PortNumber port) {
        const auto guid = endport_at(*topology_, at, port);
        if (guid) found[mlid].members.emplace(*guid, Role::Receiver);
      });
    }
  }
  std::vector<RoleChange> members;
  std::vector<mad::Lid> mlids;
  for (auto& [mlid, tree] : found) {
    for (const auto& [port, role] : tree.members) members.push_back({mlid, port, role});
    seat_members(mlid, tree);
    take_links(mlid, tree, standing);
    mlids.push_back(mlid);
  }
  trees.merge(found);
  for (const mad::Lid mlid : mlids) settle_turns(mlid, trees.at(mlid));
  return members;
}

std::vector<mad::Guid> Trees::Engine::unserved(mad::Lid mlid) const {
  std::vector<mad::Guid> ports;
  const auto found = trees.find(mlid);
  if (found == trees.end()) return ports;
  for (const auto& [port, role] : found->second.members) {
    if (!place(mlid, port)) ports.push_back(port);
  }
  return ports;
}

Trees::Trees(std::shared_ptr<const fabric::Topology> topology, TreeOptions options)
    : engine_(std::make_unique<Engine>(std::move(topology), options)) {}
Trees::~Trees() = default;
Trees::Trees(Trees&&) noexcept = default;
Trees& Trees::operator=(Trees&&) noexcept = default;

void Trees::apply(std::span<const RoleChange> changes) {
  for (const RoleChange& change : changes) engine_->apply(change);
  // Once for all that joined together.
  mad::Lid last = mad::kNoLid;
  for (const RoleChange& change : changes) {
    if (std::exchange(last, change.mlid) == change.mlid) continue;
    const auto found = engine_->trees.find(change.mlid);
    if (found != engine_->trees.end()) engine_->settle_turns(found->first, found->second);
  }
}

void Trees::set_topology(std::shared_ptr<const fabric::Topology> topology, TurnRule* rule) {
  engine_->set_topology(std::move(topology), rule);
}

void Trees::ask_again(mad::Lid mlid) {
  const auto found = engine_->trees.find(mlid);
  if (found == engine_->trees.end()) return;
  Tree& tree = found->second;
  for (const Stop& stop : tree.stops) tree.turned.push_back(stop.at);
  tree.unsafe = false;
  engine_->settle_turns(mlid, tree);
}

std::vector<mad::Lid> Trees::unsafe() const {
  std::vector<mad::Lid> all;
  for (const auto& [mlid, tree] : engine_->trees) {
    if (tree.unsafe) all.push_back(mlid);
  }
  return all;
}

std::vector<mad::Lid> Trees::take_refitted() {
  const auto refitted = std::exchange(engine_->refitted, {});
  return {refitted.begin(), refitted.end()};
}

std::vector<RoleChange> Trees::adopt(const Tables& standing) {
  return engine_->adopt(standing);
}

void Trees::rebuild(mad::Lid mlid) {
  const auto found = engine_->trees.find(mlid);
  if (found == engine_->trees.end()) return;
  engine_->rebuild(mlid, found->second);
  engine_->settle_turns(mlid, found->second);
}

const Tables& Trees::tables() const {
  return engine_->tables();
}

const fabric::Topology& Trees::topology() const {
  return engine_->topology();
}

std::vector<mad::Lid> Trees::mlids() const {
  std::vector<mad::Lid> all;
  for (const auto& [mlid, tree] : engine_->trees) all.push_back(mlid);
  return all;
}

std::size_t Trees::link_count(mad::Lid mlid) const {
  const auto found = engine_->trees.find(mlid);
  return found == engine_->trees.end() ? 0 : found->second.links;
}

std::vector<RoleChange> Trees::members(mad::Lid mlid) const {
  std::vector<RoleChange> all;
  const auto found = engine_->trees.find(mlid);
  if (found == engine_->trees.end()) return all;
  for (const auto& [port, role] : found->second.members) all.push_back({mlid, port, role});
  return all;
}

std::vector<mad::Guid> Trees::unserved(mad::Lid mlid) const {
  return engine_->unserved(mlid);
}

std::span<const std::uint32_t> Trees::load() const {
  return engine_->load();
}

const TreeStatistics& Trees::statistics() const {
  return engine_->statistics;
}

}  // namespace heddle::multicast
