// SPDX-License-Identifier: BSD-3-Clause
#include "plan/column_flow.hpp"

#include <algorithm>

namespace heddle::plan {

using fabric::SwitchIndex;

ColumnFlow::ColumnFlow(const fabric::Topology& topology, const fabric::LidMap& lids,
                       const fabric::ForwardingTables& tables)
    : topology_(topology),
      lids_(lids),
      tables_(tables),
      out_(topology.switch_count()),
      feeders_(topology.switch_count()) {}

fabric::ChannelIndex ColumnFlow::channel(SwitchIndex at, mad::PortNumber out) const {
  const bool exists = out.value <= topology_.node(at).port_count;
  return exists ? topology_.channel_by_port(at, out) : fabric::kNoChannel;
}

bool ColumnFlow::plant(mad::Lid lid, std::span<const Change> changes) {
  const fabric::PortIndex owner = lids_.owner(lid);
  if (owner == fabric::kNoPort) return false;
  const auto attachment = topology_.attachment(owner);
  if (!attachment || attachment->out.value == 0) return false;
  target_ = attachment->at;
  for (std::uint32_t s = 0; s < out_.size(); ++s) {
    out_[s] = channel(SwitchIndex{s}, tables_.out_port(SwitchIndex{s}, lid));
  }
  for (const Change& change : changes) out_[change.at.value] = channel(change.at, change.out);
  out_[target_.value] = fabric::kNoChannel;
  std::fill(feeders_.begin(), feeders_.end(), 0u);
  for (const auto out : out_) {
    if (out != fabric::kNoChannel) ++feeders_[topology_.channels()[out.value].to.value];
  }
  ready_.clear();
  for (std::uint32_t s = 0; s < out_.size(); ++s) {
    if (feeders_[s] == 0) ready_.push_back(s);
  }
  return true;
}

}  // namespace heddle::plan
