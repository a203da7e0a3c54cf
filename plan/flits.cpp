// SPDX-License-Identifier: BSD-3-Clause
#include "plan/flits.hpp"

#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::plan {
namespace {

using fabric::PortIndex;
using fabric::SwitchIndex;

std::string routes_text(const fabric::LidMap& lids, const fabric::ForwardingTables& tables,
                        std::uint32_t at) {
  std::string text = fmt::format("routes {}", at);
  for (std::uint32_t number = 1; number <= lids.top().value; ++number) {
    const mad::Lid lid{static_cast<std::uint16_t>(number)};
    const auto out = tables.out_port(SwitchIndex{at}, lid);
    if (lids.owner(lid) == fabric::kNoPort || out == mad::kNoPortNumber) continue;
    fmt::format_to(std::back_inserter(text), " {}:{}", number, out.value);
  }
  return text + "\n";
}

}  // namespace

void tell_flits(const fabric::Topology& topology, const fabric::LidMap& lids,
                const fabric::ForwardingTables& tables, unsigned vls,
                const std::function<Rate(PortIndex)>& rate_of,
                const std::function<void(const std::string&)>& take) {
  std::string text = fmt::format("heddle-flits 1\nvls {}\n", vls);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const auto& node = topology.node(SwitchIndex{s});
    text += fmt::format("router {} {} {} {} {}\n", s, base::hex(node.guid.value), node.port_count,
                        lids.base(topology.port_of(SwitchIndex{s}, mad::PortNumber{0})).value,
                        node.description);
  }
  std::size_t hosts = 0;
  for (const PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (!at || at->out.value == 0) continue;
    const auto range = lids.range(port);
    text += fmt::format("host {} {} {} {} {} {:g} {}:{}\n", hosts++, range.base.value,
                        range.count(), at->at.value, at->out.value, data_gigabits(rate_of(port)),
                        topology.node(topology.node_of(port)).description,
                        topology.number_of(port).value);
  }
  for (const fabric::Channel& channel : topology.channels()) {
    const PortIndex port = topology.port_of(channel.from, channel.out);
    text += fmt::format("channel {} {} {} {} {:g}\n", channel.from.value, channel.out.value,
                        channel.to.value, channel.in.value, data_gigabits(rate_of(port)));
  }
  take(text);
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) take(routes_text(lids, tables, s));
}

}  // namespace heddle::plan
