// SPDX-License-Identifier: BSD-3-Clause
// A sweep that the fabric overtakes, so that to begin anew is better than to go on.
#include <algorithm>

#include "sm/machine.hpp"

namespace heddle::sm {
namespace {

// So many repeated requests are reason to look at the own port again.
constexpr std::uint64_t kWorthALook = 8;

}  // namespace

// Whoever does not answer may have been asked through a cable that leads elsewhere now. Silence
// would tell that too, but late: another device may answer in their stead. The own port knows, and
// no way leads to it that could have died.
void Core::Machine::look_at_own_port() {
  const std::uint64_t retries = transactions.counters().retries;
  if (!in_sweep() || !picture.own || retries < retries_at_look + kWorthALook) return;
  retries_at_look = retries;
  Request request;
  request.device = *picture.device(*picture.own);
  request.purpose = Purpose::OwnPort;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = picture.own->port.value;
  request.optional = true;
  transactions.submit(request);
}

void Core::Machine::on_own_port(const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk || !picture.own) return;
  const auto& seen = picture.observation.port(*picture.own).info;
  const auto shown = mad::decode<mad::PortInfo>(answer.data);
  own_port_fell = own_port_fell || (seen && shown.port_state < seen->port_state);
}

// One that is known to be silent has been told of.
void Core::Machine::note_silence(const Request& request) {
  if (!in_sweep() || request.optional) return;
  const auto end = picture.end_of(request.device);
  const auto node = end ? std::optional(end->node) : std::nullopt;
  note_ailing(request, node);
  if (!node || stage == Stage::Discovery || picture.is_silent(request.device)) return;
  if (transactions.is_locked(request.device)) return;
  const auto& seen = picture.observation[*node];
  if (seen.is_switch()) fallen_switches.insert(seen.info.node_guid);
}

// What is silent beyond a port, and who manages, is asked by every light sweep.
void Core::Machine::note_ailing(const Request& request, std::optional<fabric::ObservedIndex> node) {
  const bool discovers = request.purpose == Purpose::Discovery;
  const bool of_manager = discovers && request.attribute == mad::AttributeId::SMInfo;
  if (request.beyond.value != 0 || of_manager) return;
  // Patience sees to those that answer nothing. Suspected of more, they have everything read.
  const bool is_kept = node && transactions.is_locked(request.device);
  stranger_silent |= !node || (is_kept && revisiting && stage == Stage::Discovery);
  if (!node || is_kept) return;
  auto& failure = ailing.note(picture.observation[*node].info.node_guid);
  failure.device = request.device;
  failure.undone |= stage != Stage::Discovery;
  if (!discovers || KeyRecovery::has_asked(request)) return;
  failure.switch_unread |= request.attribute == mad::AttributeId::SwitchInfo;
  const bool of_port = request.attribute == mad::AttributeId::PortInfo;
  if (of_port) failure.unread.insert(static_cast<std::uint8_t>(request.detail));
}

// When a sweep is over. Whoever left something undone is looked at again, and nobody else; all are
// where several begin to, or one answers nothing at all: those are not there, or the ways to them
// are not.
void Core::Machine::conclude_ailing(bool wrote) {
  for (const mad::Guid node : programming.tables_failed()) {
    auto& failure = ailing.note(node);
    failure.undone = failure.refuses_table = true;
  }
  std::uint64_t news = 0;
  bool mute = false;
  for (const auto& [node, failure] : ailing.failed()) {
    if (ailing.is_known(node)) continue;
    ++news;
    const bool left = !picture.observation.find(node);
    mute |= !failure.undone && (left || !transactions.is_heard(failure.device));
  }
  const auto* visited = revisiting ? &revisit.visited() : nullptr;
  ailing.conclude({sweep_began, options.sweep_interval, visited, wrote});
  if (news >= kManySilent || mute || stranger_silent || blind) {
    const bool any = !ailing.failed().empty() || stranger_silent;
    if (any) troubled = "something did not answer in the last sweep";
  }
  for (const auto& [node, failure] : ailing.failed()) {
    const bool last_look = ailing.unread(node) + 1 >= options.node_misses;
    if (last_look && is_half_known(node, failure)) {
      troubled = "a device has not told of its ports for long";
    }
  }
}

// What it showed before it fell silent is believed yet. Only a full sweep gives that up.
bool Core::Machine::is_half_known(mad::Guid node, const Ailing::Failure& failure) const {
  const auto known = picture.observation.find(node);
  if (!known) return false;
  const auto& seen = picture.observation[*known];
  if (failure.switch_unread && seen.switch_info) return true;
  const auto& ports = seen.ports;
  return std::any_of(failure.unread.begin(), failure.unread.end(), [&](std::uint8_t port) {
    return port < ports.size() && ports[port].info.has_value();
  });
}

// It answered a moment ago: every phase to come would wait for it again, and the routes lead
// through it. One that never answers what it is asked then is gone on without.
bool Core::Machine::has_switch_fallen() const {
  return !std::includes(fallen_before.begin(), fallen_before.end(), fallen_switches.begin(),
                        fallen_switches.end());
}

// Something is asked or written, and it is not routes that are waited for.
bool Core::Machine::in_sweep() const {
  return stage > Stage::Resting && stage < Stage::Watching && stage != Stage::Routing;
}

// A link changed under the sweep, and somebody falls silent: most likely the ways to it have died.
// Patience would only delay the look that finds the new ones. So it is where several leave the ways
// by which they answered a moment ago: each has others left, as like as not through the same dead
// cables, and would be waited for on each of them.
bool Core::Machine::is_overtaken() const {
  if (!in_sweep()) return false;
  if (own_port_fell && hurried < 3 * kMaxHurried) return true;
  if (stage > Stage::Discovery && loses_ways(too_many_to_lose()) && hurried < 3 * kMaxHurried) {
    return true;  // the own cable, as like as not: to go on would take minutes, and be in vain
  }
  if (hurried >= kMaxHurried) return false;
  const std::uint64_t lost = transactions.counters().lost_ways;
  if (stage > Stage::Discovery && lost >= lost_in_discovery + kManySilent) return true;
  if (stage > Stage::Discovery && has_switch_fallen()) return true;
  if (revisiting && stage == Stage::Discovery) return false;  // it goes where the traps lead
  if (lost >= kManySilent) return true;
  return !may_cut_short() && waits_after_change();
}

bool Core::Machine::waits_after_change() const {
  return retries_at_change && transactions.counters().retries > *retries_at_change;
}

// All tables stand, and only the links that this sweep was about are yet to be raised.
bool Core::Machine::may_cut_short() const {
  return revisiting && stage >= Stage::LinkFields && stage <= Stage::VirtualActivate;
}

// A link that is lost as it is raised must not have the whole fabric read. Its ends tell the rest.
void Core::Machine::cut_short() {
  transactions.cancel();
  suspicion.nodes.insert(revisit.visited().begin(), revisit.visited().end());
  suspicion.entirely.insert(revisit.visited().begin(), revisit.visited().end());
  if (suspicion.reason.empty()) suspicion.reason = "a link changed while others were raised";
  finish_links();
}

// Several answered a moment ago and do not now: not their agents have died, but a cable that the
// ways to them share. Every phase would wait for each of them again.
bool Core::Machine::loses_ways(std::uint64_t many) const {
  return transactions.counters().fell_silent >= silent_in_discovery + many;
}

std::uint64_t Core::Machine::too_many_to_lose() const {
  constexpr std::uint64_t kMost = 8;  // each of them costs a second of waiting, or more
  return std::max(kManySilent, std::min<std::uint64_t>(transactions.device_count() / 4, kMost));
}

// What is under way may or may not have been written: nothing that a switch holds is certain.
void Core::Machine::begin_anew() {
  ++hurried;
  end_phase();
  late_blocks.merge(programming.unsettled_blocks(context()));
  fallen_switches.insert(fallen_before.begin(), fallen_before.end());  // of this one, too
  const bool others_wrote = others_may_have_written || discovery.written_by_others();
  tables_are_ours = stage == Stage::Discovery && !others_wrote && !own_port_fell;
  begin_sweep("the fabric changed during the sweep");
}

}  // namespace heddle::sm
