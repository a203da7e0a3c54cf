// SPDX-License-Identifier: BSD-3-Clause
#include "sm/key_recovery.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sm {
namespace {

// Request::key of what is asked here; the keys of a port itself are far fewer.
constexpr std::uint8_t kOfAnother = 0xFF;
// One after the other for each port: where all are a stranger's, this is where it ends.
constexpr std::size_t kMostRequests = 65'536;

std::vector<mad::Guid> known_ports(const Context& context) {
  std::vector<mad::Guid> guids = context.keys.remembered();
  const fabric::Observation& observation = context.picture.observation;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    const fabric::ObservedNode& node = observation[{n}];
    if (node.is_switch()) {
      guids.push_back(node.info.port_guid);
      continue;
    }
    for (const auto& port : node.ports) {
      if (port.guid != mad::Guid{}) guids.push_back(port.guid);
    }
  }
  std::sort(guids.begin(), guids.end());
  guids.erase(std::unique(guids.begin(), guids.end()), guids.end());
  return guids;
}

std::size_t hash_of(const std::vector<mad::Guid>& guids) {
  std::size_t hash = guids.size();
  for (const mad::Guid guid : guids) hash = hash * 31 + std::hash<mad::Guid>()(guid);
  return hash;
}

}  // namespace

bool KeyRecovery::begin(Context& context) {
  if (locked_.empty()) return false;
  const auto ports = known_ports(context);
  owners_ = hash_of(ports);
  std::vector<Locked> worth_it;
  for (const Locked& port : std::exchange(locked_, {})) {
    const bool affordable = (worth_it.size() + 1) * ports.size() <= kMostRequests;
    const bool is_new = !context.keys.has_tried(port.guid, owners_);
    if (is_new && affordable && context.keys.per_port()) {
      worth_it.push_back(port);
    } else {
      give_up(context, port);
    }
  }
  if (worth_it.empty()) return false;
  keys_.clear();
  for (const mad::Guid guid : ports) context.keys.add_derived(guid, keys_);
  locked_ = std::move(worth_it);
  for (Locked& port : locked_) ask(context, port);
  return !context.transactions.idle();
}

bool KeyRecovery::ask(Context& context, Locked& port) const {
  if (port.tried == keys_.size()) return false;
  context.transactions.set_key(port.device, keys_[port.tried++]);
  Request request;
  request.device = port.device;
  request.purpose = Purpose::Discovery;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = port.end.port.value;
  request.subject = port.end.node.value;
  request.detail = port.end.port.value;
  request.key = kOfAnother;
  context.transactions.submit(request);
  return true;
}

void KeyRecovery::give_up(Context& context, const Locked& port) {
  context.transactions.lock(port.device);
  const NodeName name = context.picture.name(port.end.node);
  context.picture.note(port.end.node, text(name) + " is locked by an M_Key that is not ours");
  if (context.keys.is_news_that_locked(port.guid)) {
    context.events.say(PortLocked{name, port.guid});
  }
}

std::size_t KeyRecovery::owners(const Context& context) {
  return hash_of(known_ports(context));
}

bool KeyRecovery::has_asked(const Request& request) {
  return request.key == kOfAnother;
}

bool KeyRecovery::on_answer(Context& context, const Answer& answer) {
  const auto port = std::find_if(locked_.begin(), locked_.end(), [&](const Locked& each) {
    return each.device == answer.request.device;
  });
  if (port == locked_.end()) return false;
  const bool told = answer.answered && answer.status == mad::kStatusOk;
  // Restarted meanwhile, it shows none and hides none.
  const bool found = told && !hides_key(mad::decode<mad::PortInfo>(answer.data));
  if (!found && told) {
    if (ask(context, *port)) return false;
    context.keys.set_tried(port->guid, owners_);
  }
  if (!found) give_up(context, *port);
  locked_.erase(port);
  return found;
}

}  // namespace heddle::sm
