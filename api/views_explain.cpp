// SPDX-License-Identifier: BSD-3-Clause
// Why this way, this level, this state, this refusal: in sentences, from what the subnet manager
// has published and told. Nothing here is known that is not shown elsewhere in figures.
#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/lookup.hpp"
#include "api/path.hpp"
#include "api/views.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"
#include "mad/names.hpp"

namespace heddle::api {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

class Answers {
 public:
  template <class... Words>
  void add(const char* question, fmt::format_string<Words...> answer, Words&&... words) {
    rows_.push_back(
        {{"question", question}, {"answer", fmt::format(answer, std::forward<Words>(words)...)}});
  }
  Response response() { return json_response({{"answers", std::move(rows_)}}); }

 private:
  Json rows_ = Json::array();
};

std::string name_of(const sm::Snapshot& fabric, PortIndex port) {
  const auto& topology = fabric.topology;
  return fmt::format("{}/{}", topology.node(topology.node_of(port)).description,
                     topology.number_of(port).value);
}

// Links between switches from each switch to the one that a port hangs on, or is.
class Distances {
 public:
  Distances(const fabric::Topology& topology, PortIndex to)
      : topology_(topology), hops_(topology.switch_count(), kFar) {
    const NodeIndex node = topology.node_of(to);
    const auto attached = topology.attachment(to);
    if (!topology.is_switch(node) && !attached) return;
    const auto first = topology.is_switch(node) ? node.value : attached->at.value;
    hops_[first] = 0;
    for (std::deque<std::uint32_t> rest{first}; !rest.empty(); rest.pop_front()) {
      for_each_peer(SwitchIndex{rest.front()}, [&](mad::PortNumber, SwitchIndex peer) {
        if (hops_[peer.value] != kFar) return;
        hops_[peer.value] = hops_[rest.front()] + 1;
        rest.push_back(peer.value);
      });
    }
  }

  unsigned from(SwitchIndex at) const { return hops_[at.value]; }
  // Ports of a switch by which the rest of the way is shortest.
  unsigned shortest_ports(SwitchIndex at) const {
    unsigned count = 0;
    for_each_peer(at, [&](mad::PortNumber, SwitchIndex peer) {
      count += hops_[peer.value] + 1 == hops_[at.value];
    });
    return count;
  }

 private:
  static constexpr unsigned kFar = 1u << 20;

  template <class Visit>
  void for_each_peer(SwitchIndex at, const Visit& visit) const {
    const NodeIndex node{at.value};
    for (unsigned i = 1; i <= topology_.node(node).port_count; ++i) {
      const mad::PortNumber number{static_cast<std::uint8_t>(i)};
      const PortIndex peer = topology_.peer(topology_.port_of(node, number));
      if (peer == fabric::kNoPort || !topology_.is_switch(topology_.node_of(peer))) continue;
      visit(number, SwitchIndex{topology_.node_of(peer).value});
    }
  }

  const fabric::Topology& topology_;
  std::vector<unsigned> hops_;
};

// --- a path --------------------------------------------------------------------------------------

class PathExplained {
 public:
  PathExplained(const sm::Snapshot& fabric, Path path) : fabric_(fabric), path_(std::move(path)) {}

  Response response() {
    say_whether();
    say_way();
    if (fabric_.view != nullptr && path_.record) {
      say_level();
      say_key();
      say_rate();
    }
    return answers_.response();
  }

 private:
  void say_whether() {
    constexpr const char* kQuestion = "Is there a path?";
    const std::string from = name(path_.from, path_.guests.from);
    const std::string to = name(path_.to, path_.guests.to);
    if (!path_.trouble.empty()) {
      answers_.add(kQuestion, "No: packets from {} to {} do not arrive, {}", from, to,
                   path_.trouble);
    } else if (fabric_.view == nullptr) {
      answers_.add(kQuestion, "Packets arrive; what clients are told is the master's to say");
    } else if (path_.record) {
      answers_.add(kQuestion, "Yes: packets from {} to LID {} arrive at {}", from, path_.lid.value,
                   to);
    } else if (!fabric_.view->may_talk(from_member(), to_member())) {
      answers_.add(kQuestion,
                   "Clients are told of none: {} and {} share no partition in which not both are "
                   "limited members",
                   from, to);
    } else {
      answers_.add(kQuestion,
                   "Clients are told of none, although packets arrive: the way back does not, or "
                   "the quality-of-service policy forbids it");
    }
  }

  // What memberships know the ends by.
  PortIndex from_member() const {
    return path_.guests.from == nullptr ? path_.from : path_.guests.from->member;
  }
  PortIndex to_member() const {
    return path_.guests.to == nullptr ? path_.to : path_.guests.to->member;
  }
  std::string name(PortIndex port, const sa::VirtualPort* guest) const {
    const std::string host = name_of(fabric_, port);
    if (guest == nullptr) return host;
    return fmt::format("virtual port {} of {}", guest->index, host);
  }

  void say_way() {
    const auto& topology = fabric_.topology;
    const Distances distances(topology, path_.to);
    if (fabric_.routes != nullptr) {
      const routing::Selected& selected = *fabric_.routes;
      std::string tried;
      for (const auto& rejected : selected.rejected) {
        tried += fmt::format("; {} was tried before: {}", rejected.engine, rejected.reason);
      }
      answers_.add("Why this way?", "The engine {} made the routes{}", selected.routes.engine,
                   tried);
    }
    for (const Hop& hop : path_.hops) {
      const NodeIndex node = topology.node_of(hop.out);
      const PortIndex peer = topology.peer(hop.out);
      if (!topology.is_switch(node) || peer == fabric::kNoPort) continue;
      const SwitchIndex here{node.value};
      const NodeIndex next = topology.node_of(peer);
      const std::string step = fmt::format("{} sends it to {}", name_of(fabric_, hop.out),
                                           topology.node(next).description);
      if (peer == path_.to || !topology.is_switch(next)) {
        answers_.add("Why this way?", "{}: the port that it is for hangs there", step);
      } else if (distances.from(SwitchIndex{next.value}) + 1 == distances.from(here)) {
        const unsigned ports = distances.shortest_ports(here);
        answers_.add("Why this way?", "{}: {}", step,
                     ports == 1 ? std::string("no other of its ports leads there in as few hops")
                                : fmt::format("{} of its ports lead there in as few hops, among "
                                              "which the engine deals out what they carry",
                                              ports));
      } else {
        answers_.add("Why this way?",
                     "{}: that is not the shortest way, which would lead packets into a circle of "
                     "full buffers, or which another rule of the engine forbids",
                     step);
      }
    }
  }

  void say_level() {
    const auto& view = *fabric_.view;
    const auto level = path_.record->sl.value;
    constexpr const char* kQuestion = "Why this service level?";
    if (view.levels_matter()) {
      answers_.add(kQuestion,
                   "{}: the routes are free of credit loops on the lanes that the engine gives to "
                   "each pair, so it alone decides",
                   level);
    } else if (view.rulebook() != nullptr) {
      answers_.add(kQuestion,
                   "{}: by the quality-of-service policy, for a query that names no ServiceID and "
                   "no QoS class",
                   level);
    } else if (view.level_of(path_.record->p_key).value != 0) {
      answers_.add(kQuestion, "{}: it is that of the partition {}", level,
                   base::hex(path_.record->p_key.value, 4));
    } else {
      answers_.add(kQuestion, "{}: nothing asks for another one", level);
    }
  }

  void say_key() {
    const auto key = path_.record->p_key;
    const auto& memberships = fabric_.view->subnet().memberships;
    constexpr const char* kQuestion = "Why this P_Key?";
    if (memberships == nullptr) {
      return answers_.add(kQuestion, "{}: there are no partitions but the default one",
                          base::hex(key.value, 4));
    }
    const auto common = memberships->common_keys(from_member(), to_member(), 64);
    const auto* partition = memberships->find(partitions::base_of(key));
    const std::string name = partition == nullptr ? "" : " (" + partition->name + ")";
    if (common.size() == 1) {
      return answers_.add(kQuestion, "{}{}: the two may talk through no other partition",
                          base::hex(key.value, 4), name);
    }
    answers_.add(kQuestion,
                 "{}{}: of the {} partitions through which the two may talk it is the one that a "
                 "query without a P_Key gets",
                 base::hex(key.value, 4), name, common.size());
  }

  void say_rate() {
    PortIndex slowest = fabric::kNoPort, narrowest = fabric::kNoPort;
    const auto& view = *fabric_.view;
    for (const Hop& hop : path_.hops) {
      const auto reach = view.reach(hop.out);
      if (slowest == fabric::kNoPort || reach.rate < view.reach(slowest).rate) slowest = hop.out;
      if (narrowest == fabric::kNoPort || reach.mtu < view.reach(narrowest).mtu) {
        narrowest = hop.out;
      }
    }
    if (slowest == fabric::kNoPort) return;
    answers_.add(
        "Why this rate and MTU?",
        "{} Gb/s is what {} carries, and no link on the way is slower; MTU {} is that of {}",
        mad::kSARates[view.reach(slowest).rate].tenths / 10.0, name_of(fabric_, slowest),
        mad::mtu_bytes(view.reach(narrowest).mtu), name_of(fabric_, narrowest));
  }

  const sm::Snapshot& fabric_;
  Path path_;
  Answers answers_;
};

// --- a port --------------------------------------------------------------------------------------

const char* meaning(mad::PortPhysicalState state) {
  switch (state) {
    case mad::PortPhysicalState::Polling:
      return "it looks for somebody at the other end: there is no cable, or what it leads to is "
             "off "
             "or switched off";
    case mad::PortPhysicalState::Disabled:
      return "it is switched off";
    case mad::PortPhysicalState::Sleep:
      return "it sleeps until it is woken";
    case mad::PortPhysicalState::PortConfigurationTraining:
      return "both ends are finding out how fast they can be; if that lasts, cable or port are bad";
    case mad::PortPhysicalState::LinkErrorRecovery:
      return "it tries to get over errors; if that lasts, cable or port are bad";
    case mad::PortPhysicalState::LinkUp:
      return "there is somebody at the other end";
    default:
      return "it does not say";
  }
}

// NODE/PORT, of any port there is.
base::Result<PortIndex> find_port(const sm::Snapshot& fabric, std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash == word.npos) return find_endport(fabric, word);
  const auto node = find_node(fabric, word.substr(0, slash));
  if (node.has_error()) return node.error();
  const auto number =
      base::parse_number(word.substr(slash + 1), fabric.topology.node(*node).port_count);
  if (!number) {
    return base::error(fmt::format("'{}' has ports up to {}",
                                   fabric.topology.node(*node).description,
                                   fabric.topology.node(*node).port_count));
  }
  return fabric.topology.port_of(*node, mad::PortNumber{static_cast<std::uint8_t>(*number)});
}

// The last of those that `wanted` likes, newest first, each a sentence with its time.
template <class Wanted>
std::vector<std::string> told(const State& state, std::size_t most, const Wanted& wanted) {
  std::vector<std::string> lines;
  const auto& events = state.journal->events();
  for (auto event = events.rbegin(); event != events.rend() && lines.size() < most; ++event) {
    if (!wanted(*event)) continue;
    lines.push_back(fmt::format("{} {} [{}]", text(event->time), event->sentence, event->name));
  }
  return lines;
}

bool speaks_of(const JournalEvent& event, std::string_view about) {
  return event.sentence.find(about) != std::string::npos ||
         std::any_of(event.fields.begin(), event.fields.end(), [&](const auto& field) {
           return field.second.find(about) != std::string::npos;
         });
}

void say_orders(const State& state, const fabric::Node& node, mad::PortNumber port,
                Answers& answers) {
  if (state.care == nullptr) return;
  for (const sm::OrderOutcome& outcome : state.care->orders) {
    if (outcome.order.node != node.guid || outcome.order.port != port) continue;
    answers.add("What was ordered?", "{}: {}", sm::name_of(outcome.order.order),
                outcome.carried_out ? std::string("it was carried out")
                                    : "it was not carried out, " + outcome.refusal);
  }
}

void say_losses(const State& state, const fabric::Node& node, mad::PortNumber port,
                Answers& answers) {
  for (const LostLink& link : state.losses.links()) {
    for (const auto& [here, there] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (here.node != node.guid || here.port != port) continue;
      answers.add("What was there?", "A link to {}/{}, which is lost since {}", there.name,
                  there.port.value, text(link.since));
    }
  }
}

void say_state(const sm::Snapshot& fabric, PortIndex port, Answers& answers) {
  constexpr const char* kQuestion = "Why this state?";
  const mad::PortInfo& info = fabric.registers->ports[port.value];
  const PortIndex peer = fabric.topology.peer(port);
  const std::string words =
      fmt::format("{} is {} and {}", name_of(fabric, port), mad::name_of(info.port_state),
                  mad::name_of(info.port_physical_state));
  const bool is_port0 = fabric.topology.number_of(port).value == 0;
  if (is_port0) return answers.add(kQuestion, "{}: the switch itself, which has no link", words);
  if (info.port_state == mad::PortState::Active && peer != fabric::kNoPort) {
    return answers.add(kQuestion, "{}: it is as it should be, and leads to {}", words,
                       name_of(fabric, peer));
  }
  answers.add(kQuestion, "{}: {}", words, meaning(info.port_physical_state));
  if (info.port_physical_state != mad::PortPhysicalState::LinkUp) return;
  if (peer == fabric::kNoPort) {
    answers.add(kQuestion,
                "Nobody at the other end has answered the subnet manager: it is silent, its M_Key "
                "is not ours, or it was left out");
  } else if (info.port_state != mad::PortState::Active) {
    answers.add(kQuestion,
                "The subnet manager brings a link up when its routes stand; what it met on the way "
                "is among the problems of heddle status and below");
  }
}

constexpr std::array<std::string_view, 12> kRefusals{
    "JoinRefused",    "SetRefused",    "HandoverRefused", "LinkOrderRefused",
    "EngineRejected", "RoutingFailed", "PKeyTableFull",   "StrangeManagerIgnored",
    "LinkHeldBack",   "PortLocked",    "LidConflict",     "NoisyPortQuarantined"};

}  // namespace

Response get_explain_path(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  Response otherwise;
  auto path = wanted_path(*state.fabric, target, otherwise);
  return path ? PathExplained(*state.fabric, std::move(*path)).response() : std::move(otherwise);
}

// Hosts have hundreds of them.
void say_guests(const sm::Snapshot& fabric, PortIndex port, Answers& answers) {
  constexpr const char* kQuestion = "What is behind it?";
  constexpr std::size_t kMost = 8;
  if (fabric.view == nullptr || fabric.view->subnet().virtual_ports == nullptr) return;
  const auto guests = fabric.view->subnet().virtual_ports->behind(port);
  for (const sa::VirtualPort& guest : guests.first(std::min(guests.size(), kMost))) {
    answers.add(kQuestion, "Virtual port {} ({}, {}) with {} LID {}", guest.index,
                guest.description, base::hex(guest.guid.value),
                guest.own_lid ? "its own" : "the shared", guest.lid.value);
  }
  if (guests.size() <= kMost) return;
  answers.add(kQuestion, "{} more; heddle show virtual-ports has all", guests.size() - kMost);
}

Response get_explain_port(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  const sm::Snapshot& fabric = *state.fabric;
  const std::string* word = parameter(target, "port");
  if (word == nullptr) return refusal(400, "port is wanted: NODE/PORT, a GUID or a LID");
  const auto port = find_port(fabric, *word);
  if (port.has_error()) return refusal(404, port.error().message);
  const fabric::Node& node = fabric.topology.node(fabric.topology.node_of(*port));
  const mad::PortNumber number = fabric.topology.number_of(*port);
  Answers answers;
  say_state(fabric, *port, answers);
  say_guests(fabric, *port, answers);
  say_losses(state, node, number, answers);
  say_orders(state, node, number, answers);
  const std::string guid = base::hex(node.guid.value);
  const std::string name = fmt::format("{}/{}", node.description, number.value);
  for (const std::string& line : told(state, 5, [&](const JournalEvent& event) {
         return speaks_of(event, name) || (node.port_count == 1 && speaks_of(event, guid));
       })) {
    answers.add("What was told of it?", "{}", line);
  }
  return answers.response();
}

Response get_explain_refusals(const State& state, const Request&, const Target& target) {
  const std::string* about = parameter(target, "about");
  Answers answers;
  for (const std::string& line : told(state, 20, [&](const JournalEvent& event) {
         const bool refuses =
             std::find(kRefusals.begin(), kRefusals.end(), event.name) != kRefusals.end();
         return refuses && (about == nullptr || speaks_of(event, *about));
       })) {
    answers.add("What was refused?", "{}", line);
  }
  return answers.response();
}

}  // namespace heddle::api
