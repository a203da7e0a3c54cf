// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cabling.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace heddle::plan {
namespace {

using End = Inventory::End;

// Which node of the fabric a device of the plan is.
class Devices {
 public:
  Devices(const Inventory& fabric, Match match) : match_(match) {
    for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
      const Inventory::Node& node = fabric.nodes[i];
      note(by_guid_, node.guid.value, i);
      note(by_name_, node.name, i);
      note(by_name_, node.description, i);
      if (!node.key.empty()) note(by_name_, node.key, i);
    }
  }

  std::optional<std::uint32_t> find(const CablingPlan::Device& device) const {
    if (match_ != Match::Name) {
      for (const std::uint64_t guid : {device.guid.value, guid_in(device.name)}) {
        if (const auto found = at(by_guid_, guid); found && guid != 0) return found;
      }
    }
    if (match_ == Match::Guid) return std::nullopt;
    if (const auto found = at(by_name_, device.name)) return found;
    if (!device.key.empty()) {
      if (const auto found = at(by_name_, device.key)) return found;
    }
    return device.description.empty() ? std::nullopt : at(by_name_, device.description);
  }

 private:
  static constexpr std::uint32_t kSeveral = 0xFFFF'FFFF;

  // "0x0c42a10300a9b026" or "S-0c42a10300a9b026"
  static std::uint64_t guid_in(std::string_view name) {
    if (name.size() > 2 && name[1] == '-') name.remove_prefix(2);
    return name.size() < 8 ? 0 : base::parse_hex(name).value_or(0);
  }

  template <class Map, class Key>
  static void note(Map& map, const Key& key, std::uint32_t node) {
    const auto [entry, is_new] = map.emplace(key, node);
    if (!is_new && entry->second != node) entry->second = kSeveral;
  }
  template <class Map, class Key>
  static std::optional<std::uint32_t> at(const Map& map, const Key& key) {
    const auto found = map.find(key);
    if (found == map.end() || found->second == kSeveral) return std::nullopt;
    return found->second;
  }

  Match match_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_guid_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

struct Wanted {
  End peer;
  const CablingPlan::Cable* cable = nullptr;
};

// A port as a step of a chain of cables that took each other's places: by a planned cable and an
// actual one in turn.
using Chain = std::vector<End>;

class Comparison {
 public:
  Comparison(const Inventory& fabric, const CablingPlan& plan, Match match, Findings& findings)
      : fabric_(fabric), plan_(plan), plugs_(fabric), findings_(findings) {
    find_devices(Devices(fabric, match));
  }

  void run() {
    if (named_nothing_) return;
    find_wanted();
    note_right_ones();
    // Chains that have an end first: what is left then are rings.
    for (const End port : odd_ports()) {
      if (done_.count(port) == 0 && (!wants(port) || !has(port))) tell_chain(follow(port));
    }
    for (const End port : odd_ports()) {
      if (done_.count(port) == 0) tell_ring(follow(port));
    }
    tell_strangers();
  }

 private:
  void add(Severity severity, std::string code, std::string text, std::vector<End> where,
           unsigned line) {
    Finding finding{severity, "cabling", std::move(code), std::move(text), {}, line};
    for (const End port : where) finding.where.push_back(name_of(fabric_, port));
    findings_.add(std::move(finding));
  }

  void find_devices(const Devices& devices) {
    std::size_t found = 0;
    for (const CablingPlan::Device& device : plan_.devices) {
      node_of_.push_back(devices.find(device));
      found += node_of_.back().has_value();
    }
    named_nothing_ = found == 0;
    if (named_nothing_ && !plan_.devices.empty()) {
      add(Severity::Error, "unknown",
          fmt::format("none of the {} devices of {} has a GUID or a name of this fabric: is it "
                      "the plan of another one?",
                      plan_.devices.size(), plan_.title),
          {}, 0);
    }
  }

  std::optional<End> resolve(const CablingPlan::End& end, const CablingPlan::Cable& cable) {
    const CablingPlan::Device& device = plan_.devices[end.device];
    const auto node = node_of_[end.device];
    if (node && end.port >= 1 && end.port <= fabric_.nodes[*node].port_count) {
      return End{*node, end.port};
    }
    if (node) {
      add(Severity::Error, "unknown",
          fmt::format("the plan has a cable in port {} of {}, which has {} ports", end.port,
                      device.name, fabric_.nodes[*node].port_count),
          {}, cable.line);
    } else if (complained_.insert(end.device).second) {
      add(Severity::Error, "unknown",
          fmt::format("the plan has a device {}, and the fabric has none", device.name), {},
          cable.line);
    }
    return std::nullopt;
  }

  void find_wanted() {
    for (const CablingPlan::Cable& cable : plan_.cables) {
      const auto a = resolve(cable.a, cable), b = resolve(cable.b, cable);
      if (!a || !b) continue;
      const auto taken = wanted_.count(*a) != 0 ? wanted_.find(*a) : wanted_.find(*b);
      if (taken != wanted_.end()) {
        add(Severity::Error, "planned-twice",
            fmt::format("the plan has two cables in {}", name_of(fabric_, taken->first)),
            {taken->first}, cable.line);
        continue;
      }
      wanted_[*a] = {*b, &cable};
      wanted_[*b] = {*a, &cable};
    }
  }

  bool wants(End port) const { return wanted_.count(port) != 0; }
  bool has(End port) const { return plugs_.cable(port) != nullptr; }

  void note_right_ones() {
    for (const auto& [port, want] : wanted_) {
      if (!has(port) || plugs_.peer(port) != want.peer) continue;
      done_.insert(port);
      const Rate is = plugs_.cable(port)->rate, meant = want.cable->rate;
      if (!is.known() || !meant.known() || port > want.peer) continue;
      if (lesser(is, meant) == meant) continue;
      add(Severity::Warning, "slow",
          fmt::format("{} - {} runs at {} and was planned as {}", name_of(fabric_, port),
                      name_of(fabric_, want.peer), name_of(is), name_of(meant)),
          {port, want.peer}, want.cable->line);
    }
  }

  // Ports with a cable, planned or there, in order.
  std::set<End> odd_ports() const {
    std::set<End> ports;
    for (const auto& [port, want] : wanted_) ports.insert(port);
    for (const Inventory::Cable& cable : fabric_.cables) ports.insert({cable.a, cable.b});
    return ports;
  }

  // From a port on, by the planned cable first if it has one and the chain may begin so.
  Chain follow(End from) {
    Chain chain{from};
    done_.insert(from);
    bool by_plan = wants(from);
    for (;;) {
      const End at = chain.back();
      if (by_plan ? !wants(at) : !has(at)) return chain;
      const End next = by_plan ? wanted_.at(at).peer : plugs_.peer(at);
      by_plan = !by_plan;
      if (!done_.insert(next).second) return chain;
      chain.push_back(next);
    }
  }

  std::string link(End a, End b) const {
    return fmt::format("{} - {}", name_of(fabric_, a), name_of(fabric_, b));
  }
  unsigned plan_line(End port) const { return wants(port) ? wanted_.at(port).cable->line : 0; }

  // Beginning with a planned cable if the first port is in the plan.
  void tell_chain(const Chain& chain) {
    const bool planned_first = wants(chain[0]);
    if (chain.size() == 1) return;  // a plug that leads to its own port
    if (chain.size() == 2 && planned_first) {
      add(Severity::Error, "missing",
          fmt::format("the cable {} is missing", link(chain[0], chain[1])), chain,
          plan_line(chain[0]));
    } else if (chain.size() == 2) {
      add(Severity::Warning, "extra",
          fmt::format("the cable {} is not in the plan", link(chain[0], chain[1])), chain,
          plugs_.cable(chain[0])->line);
    } else if (chain.size() == 3) {
      // One cable: planned into one end of the chain, plugged into the other.
      const End meant = planned_first ? chain[0] : chain[2];
      const End is = planned_first ? chain[2] : chain[0];
      add(Severity::Error, "moved",
          fmt::format("the cable from {} is in {} and should be in {}", name_of(fabric_, chain[1]),
                      name_of(fabric_, is), name_of(fabric_, meant)),
          {chain[1], is, meant}, plan_line(chain[1]));
    } else {
      add(Severity::Error, "tangled",
          fmt::format("cables took each other's ports: {}", orders(chain, planned_first)), chain,
          plan_line(chain[1]));
    }
  }

  // What has to be done, one sentence for each planned cable of a chain or ring.
  std::string orders(const Chain& chain, bool planned_first) const {
    std::vector<std::string> wishes;
    for (std::size_t i = planned_first ? 0 : 1; i + 1 < chain.size(); i += 2) {
      wishes.push_back(fmt::format("{} belongs to {}", name_of(fabric_, chain[i]),
                                   name_of(fabric_, chain[i + 1])));
    }
    return fmt::format("{}", fmt::join(wishes, ", "));
  }

  void tell_ring(const Chain& ring) {
    if (ring.size() != 4) {
      add(Severity::Error, "rotated",
          fmt::format("{} cables took each other's ports in a ring: {}", ring.size() / 2,
                      orders(ring, true)),
          ring, plan_line(ring[0]));
      return;
    }
    // a was to lead to b and c to d; but b leads to c and d to a.
    const auto [a, b, c, d] = std::tuple(ring[0], ring[1], ring[2], ring[3]);
    // Who plugs in two cables that end in one box mixes them up there.
    const bool at_first = a.node == c.node && b.node != d.node;
    const End x = at_first ? a : b, y = at_first ? c : d;
    add(Severity::Error, "swapped",
        fmt::format("the cables {} and {} are swapped: exchange the plugs in {} and {}", link(a, b),
                    link(c, d), name_of(fabric_, x), name_of(fabric_, y)),
        {a, b, c, d}, plan_line(a));
  }

  void tell_strangers() {
    std::set<std::uint32_t> known;
    for (const auto& node : node_of_) {
      if (node) known.insert(*node);
    }
    for (std::uint32_t i = 0; i < fabric_.nodes.size(); ++i) {
      if (known.count(i) != 0) continue;
      Finding finding{
          Severity::Info,          "cabling",
          "not-in-plan",           fmt::format("{} is not in the plan", fabric_.nodes[i].name),
          {fabric_.nodes[i].name}, fabric_.nodes[i].line};
      findings_.add(std::move(finding));
    }
  }

  const Inventory& fabric_;
  const CablingPlan& plan_;
  const Plugs plugs_;
  Findings& findings_;
  std::vector<std::optional<std::uint32_t>> node_of_;  // by device
  bool named_nothing_ = false;
  std::set<std::uint32_t> complained_;
  std::map<End, Wanted> wanted_;
  std::set<End> done_;
};

}  // namespace

CablingPlan as_plan(const Inventory& inventory) {
  CablingPlan plan;
  plan.title = inventory.title;
  for (const Inventory::Node& node : inventory.nodes) {
    plan.devices.push_back({node.name, node.key, node.description, node.guid});
  }
  for (const Inventory::Cable& cable : inventory.cables) {
    plan.cables.push_back(
        {{cable.a.node, cable.a.port}, {cable.b.node, cable.b.port}, cable.rate, cable.line});
  }
  return plan;
}

void check_cabling(const Inventory& fabric, const CablingPlan& plan, Match match,
                   Findings& findings) {
  Comparison(fabric, plan, match, findings).run();
}

}  // namespace heddle::plan
