// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_orders.hpp"

#include <span>

#include "base/check.hpp"
#include "sm/port_set.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

ObservedEnd end_of(const Request& request) {
  return {ObservedIndex{request.subject}, {static_cast<std::uint8_t>(request.modifier)}};
}

}  // namespace

void OrderProgramming::begin(Context& context, const std::vector<ObservedEnd>& off,
                             const std::vector<ObservedEnd>& on) {
  for (const ObservedEnd end : off) submit(context, end, true);
  for (const ObservedEnd end : on) submit(context, end, false);
}

void OrderProgramming::submit(Context& context, ObservedEnd end, bool off) {
  const auto device = context.picture.device(end);
  const auto& info = context.picture.observation.port(end).info;
  if (!device || !info) return;
  Request request;
  request.device = *device;
  request.purpose = Purpose::Orders;
  request.method = mad::Method::Set;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = port_info_modifier(context.picture, end);
  request.subject = end.node.value;
  request.detail = off ? 1 : 0;
  context.transactions.submit(request);
}

// IBA vol. 1, 14.2.5.6: the physical state may be set with PortState at NoChange or Down only.
mad::SmpData OrderProgramming::data_for(const Context& context, const Request& request) const {
  const ObservedEnd end = end_of(request);
  const auto& observed = context.picture.observation.port(end).info;
  HEDDLE_CHECK(observed.has_value());
  mad::PortInfo info = unchanged(context, request.device, *observed);
  info.port_physical_state =
      request.detail != 0 ? mad::PortPhysicalState::Disabled : mad::PortPhysicalState::Polling;
  mad::SmpData data;
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void OrderProgramming::on_answer(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const ObservedEnd end = end_of(answer.request);
  if (answer.answered && answer.status == mad::kStatusOk) {
    // That a port is down is news, to be found and followed by the next look; that it is on is not.
    if (answer.request.detail == 0) {
      picture.observation.change(end).info = mad::decode<mad::PortInfo>(answer.data);
    }
    return;
  }
  const PortName name = picture.name(end);
  const char* which = answer.request.detail != 0 ? "off" : "on";
  picture.problems.push_back(text(name) + " was not switched " + which +
                             (answer.answered ? ": it refused" : ": it did not answer"));
  if (answer.answered) {
    context.events.say(
        SetRefused{name.node, answer.request.attribute, answer.request.modifier, answer.status});
  }
}

}  // namespace heddle::sm
