// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/change.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace heddle::multicast {
namespace {

using fabric::SwitchIndex;

using Changed = std::bitset<mad::kMlidsPerMftBlock>;

Changed changed_entries(const mad::MulticastForwardingTable& a,
                        const mad::MulticastForwardingTable& b) {
  Changed changed;
  for (std::size_t i = 0; i < a.port_masks.size(); ++i) {
    changed[i] = a.port_masks[i] != b.port_masks[i];
  }
  return changed;
}

mad::Lid lid_of(std::size_t block, std::size_t entry) {
  return mad::Lid{static_cast<std::uint16_t>(mad::kFirstMulticastLid.value +
                                             block * mad::kMlidsPerMftBlock + entry)};
}

// Sets of switches that are joined already. Forgets only what was touched.
class Joined {
 public:
  explicit Joined(std::size_t switches) : parent_(switches) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  // False when the two were joined before: one more link closes a cycle.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    parent_[b] = a;
    touched_.push_back(b);
    return true;
  }
  void forget() {
    for (const std::uint32_t at : touched_) parent_[at] = at;
    touched_.clear();
  }

 private:
  std::uint32_t root(std::uint32_t at) {
    while (parent_[at] != at) {
      // What the shortcut passes over was touched when it got its parent.
      parent_[at] = parent_[parent_[at]];
      at = parent_[at];
    }
    return at;
  }
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> touched_;
};

// Decides for one LID after another which links must be cut before new ones are set.
class Cutter {
 public:
  Cutter(const fabric::Topology& topology, const Tables& standing, const Tables& wanted)
      : topology_(topology), standing_(standing), wanted_(wanted), joined_(wanted.switch_count()) {}

  // Whether anything must be cut.
  bool look_at(mad::Lid mlid, const std::vector<SwitchIndex>& switches);

  // Ports that a switch must stop forwarding this LID to in the first stage.
  PortSet cut(SwitchIndex at, mad::Lid mlid) const {
    const auto found = cuts_.find({at.value, mlid.value});
    return found == cuts_.end() ? PortSet{} : found->second;
  }

 private:
  struct Link {
    fabric::PortIndex a, b;
    friend auto operator<=>(const Link&, const Link&) = default;
  };
  // The links between switches that entries use from either end, each once.
  static std::vector<Link> unique(std::vector<Link> links) {
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
  }
  void collect(SwitchIndex at, const PortSet& ports, std::vector<Link>& links) const;
  void cut_end(mad::Lid mlid, fabric::PortIndex end);

  const fabric::Topology& topology_;
  const Tables& standing_;
  const Tables& wanted_;
  Joined joined_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, PortSet> cuts_;
};

void Cutter::collect(SwitchIndex at, const PortSet& ports, std::vector<Link>& links) const {
  ports.for_each([&](mad::PortNumber port) {
    if (port.value == 0 || port.value > topology_.node(at).port_count) return;
    const fabric::PortIndex near = topology_.port_of(at, port);
    const fabric::PortIndex far = topology_.peer(near);
    if (far == fabric::kNoPort || !topology_.is_switch(topology_.node_of(far))) return;
    links.push_back(near < far ? Link{near, far} : Link{far, near});
  });
}

void Cutter::cut_end(mad::Lid mlid, fabric::PortIndex end) {
  const std::uint32_t at = topology_.node_of(end).value;
  const mad::PortNumber port = topology_.number_of(end);
  if (!standing_.contains(SwitchIndex{at}, mlid, port)) return;
  cuts_[{at, mlid.value}].insert(port);
}

bool Cutter::look_at(mad::Lid mlid, const std::vector<SwitchIndex>& switches) {
  std::vector<Link> wanted, standing, leaving;
  for (const SwitchIndex at : switches) {
    collect(at, wanted_.entry(at, mlid), wanted);
    collect(at, standing_.entry(at, mlid), standing);
  }
  wanted = unique(std::move(wanted));
  standing = unique(std::move(standing));
  std::set_difference(standing.begin(), standing.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(leaving));
  const auto join = [&](const Link& link) {
    return joined_.join(topology_.node_of(link.a).value, topology_.node_of(link.b).value);
  };
  bool any = false;
  for (const Link& link : wanted) join(link);
  for (const Link& link : leaving) {
    if (join(link)) continue;
    any = true;
    cut_end(mlid, link.a);
    cut_end(mlid, link.b);
  }
  joined_.forget();
  return any;
}

// What one write becomes: up to one for each stage.
class Splitter {
 public:
  Splitter(const Tables& standing, const Cutter& cutter) : standing_(standing), cutter_(cutter) {}

  // `conflicts`: the entries of the block whose LIDs need a cut somewhere.
  void split(const BlockWrite& write, const Changed& conflicts) {
    const auto& before = standing_.block(write.at, write.block, write.position);
    BlockWrite cut = write;
    for (std::size_t i = 0; i < mad::kMlidsPerMftBlock; ++i) {
      if (!conflicts[i]) continue;
      const PortSet ports = cutter_.cut(write.at, lid_of(write.block, i));
      cut.table.port_masks[i] =
          static_cast<std::uint16_t>(before.port_masks[i] & ~ports.at_position(write.position));
    }
    const bool cuts = (changed_entries(before, cut.table) & conflicts).any();
    const bool later = cut.table != write.table;
    // Entries without a conflict may change at any time: they go along with the others.
    if (cuts || !later) first.push_back(cut);
    if (later) second.push_back(write);
  }

  Stage first, second;

 private:
  const Tables& standing_;
  const Cutter& cutter_;
};

std::vector<SwitchIndex> users_of(std::size_t block, const Tables& a, const Tables& b) {
  std::vector<SwitchIndex> users;
  for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
    const SwitchIndex at{s};
    if (block < std::max(a.block_count(at), b.block_count(at))) users.push_back(at);
  }
  return users;
}

// Entries of one block, over all switches, that lose links and that gain some. Only where both is
// the case can the old and the new close a cycle together.
struct Moves {
  Changed lose, gain;
};

// Which of 16 ports lead to switches.
std::uint16_t links_at(const fabric::Topology& topology, SwitchIndex at, std::size_t position) {
  std::uint16_t mask = 0;
  for (std::size_t bit = 0; bit < mad::kPortsPerMftPosition; ++bit) {
    const std::size_t port = position * mad::kPortsPerMftPosition + bit;
    if (port > topology.node(at).port_count) break;
    const auto far =
        topology.peer(topology.port_of(at, mad::PortNumber{static_cast<std::uint8_t>(port)}));
    if (far == fabric::kNoPort || !topology.is_switch(topology.node_of(far))) continue;
    mask = static_cast<std::uint16_t>(mask | 1u << bit);
  }
  return mask;
}

std::map<std::uint16_t, Moves> moves_of(const fabric::Topology& topology, const Tables& standing,
                                        const std::vector<BlockWrite>& writes) {
  std::map<std::uint16_t, Moves> moves;
  for (const BlockWrite& write : writes) {
    const auto& before = standing.block(write.at, write.block, write.position);
    const std::uint16_t links = links_at(topology, write.at, write.position);
    Moves& these = moves[write.block];
    for (std::size_t i = 0; i < mad::kMlidsPerMftBlock; ++i) {
      const unsigned old_links = before.port_masks[i] & links;
      const unsigned new_links = write.table.port_masks[i] & links;
      if ((old_links & ~new_links) != 0) these.lose.set(i);
      if ((new_links & ~old_links) != 0) these.gain.set(i);
    }
  }
  return moves;
}

}  // namespace

std::vector<Stage> plan_change(const fabric::Topology& topology, const Tables& standing,
                               const Tables& wanted) {
  HEDDLE_CHECK(wanted.switch_count() == topology.switch_count());
  const auto writes = changed_blocks(wanted, standing);
  Cutter cutter(topology, standing, wanted);
  std::map<std::uint16_t, Changed> conflicts;
  for (const auto& [block, moves] : moves_of(topology, standing, writes)) {
    const Changed entries = moves.lose & moves.gain;
    if (entries.none()) continue;
    const auto users = users_of(block, standing, wanted);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i]) conflicts[block][i] = cutter.look_at(lid_of(block, i), users);
    }
  }
  Splitter splitter(standing, cutter);
  for (const BlockWrite& write : writes) splitter.split(write, conflicts[write.block]);
  std::vector<Stage> stages;
  if (!splitter.first.empty()) stages.push_back(std::move(splitter.first));
  if (!splitter.second.empty()) stages.push_back(std::move(splitter.second));
  return stages;
}

}  // namespace heddle::multicast
