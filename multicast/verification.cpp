// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/verification.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::multicast {
namespace {

using fabric::PortIndex;
using fabric::SwitchIndex;

std::size_t number_of(mad::Lid mlid) {
  return mlid.value - std::size_t{mad::kFirstMulticastLid.value};
}

using Labels = std::vector<std::uint32_t>;  // by switch: equal where two can reach each other

std::uint32_t root_of(Labels& labels, std::uint32_t at) {
  while (labels[at] != at) at = labels[at] = labels[labels[at]];
  return at;
}

Labels all_apart(std::size_t switches) {
  Labels labels(switches);
  std::iota(labels.begin(), labels.end(), 0u);
  return labels;
}

struct Place {
  SwitchIndex at{};
  mad::PortNumber out{};
};

// Where an endport hangs on a switch.
struct Attached {
  mad::Guid guid{};
  Place place;
};

}  // namespace

// What is known of the fabric before any table is seen.
class Verifier::Ground {
 public:
  explicit Ground(const fabric::Topology& topology);

  const fabric::Topology& topology() const { return topology_; }
  bool has_table(SwitchIndex at, mad::Lid mlid) const {
    return number_of(mlid) < topology_.node(at).multicast_fdb_cap;
  }
  // Null when it hangs on no switch. `next` is where whoever asks by rising GUID finds the one that
  // follows the last; it may be anything.
  const Place* place(mad::Guid port, std::size_t& next) const;
  Labels& reachable(mad::Lid mlid);

 private:
  const fabric::Topology& topology_;
  std::vector<Attached> attached_;           // by GUID, each once
  std::map<std::size_t, Labels> reachable_;  // by the number of switches with a table
};

Verifier::Ground::Ground(const fabric::Topology& topology) : topology_(topology) {
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex port{p};
    const mad::Guid guid = topology.port(port).guid;
    if (guid == mad::Guid{}) continue;
    const auto node = topology.node_of(port);
    const auto number = topology.number_of(port);
    const PortIndex far = topology.peer(port);
    if (topology.is_switch(node)) {
      if (number.value == 0) attached_.push_back({guid, {SwitchIndex{node.value}, number}});
    } else if (far != fabric::kNoPort && topology.is_switch(topology.node_of(far))) {
      attached_.push_back(
          {guid, {SwitchIndex{topology.node_of(far).value}, topology.number_of(far)}});
    }
  }
  std::stable_sort(attached_.begin(), attached_.end(),
                   [](const Attached& a, const Attached& b) { return a.guid < b.guid; });
  const auto end =
      std::unique(attached_.begin(), attached_.end(),
                  [](const Attached& a, const Attached& b) { return a.guid == b.guid; });
  attached_.erase(end, attached_.end());
}

const Place* Verifier::Ground::place(mad::Guid port, std::size_t& next) const {
  if (next >= attached_.size() || attached_[next].guid != port) {
    const auto found =
        std::lower_bound(attached_.begin(), attached_.end(), port,
                         [](const Attached& a, mad::Guid guid) { return a.guid < guid; });
    if (found == attached_.end() || found->guid != port) return nullptr;
    next = static_cast<std::size_t>(found - attached_.begin());
  }
  return &attached_[next++].place;
}

// Over all links between switches that have an entry for the LID. Whoever has one for a higher LID
// has one for a lower, so as many switches are always the same switches.
Labels& Verifier::Ground::reachable(mad::Lid mlid) {
  std::size_t capable = 0;
  for (std::uint32_t s = 0; s < topology_.switch_count(); ++s) {
    capable += has_table(SwitchIndex{s}, mlid);
  }
  const auto [entry, is_new] = reachable_.try_emplace(capable);
  Labels& labels = entry->second;
  if (!is_new) return labels;
  labels = all_apart(topology_.switch_count());
  for (const fabric::Channel& channel : topology_.channels()) {
    if (!has_table(channel.from, mlid) || !has_table(channel.to, mlid)) continue;
    labels[root_of(labels, channel.from.value)] = root_of(labels, channel.to.value);
  }
  return labels;
}

class Verifier::Judge {
 public:
  Judge(Ground& ground, const Tables& tables, std::span<const RoleChange> roles);
  TreeVerification judge_all();
  TreeVerification judge(std::span<const mad::Lid> mlids);

 private:
  struct Seat {
    mad::Guid member{};
    Role role{};
    Place place;
  };
  struct Holder {
    SwitchIndex at{};
    PortSet ports;
  };

  void add(const TreeFaultSample& sample) {
    if (result_.samples.size() < TreeVerification::kMaxSamples) result_.samples.push_back(sample);
    ++result_.faults;
  }
  std::vector<Seat> seats_of(mad::Lid mlid) const;
  void find_entries();
  void judge_lid(mad::Lid mlid, const std::vector<Holder>& holders);
  void judge_port(mad::Lid mlid, SwitchIndex at, mad::PortNumber port, Labels& joined);
  void judge_link(mad::Lid mlid, PortIndex near, PortIndex far, Labels& joined);
  void judge_reach(mad::Lid mlid, const std::vector<Seat>& seats, Labels& joined);

  Ground& ground_;
  const fabric::Topology& topology_;
  const Tables& tables_;
  std::map<mad::Lid, std::vector<std::pair<mad::Guid, Role>>> members_;
  std::map<mad::Lid, std::vector<SwitchIndex>> entries_;  // who holds one
  std::vector<PortSet> awaited_;  // by switch: where receivers of the LID that is judged hang
  TreeVerification result_;
};

Verifier::Judge::Judge(Ground& ground, const Tables& tables, std::span<const RoleChange> roles)
    : ground_(ground),
      topology_(ground.topology()),
      tables_(tables),
      awaited_(topology_.switch_count()) {
  auto members = members_.end();
  for (const RoleChange& role : roles) {
    if (role.role == Role::None) continue;
    if (members == members_.end() || members->first != role.mlid) {
      members = members_.try_emplace(role.mlid).first;
    }
    members->second.emplace_back(role.port, role.role);
  }
}

void Verifier::Judge::find_entries() {
  for (std::uint32_t s = 0; s < tables_.switch_count(); ++s) {
    const SwitchIndex at{s};
    tables_.for_each_block(at, [&](std::uint16_t block, std::uint8_t, const auto& table) {
      for (std::size_t i = 0; i < table.port_masks.size(); ++i) {
        if (table.port_masks[i] == 0) continue;
        const auto number = mad::kFirstMulticastLid.value + block * mad::kMlidsPerMftBlock + i;
        auto& holders = entries_[mad::Lid{static_cast<std::uint16_t>(number)}];
        if (holders.empty() || holders.back() != at) holders.push_back(at);
      }
    });
  }
}

std::vector<Verifier::Judge::Seat> Verifier::Judge::seats_of(mad::Lid mlid) const {
  std::vector<Seat> seats;
  const auto found = members_.find(mlid);
  if (found == members_.end()) return seats;
  seats.reserve(found->second.size());
  std::size_t next = 0;
  for (const auto& [guid, role] : found->second) {
    const Place* place = ground_.place(guid, next);
    if (place == nullptr || !ground_.has_table(place->at, mlid)) continue;
    seats.push_back({guid, role, *place});
  }
  return seats;
}

void Verifier::Judge::judge_link(mad::Lid mlid, PortIndex near, PortIndex far, Labels& joined) {
  const SwitchIndex at{topology_.node_of(near).value};
  const SwitchIndex there{topology_.node_of(far).value};
  const mad::PortNumber out = topology_.number_of(near);
  const bool back = tables_.contains(there, mlid, topology_.number_of(far));
  if (!back) add({TreeFault::OneWay, mlid, at, out, {}});
  if (back && far < near) return;  // seen from the other end
  const std::uint32_t a = root_of(joined, at.value);
  const std::uint32_t b = root_of(joined, there.value);
  if (a == b) {
    add({TreeFault::Cycle, mlid, at, out, {}});
  } else {
    joined[a] = b;
  }
}

void Verifier::Judge::judge_port(mad::Lid mlid, SwitchIndex at, mad::PortNumber port,
                                 Labels& joined) {
  if (port.value > topology_.node(at).port_count) {
    add({TreeFault::NoLink, mlid, at, port, {}});
    return;
  }
  const PortIndex near = topology_.port_of(at, port);
  const PortIndex far = topology_.peer(near);
  if (port.value != 0 && far == fabric::kNoPort) {
    add({TreeFault::NoLink, mlid, at, port, {}});
  } else if (port.value != 0 && topology_.is_switch(topology_.node_of(far))) {
    judge_link(mlid, near, far, joined);
  } else if (!awaited_[at.value].contains(port)) {
    add({TreeFault::Stranger, mlid, at, port, {}});
  }
}

void Verifier::Judge::judge_reach(mad::Lid mlid, const std::vector<Seat>& seats, Labels& joined) {
  Labels& possible = ground_.reachable(mlid);
  std::map<std::uint32_t, SwitchIndex> first;              // member's switch by what can be reached
  std::map<std::uint32_t, std::uint64_t> member_switches;  // by what is reached
  std::vector<bool> counted(topology_.switch_count());
  for (const Seat& seat : seats) {
    first.emplace(root_of(possible, seat.place.at.value), seat.place.at);
    if (counted[seat.place.at.value]) continue;
    counted[seat.place.at.value] = true;
    ++member_switches[root_of(joined, seat.place.at.value)];
  }
  for (const Seat& seat : seats) {
    const std::uint32_t here = root_of(joined, seat.place.at.value);
    const SwitchIndex other = first.at(root_of(possible, seat.place.at.value));
    const bool has_bit =
        seat.role != Role::Receiver || tables_.contains(seat.place.at, mlid, seat.place.out);
    if (!has_bit || root_of(joined, other.value) != here) {
      add({TreeFault::NotReached, mlid, seat.place.at, seat.place.out, seat.member});
    } else if (seat.role == Role::Receiver) {
      result_.deliveries += member_switches[here];
    }
  }
}

void Verifier::Judge::judge_lid(mad::Lid mlid, const std::vector<Holder>& holders) {
  ++result_.mlids;
  const auto seats = seats_of(mlid);
  std::vector<bool> has_members(topology_.switch_count());
  for (const Seat& seat : seats) {
    has_members[seat.place.at.value] = true;
    if (seat.role == Role::Receiver) awaited_[seat.place.at.value].insert(seat.place.out);
  }
  Labels joined = all_apart(topology_.switch_count());
  for (const auto& [at, ports] : holders) {
    if (!members_.contains(mlid)) {
      add({TreeFault::ForeignEntry, mlid, at, {}, {}});
      continue;
    }
    if (!ground_.has_table(at, mlid)) add({TreeFault::NoTable, mlid, at, {}, {}});
    ports.for_each([&, at = at](mad::PortNumber port) { judge_port(mlid, at, port, joined); });
    const bool is_end = ports.size() == 1 && !has_members[at.value];
    if (is_end) add({TreeFault::Idle, mlid, at, {}, {}});
  }
  judge_reach(mlid, seats, joined);
  for (const Seat& seat : seats) awaited_[seat.place.at.value] = {};
}

TreeVerification Verifier::Judge::judge_all() {
  find_entries();
  for (const auto& [mlid, members] : members_) entries_.try_emplace(mlid);
  std::vector<Holder> holders;
  for (const auto& [mlid, switches] : entries_) {
    holders.clear();
    for (const SwitchIndex at : switches) holders.push_back({at, tables_.entry(at, mlid)});
    judge_lid(mlid, holders);
  }
  return std::move(result_);
}

TreeVerification Verifier::Judge::judge(std::span<const mad::Lid> mlids) {
  for (const mad::Lid mlid : mlids) {
    std::vector<Holder> holders;
    for (std::uint32_t s = 0; s < tables_.switch_count(); ++s) {
      const PortSet ports = tables_.entry(SwitchIndex{s}, mlid);
      if (!ports.empty()) holders.push_back({SwitchIndex{s}, ports});
    }
    judge_lid(mlid, holders);
  }
  return std::move(result_);
}

Verifier::Verifier(const fabric::Topology& topology)
    : ground_(std::make_unique<Ground>(topology)) {}
Verifier::~Verifier() = default;
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;

TreeVerification Verifier::verify(const Tables& tables, std::span<const RoleChange> roles) {
  return Judge(*ground_, tables, roles).judge_all();
}

TreeVerification Verifier::verify(const Tables& tables, std::span<const RoleChange> roles,
                                  std::span<const mad::Lid> mlids) {
  return Judge(*ground_, tables, roles).judge(mlids);
}

TreeVerification verify(const fabric::Topology& topology, const Tables& tables,
                        std::span<const RoleChange> roles) {
  return Verifier(topology).verify(tables, roles);
}

std::string describe(const fabric::Topology& topology, const TreeFaultSample& sample) {
  const std::string lid = base::hex(sample.mlid.value, 4);
  const std::string& name = topology.node(sample.at).description;
  const unsigned port = sample.port.value;
  switch (sample.fault) {
    case TreeFault::Cycle:
      return fmt::format("packets to {} can come back to {} through port {}", lid, name, port);
    case TreeFault::OneWay:
      return fmt::format("{} port {} forwards {}, and nothing comes back", name, port, lid);
    case TreeFault::NotReached:
      return fmt::format("{} at {} port {} is cut off from {}", base::hex(sample.member.value),
                         name, port, lid);
    case TreeFault::Stranger:
      return fmt::format("{} port {} forwards {} to somebody who does not receive it", name, port,
                         lid);
    case TreeFault::NoLink:
      return fmt::format("{} port {} forwards {} to a port without a link", name, port, lid);
    case TreeFault::NoTable:
      return fmt::format("{} has no entry for {}, but is given one", name, lid);
    case TreeFault::ForeignEntry:
      return fmt::format("{} forwards {}, which nobody is a member of", name, lid);
    case TreeFault::Idle:
      return fmt::format("the tree of {} leads to {}, where nobody is a member", lid, name);
  }
  return {};
}

}  // namespace heddle::multicast
