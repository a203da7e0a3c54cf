// SPDX-License-Identifier: BSD-3-Clause
#include "routing/traffic.hpp"

namespace heddle::routing {
namespace {

// So that what is named decides and the rest spreads over what that leaves equal.
constexpr std::uint32_t kMuch = 16, kLittle = 1;

std::uint32_t between(HostClass a, HostClass b) {
  if (a == HostClass::Other || b == HostClass::Other) return kLittle;
  return a == HostClass::Io && b == HostClass::Io ? kLittle : kMuch;
}

}  // namespace

Traffic::Traffic(const Request& request, const Destinations& destinations) {
  const HostClasses classes(request.options);
  if (classes.none_named()) {
    sent_[0] = destinations.hosts;
    return;
  }
  for (auto& sent : sent_) sent.resize(destinations.hosts.size());
  class_of_.resize(std::size_t{request.lids.top().value} + 1);
  for (const fabric::PortIndex endport : request.topology.endports()) {
    const auto base = request.lids.base(endport);
    const auto place = request.topology.attachment(endport);
    if (!place || place->out.value == 0 || base == mad::kNoLid) continue;
    const HostClass own = classes.of(request.topology.port(endport).guid);
    class_of_[base.value] = static_cast<std::uint8_t>(own);
    for (std::size_t to = 0; to < kHostClasses; ++to) {
      sent_[to][place->at.value] += between(own, static_cast<HostClass>(to));
    }
  }
}

}  // namespace heddle::routing
