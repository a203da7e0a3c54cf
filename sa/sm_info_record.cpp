// SPDX-License-Identifier: BSD-3-Clause
#include "mad/sm_info_record.hpp"

#include "sa/handlers.hpp"

namespace heddle::sa {

mad::Status find_sm_info_records(const View& view, const Query& query, Records& records) {
  constexpr auto key = mad::component<&mad::SMInfoRecord::sm_info, &mad::SMInfo::sm_key>();
  if (!query.trusted && query.asks(key)) return mad::kSAReqDenied;
  auto wanted = query.record<mad::SMInfoRecord>();
  if (query.asks(mad::component<&mad::SMInfoRecord::lid>())) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort) return mad::kStatusOk;
    wanted.lid = view.lid(port);
  }
  for (const SeatOfSM& manager : view.subnet().managers) {
    if (manager.port == fabric::kNoPort || view.lid(manager.port) == mad::kNoLid) continue;
    if (!view.may_see(query, manager.port)) continue;
    mad::SMInfoRecord record{view.lid(manager.port), manager.info};
    if (!query.trusted) record.sm_info.sm_key = {};
    records.offer(query, wanted, record);
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
