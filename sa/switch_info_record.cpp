// SPDX-License-Identifier: BSD-3-Clause
#include "mad/switch_info_record.hpp"

#include "sa/handlers.hpp"
#include "sa/switches.hpp"

namespace heddle::sa {

mad::Status find_switch_info_records(const View& view, const Query& query, Records& records) {
  auto wanted = query.record<mad::SwitchInfoRecord>();
  const bool one = query.asks(mad::component<&mad::SwitchInfoRecord::lid>());
  const SwitchRange range = switches_of(view, one ? &wanted.lid : nullptr);
  for (std::uint32_t s = range.begin; s < range.end && !records.full(); ++s) {
    const mad::Lid lid = lid_of(view, fabric::SwitchIndex{s});
    const auto port0 = view.topology().port_of(fabric::SwitchIndex{s}, mad::PortNumber{0});
    if (lid == mad::kNoLid || !view.may_see(query, port0)) continue;
    records.offer(query, wanted, mad::SwitchInfoRecord{lid, view.subnet().registers->switches[s]});
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
