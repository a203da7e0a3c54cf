// SPDX-License-Identifier: BSD-3-Clause
// SLtoVLMappingTableRecord and VLArbitrationTableRecord. Their tables are read when somebody asks.
#include "mad/sl_to_vl_mapping_table_record.hpp"
#include "mad/vl_arbitration_table_record.hpp"
#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;
using mad::component;

// What a query makes of the tables of one device, port by port.
class Search {
 public:
  Search(Registrations& registrations, const View& view, const Query& query, Records& records)
      : registrations_(registrations), view_(view), query_(query), records_(records) {}

  // kWaitsForFetches as long as something is yet to be read.
  mad::Status status() const {
    if (looks_ > most_) return mad::kSANoResources;
    return known_ ? mad::kStatusOk : kWaitsForFetches;
  }

  // Every device that the query may mean: an endport, which stands for all ports of a switch.
  template <class Record, class Visit>
  void each_device(Record& wanted, Visit&& visit) {
    if (query_.asks(component<&Record::lid>())) {
      const PortIndex port = view_.find(wanted.lid);
      if (port == fabric::kNoPort) return;
      wanted.lid = view_.lid(port);
      most_ = kMaxFetchesOfDevice;
      visit(port);
      return;
    }
    for (const PortIndex port : view_.topology().endports()) {
      if (view_.lid(port) != mad::kNoLid && looks_ <= most_) visit(port);
    }
  }

  template <class Record>
  void look(Record record, const Record& wanted, const Fetch& fetch) {
    // The table itself is not asked for before it is known that the record may fit.
    constexpr std::uint64_t kTable = component<&Record::table>();
    const auto mask = query_.header.component_mask & (kTable - 1);
    if (!mad::matches(mask, wanted, record) || !view_.may_see(query_, fetch.port)) return;
    if (++looks_ > most_) return;
    const auto data = registrations_.fetches.look(fetch, known_);
    if (!data || records_.full()) return;
    constexpr std::size_t size = mad::kBytes<decltype(record.table)>;
    record.table = mad::decode<decltype(record.table)>(std::span(*data).template first<size>());
    records_.offer(query_, wanted, record);
  }

 private:
  Registrations& registrations_;
  const View& view_;
  const Query& query_;
  Records& records_;
  std::size_t looks_ = 0;
  std::size_t most_ = kMaxFetchesOfQuery;
  bool known_ = true;
};

// 0 for the one port of an adapter; all ports of a switch.
unsigned last_port(const View& view, PortIndex endport) {
  const auto node = view.topology().node_of(endport);
  return view.topology().is_switch(node) ? view.topology().node(node).port_count : 0u;
}

constexpr std::uint8_t kBlockOfLowPriority = 1;
constexpr std::uint8_t kBlockOfHighPriority = 3;
constexpr std::uint8_t kEntriesPerBlock = mad::kVLArbitrationEntriesPerBlock;

// Which of the four blocks a port has.
bool has_block(const mad::PortInfo& info, std::uint8_t block) {
  const bool high = block >= kBlockOfHighPriority;
  const std::uint8_t cap = high ? info.vl_arbitration_high_cap : info.vl_arbitration_low_cap;
  const bool upper = block != kBlockOfLowPriority && block != kBlockOfHighPriority;
  return upper ? cap > kEntriesPerBlock : cap > 0;
}

}  // namespace

mad::Status find_sl_to_vl_mapping_records(Registrations& registrations, const View& view,
                                          const Query& query, Records& records) {
  using Record = mad::SLtoVLMappingTableRecord;
  auto wanted = query.record<Record>();
  Search search(registrations, view, query, records);
  search.each_device(wanted, [&](PortIndex port) {
    const unsigned last = last_port(view, port);
    for (unsigned out = 0; out <= last; ++out) {
      for (unsigned in = 0; in <= last; ++in) {
        const Record record{
            view.lid(port), {static_cast<std::uint8_t>(in)}, {static_cast<std::uint8_t>(out)}, {}};
        const std::uint32_t modifier = in << 8 | out;
        search.look(record, wanted, {port, mad::AttributeId::SLtoVLMappingTable, modifier});
      }
    }
  });
  return search.status();
}

mad::Status find_vl_arbitration_records(Registrations& registrations, const View& view,
                                        const Query& query, Records& records) {
  using Record = mad::VLArbitrationTableRecord;
  auto wanted = query.record<Record>();
  Search search(registrations, view, query, records);
  search.each_device(wanted, [&](PortIndex port) {
    for (unsigned number = 0; number <= last_port(view, port); ++number) {
      const auto& info = view.subnet().registers->ports[port.value + number];
      for (std::uint8_t block = 1; block <= 4; ++block) {
        const mad::PortNumber out{static_cast<std::uint8_t>(number)};
        const Record record{view.lid(port), out, block, {}};
        // What lies above a port's capability holds nothing, and is told so.
        if (!has_block(info, block)) {
          if (!records.full() && view.may_see(query, port)) records.offer(query, wanted, record);
          continue;
        }
        const auto modifier =
            mad::vl_arbitration_modifier(static_cast<mad::VLArbitrationBlock>(block), out);
        search.look(record, wanted, {port, mad::AttributeId::VLArbitrationTable, modifier});
      }
    }
  });
  return search.status();
}

}  // namespace heddle::sa
