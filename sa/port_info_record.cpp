// SPDX-License-Identifier: BSD-3-Clause
#include "mad/port_info_record.hpp"

#include "sa/handlers.hpp"
#include "sa/virtual_records.hpp"

namespace heddle::sa {
namespace {

constexpr auto kMask =
    mad::component<&mad::PortInfoRecord::port_info, &mad::PortInfo::capability_mask>();
constexpr auto kMask2 =
    mad::component<&mad::PortInfoRecord::port_info, &mad::PortInfo::capability_mask2>();
constexpr auto kMKey = mad::component<&mad::PortInfoRecord::port_info, &mad::PortInfo::m_key>();

// A query whose capability masks are compared here (15.2.5.3), and not by the component mask.
class Search {
 public:
  Search(const View& view, const Query& query)
      : view_(view), query_(query), wanted_(query.record<mad::PortInfoRecord>()) {
    const std::uint32_t modifier = query.header.mad.attribute_modifier;
    std::uint64_t& mask = query_.header.component_mask;
    if ((modifier & mad::kCapabilityMaskContains) != 0 && query.asks(kMask)) {
      contains_ = wanted_.port_info.capability_mask;
      mask &= ~kMask;
    }
    if ((modifier & mad::kCapabilityMask2Contains) != 0 && query.asks(kMask2)) {
      contains2_ = wanted_.port_info.capability_mask2;
      mask &= ~kMask2;
    }
  }

  mad::PortInfoRecord& wanted() { return wanted_; }

  void look_at(fabric::PortIndex port, Records& records) const {
    if (!view_.may_see(query_, port)) return;
    mad::PortInfoRecord record;
    record.endport_lid = view_.lid(port);
    record.port_num = view_.topology().number_of(port);
    record.port_info = view_.subnet().registers->ports[port.value];
    if (record.endport_lid == mad::kNoLid || record.port_info == mad::PortInfo{}) return;
    if ((record.port_info.capability_mask & contains_) != contains_) return;
    if ((record.port_info.capability_mask2 & contains2_) != contains2_) return;
    if (!query_.trusted) record.port_info.m_key = {};
    records.offer(query_, wanted_, record);
  }

  // What is the link's is its host's.
  void look_at(const VirtualPort& guest, Records& records) const {
    mad::PortInfoRecord record;
    record.endport_lid = guest.lid;
    record.port_num = mad::PortNumber{1};
    record.port_info = view_.subnet().registers->ports[guest.host.value];
    record.port_info.m_key = {};
    record.port_info.lid = guest.lid;
    if (guest.own_lid) record.port_info.lmc = 0;
    records.offer(query_, wanted_, record);
  }

 private:
  const View& view_;
  Query query_;
  mad::PortInfoRecord wanted_;
  std::uint32_t contains_ = 0;
  std::uint16_t contains2_ = 0;
};

}  // namespace

mad::Status find_port_info_records(const View& view, const Query& query, Records& records) {
  // Whoever may not see the key may not guess it either.
  if (!query.trusted && query.asks(kMKey)) return mad::kSAReqDenied;
  const fabric::Topology& topology = view.topology();
  Search search(view, query);
  fabric::PortIndex begin{0};
  auto end = static_cast<std::uint32_t>(topology.port_count());
  const bool by_lid = query.asks(mad::component<&mad::PortInfoRecord::endport_lid>());
  const mad::Lid lid = search.wanted().endport_lid;
  for_each_virtual_record(view, query, by_lid, lid, [&](const VirtualPort& guest) {
    search.look_at(guest, records);
    return !records.full();
  });
  if (by_lid) {
    begin = view.find(lid);
    if (begin == fabric::kNoPort || stands_for_guest(view, lid)) return mad::kStatusOk;
    search.wanted().endport_lid = view.lid(begin);
    const fabric::NodeIndex node = topology.node_of(begin);
    end = begin.value + (topology.is_switch(node) ? topology.node(node).port_count : 0u) + 1;
  }
  for (std::uint32_t p = begin.value; p < end && !records.full(); ++p) {
    search.look_at(fabric::PortIndex{p}, records);
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
