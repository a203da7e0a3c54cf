// SPDX-License-Identifier: BSD-3-Clause
#include "sm/revisit.hpp"

#include <algorithm>
#include <utility>

#include "sm/ways.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

ObservedEnd subject_of(const Request& request) {
  return {{request.subject}, {static_cast<std::uint8_t>(request.detail)}};
}

mad::Guid guid_of(const Context& context, ObservedIndex node) {
  return context.picture.observation[node].info.node_guid;
}

// It was ours, and calls somebody else its master now. One that restarted calls nobody so.
bool is_of_another(const Picture& picture, const mad::PortInfo& before, const mad::PortInfo& now) {
  if (!picture.lids || picture.sm_port == fabric::kNoPort) return false;
  const mad::Lid ours = picture.lids->base(picture.sm_port);
  return before.master_sm_lid == ours && now.master_sm_lid != ours &&
         now.master_sm_lid != mad::kNoLid;
}

bool is_known(const Answer& answer) {
  return answer.answered && answer.status == mad::kStatusOk;
}

}  // namespace

void Suspicion::add(const Suspicion& other) {
  nodes.insert(other.nodes.begin(), other.nodes.end());
  entirely.insert(other.entirely.begin(), other.entirely.end());
  returned |= other.returned;
  cables.insert(cables.end(), other.cables.begin(), other.cables.end());
  if (reason.empty()) reason = other.reason;
}

void Revisit::begin(Context& context, const Suspicion& suspicion) {
  *this = {};
  managers_ = manager_nodes(context.picture);
  entirely_ = suspicion.entirely;
  changed_ = suspicion.returned;
  for (const ObservedEnd end : suspicion.cables) {
    suspect(context, end.node);
    entirely_.insert(guid_of(context, end.node));
    sever(context, end);
  }
  for (const mad::Guid node : suspicion.nodes) suspect(context, node);
}

bool Revisit::suspect(const Context& context, mad::Guid node) {
  const auto known = context.picture.observation.find(node);
  return known && suspect(context, *known);
}

bool Revisit::suspect(const Context& context, ObservedIndex node) {
  const bool is_new = visited_.insert(guid_of(context, node)).second;
  if (is_new) next_.push_back(node);
  return is_new;
}

// The cable of this port leads nowhere known any more; whoever is at the other end knows more.
void Revisit::sever(Context& context, ObservedEnd end) {
  auto& port = context.picture.observation.change(end);
  changed_ = true;
  port.dark = false;
  context.picture.observation.change(end.node).disbelieved.erase(end.port.value);
  if (!port.sighting) return;
  cables_changed_ = true;
  const ObservedEnd there = *std::exchange(port.sighting, std::nullopt);
  cut_.emplace(guid_of(context, end.node), end.port.value);
  cut_.emplace(guid_of(context, there.node), there.port.value);
  auto& other = context.picture.observation.change(there.node);
  auto& back = other.ports[there.port.value].sighting;
  if (back == end) back.reset();
  if (other.is_switch()) suspect(context, there.node);
}

void Revisit::on_answer(Context& context, Discovery& discovery, const Answer& answer) {
  switch (answer.request.attribute) {
    case mad::AttributeId::NodeDescription:
      return on_description(context, discovery, answer);
    case mad::AttributeId::SwitchInfo:
      return on_switch_info(context, discovery, answer);
    case mad::AttributeId::NodeInfo:
      return on_node_info(context, discovery, answer);
    case mad::AttributeId::PortInfo:
      on_port_info(context, answer);
      break;
    default:
      break;
  }
  discovery.on_answer(context, answer);
}

void Revisit::on_description(Context& context, Discovery& discovery, const Answer& answer) {
  const auto& node = context.picture.observation[{answer.request.subject}];
  const std::string before = node.description;
  discovery.on_answer(context, answer);
  changed_ = changed_ || node.description != before;
}

void Revisit::on_switch_info(Context& context, Discovery& discovery, const Answer& answer) {
  const ObservedIndex node{answer.request.subject};
  const auto& seen = context.picture.observation[node];
  if (answer.request.optional && !answer.answered) {
    silent_.push_back(node);
    return suspect_neighbours(context, node);
  }
  // A switch would know what that is.
  if (answer.answered && !is_known(answer)) is_misled_ = true;
  const mad::Guid guid = guid_of(context, node);
  bool changed = entirely_.count(guid) != 0;
  if (is_known(answer)) {
    const auto now = mad::decode<mad::SwitchInfo>(answer.data);
    // A switch that lost its tables lost its LinearFDBTop with them.
    const bool kept = seen.switch_info && seen.switch_info->linear_fdb_top == now.linear_fdb_top;
    if (!kept) context.picture.observation.table(node).forget();
    changed = changed || !kept || now.port_state_change;
  }
  discovery.on_answer(context, answer);
  // One that was met for the first time is being read already.
  const bool is_read = met_.count(guid) != 0;
  changed_ = changed_ || changed || is_read;
  if (!is_known(answer) || !changed || is_read) return;
  context.picture.findings.erase(node.value);
  discovery.read_switch(context, node);
  if (entirely_.count(guid) != 0) Discovery::ask_itself(context, node);
}

void Revisit::on_port_info(Context& context, const Answer& answer) {
  const ObservedEnd end = subject_of(answer.request);
  const auto& node = context.picture.observation[end.node];
  if (!is_known(answer)) return;
  const auto now = mad::decode<mad::PortInfo>(answer.data);
  const auto& before = node.ports[end.port.value].info;
  changed_ = changed_ || before != now;
  met_anothers_ |= before && is_of_another(context.picture, *before, now);
  if (!node.is_switch()) return;
  if (end.port.value == 0) {
    if (before && before->lid != now.lid) context.picture.observation.table(end.node).forget();
    return;
  }
  if (before && now.port_state < before->port_state) sever(context, end);
}

// Who was asked for its own NodeInfo.
void Revisit::on_own_word(Context& context, Discovery& discovery, const Answer& answer) {
  const ObservedIndex node{answer.request.subject};
  const mad::NodeInfo before = context.picture.observation[node].info;
  if (is_known(answer)) {
    is_misled_ |= mad::decode<mad::NodeInfo>(answer.data).node_guid != before.node_guid;
  }
  discovery.on_answer(context, answer);
  changed_ = changed_ || context.picture.observation[node].info != before;
}

void Revisit::on_node_info(Context& context, Discovery& discovery, const Answer& answer) {
  if (answer.request.beyond.value == 0) return on_own_word(context, discovery, answer);
  const ObservedEnd from = subject_of(answer.request);
  Picture& picture = context.picture;
  std::optional<ObservedIndex> known;
  std::optional<ObservedEnd> back;
  if (is_known(answer)) {
    const auto info = mad::decode<mad::NodeInfo>(answer.data);
    known = picture.observation.find(info.node_guid);
    const bool has_port =
        known && info.local_port_num.value < picture.observation[*known].ports.size();
    if (has_port) back = picture.observation[*known].ports[info.local_port_num.value].sighting;
  }
  discovery.on_answer(context, answer);
  const auto& met = picture.observation.port(from).sighting;
  if (!met && known) disputed_.insert(guid_of(context, *known));
  if (!met) return;
  changed_ = cables_changed_ = true;
  if (!known) {
    met_.insert(guid_of(context, met->node));
    visited_.insert(guid_of(context, met->node));
    return;
  }
  if (picture.observation[*known].is_switch()) {
    suspect(context, *known);
    // A port behind which nobody answered until now has no reason to be read again.
    const auto& entered = picture.observation[*known].ports[met->port.value];
    const bool is_up = entered.info && entered.info->port_state != mad::PortState::Down;
    if (is_up) discovery.look_beyond(context, *met);
  } else if (back && *back != from) {
    displaced_.push_back({*met, from});
    suspect(context, back->node);
  } else {
    reach_by(context, *met, from);
    discovery.read_again(context, *met);
  }
}

// Its old way may be the one that has just died.
void Revisit::reach_by(Context& context, ObservedEnd end, ObservedEnd from) {
  const auto device = context.picture.device(end);
  const auto asker = context.picture.device(from);
  if (!device || !asker) return;
  context.transactions.set_routes(*device, {context.transactions.route(*asker).then(from.port)});
}

// If the port it hung on has let go of it, it was moved; so it was where nothing leads to that port
// any more. Else there are two of them, and freezing the picture will show the contradiction.
void Revisit::settle_displaced(Context& context, Discovery& discovery, const Ways* in_the_end) {
  auto& observation = context.picture.observation;
  for (const Displaced& moved : std::exchange(displaced_, {})) {
    const auto& met = observation.port(moved.met_from).sighting;
    const auto& back = observation.port(moved.end).sighting;
    if (met != moved.end || back == moved.met_from) continue;
    const bool is_left = !back || (in_the_end != nullptr && !in_the_end->reaches(back->node));
    if (!is_left) {
      displaced_.push_back(moved);
      continue;
    }
    if (back) observation.change(*back).sighting.reset();
    observation.change(moved.end).sighting = moved.met_from;
    cables_changed_ = true;
    reach_by(context, moved.end, moved.met_from);
    discovery.read_again(context, moved.end);
  }
}

void Revisit::suspect_neighbours(const Context& context, ObservedIndex node) {
  for (const auto& port : context.picture.observation[node].ports) {
    if (port.sighting && context.picture.observation[port.sighting->node].is_switch()) {
      suspect(context, port.sighting->node);
    }
  }
}

bool Revisit::go_on(Context& context, Discovery& discovery) {
  for (;;) {
    settle_displaced(context, discovery, nullptr);
    if (!context.transactions.idle()) return true;
    auto& due = !next_.empty() ? next_ : !silent_.empty() ? silent_ : unreached_;
    if (due.empty()) break;
    const bool patiently = &due == &silent_;
    const std::size_t still_unreached = unreached_.size();
    const Ways ways(context.picture);
    if (cables_changed_) mend(context, ways);
    for (const ObservedIndex node : std::exchange(due, {})) {
      ways.reaches(node) ? ask(context, discovery, node, patiently) : unreached_.push_back(node);
    }
    if (!context.transactions.idle()) return true;
    if (&due == &unreached_ && unreached_.size() == still_unreached) break;
  }
  if (!displaced_.empty()) {
    const Ways ways(context.picture);
    settle_displaced(context, discovery, &ways);
    if (!context.transactions.idle()) return true;
  }
  forget_unreached(context);
  return false;
}

void Revisit::mend(Context& context, const Ways& ways) {
  mend_routes(context.picture, ways, context.transactions);
  cables_changed_ = false;
}

void Revisit::ask(Context& context, Discovery& discovery, ObservedIndex node, bool patiently) {
  Picture& picture = context.picture;
  if (!picture.observation[node].is_switch()) {
    for (std::size_t p = 0; p < picture.devices.of(node).size(); ++p) {
      const ObservedEnd end{node, {static_cast<std::uint8_t>(p)}};
      const bool hangs = picture.observation[node].ports[p].sighting.has_value();
      picture.findings.erase(node.value);
      if (picture.device(end) && hangs) discovery.read_again(context, end);
    }
    if (entirely_.count(guid_of(context, node)) != 0) Discovery::ask_itself(context, node);
    return;
  }
  Request request;
  request.device = *picture.device({node, {0}});
  request.purpose = Purpose::Discovery;
  request.attribute = mad::AttributeId::SwitchInfo;
  request.subject = node.value;
  request.optional = !patiently;
  context.transactions.submit(request);
}

void Revisit::forget_unreached(Context& context) {
  Picture& picture = context.picture;
  const Ways ways(picture);
  // The last answers may have shown that a cable leads elsewhere, too.
  if (cables_changed_) mend(context, ways);
  std::vector<bool> keep(picture.observation.size());
  for (std::uint32_t n = 0; n < keep.size(); ++n) {
    keep[n] = ways.reaches({n});
    // The other one is all that is left.
    is_misled_ |= !keep[n] && disputed_.count(guid_of(context, {n})) != 0;
  }
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return;
  const auto moved = picture.observation.keep_only(keep);
  std::map<std::uint32_t, std::vector<std::string>> findings;
  for (std::uint32_t n = 0; n < moved.size(); ++n) {
    if (!moved[n]) {
      for (const auto& device : picture.devices.of({n})) {
        if (device) forget_manager(picture, *device);
      }
      continue;
    }
    const auto found = picture.findings.find(n);
    if (found != picture.findings.end()) {
      findings.emplace(moved[n]->value, std::move(found->second));
    }
  }
  picture.devices.keep_only(moved);
  picture.findings = std::move(findings);
  picture.own->node = *moved[picture.own->node.value];
}

}  // namespace heddle::sm
