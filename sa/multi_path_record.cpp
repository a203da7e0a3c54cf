// SPDX-License-Identifier: BSD-3-Clause
// MultiPathRecord: paths from each of several ports to each of several others, by GetMulti.
#include "mad/multi_path_record.hpp"

#include <vector>

#include "sa/handlers.hpp"
#include "sa/path_search.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::MultiPathRecord;
using mad::PathRecord;

constexpr std::size_t kHeadBytes = mad::kBytes<MultiPathRecord>;
constexpr std::size_t kGidBytes = 16;
constexpr auto kService8 = component<&MultiPathRecord::service_id_8msb>();
constexpr auto kService56 = component<&MultiPathRecord::service_id_56lsb>();
constexpr unsigned kLeastSignificant = 56;

// The words that a MultiPathRecord shares with a PathRecord, one by one.
class Translation {
 public:
  Translation(const Query& query, const MultiPathRecord& from) : query_(query), from_(from) {
    take<&MultiPathRecord::raw_traffic, &PathRecord::raw_traffic>();
    take<&MultiPathRecord::flow_label, &PathRecord::flow_label>();
    take<&MultiPathRecord::hop_limit, &PathRecord::hop_limit>();
    take<&MultiPathRecord::t_class, &PathRecord::t_class>();
    take<&MultiPathRecord::reversible, &PathRecord::reversible>();
    take<&MultiPathRecord::numb_path, &PathRecord::numb_path>();
    take<&MultiPathRecord::p_key, &PathRecord::p_key>();
    take<&MultiPathRecord::qos_class, &PathRecord::qos_class>();
    take<&MultiPathRecord::sl, &PathRecord::sl>();
    take<&MultiPathRecord::mtu_selector, &PathRecord::mtu_selector>();
    take<&MultiPathRecord::mtu, &PathRecord::mtu>();
    take<&MultiPathRecord::rate_selector, &PathRecord::rate_selector>();
    take<&MultiPathRecord::rate, &PathRecord::rate>();
    take<&MultiPathRecord::packet_life_time_selector, &PathRecord::packet_life_time_selector>();
    take<&MultiPathRecord::packet_life_time, &PathRecord::packet_life_time>();
    if (query.asks(kService8) && query.asks(kService56)) {
      mask_ |= component<&PathRecord::service_id>();
      record_.service_id =
          std::uint64_t{from.service_id_8msb} << kLeastSignificant | from.service_id_56lsb;
    }
  }

  const PathRecord& record() const { return record_; }
  Query query() const {
    Query translated = query_;
    translated.header.component_mask = mask_;
    return translated;
  }

 private:
  template <auto From, auto To>
  void take() {
    if (!query_.asks(component<From>())) return;
    mask_ |= component<To>();
    record_.*To = from_.*From;
  }

  const Query& query_;
  const MultiPathRecord& from_;
  PathRecord record_;
  std::uint64_t mask_ = 0;
};

// The GIDs behind the record, sources first; nothing when there are fewer than it says.
std::optional<std::vector<mad::Gid>> gids_of(const Query& query, std::size_t count) {
  if (query.message.size() < kHeadBytes + count * kGidBytes) return std::nullopt;
  std::vector<mad::Gid> gids;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = query.message.subspan(kHeadBytes + i * kGidBytes);
    gids.push_back(mad::decode<mad::Gid>(bytes.first<kGidBytes>()));
  }
  return gids;
}

// The GIDs' ports; kSAReqInvalidGid when one has none.
using FindEnd = mad::Status (*)(const View&, const EndWish&, PathEnd&);
mad::Status find_ends(const View& view, FindEnd find, std::span<const mad::Gid> gids,
                      std::vector<PathEnd>& ends) {
  for (const mad::Gid& gid : gids) {
    PathEnd end;
    if (find(view, {true, gid, false, {}}, end) != mad::kStatusOk) {
      return mad::kSAReqInvalidGid;
    }
    ends.push_back(end);
  }
  return mad::kStatusOk;
}

}  // namespace

mad::Status find_multi_path_records(const View& view, const Query& query, Records& records) {
  const auto wanted = query.record<MultiPathRecord>();
  constexpr auto kCounts =
      component<&MultiPathRecord::sgid_count>() | component<&MultiPathRecord::dgid_count>();
  if ((query.header.component_mask & kCounts) != kCounts || wanted.sgid_count == 0 ||
      wanted.dgid_count == 0) {
    return mad::kSAReqInsufficientComponents;
  }
  if (query.asks(kService8) != query.asks(kService56)) return mad::kSAReqInvalid;
  const auto gids = gids_of(query, std::size_t{wanted.sgid_count} + wanted.dgid_count);
  if (!gids) return mad::kSAReqInvalid;
  const std::span all(*gids);
  std::vector<PathEnd> sources, destinations;
  for (const auto status :
       {find_ends(view, find_end, all.first(wanted.sgid_count), sources),
        find_ends(view, find_destination, all.subspan(wanted.sgid_count), destinations)}) {
    if (status != mad::kStatusOk) return status;
  }
  const Translation translation(query, wanted);
  const Query as_path = translation.query();
  PathSearch search(view, as_path, translation.record(), records);
  if (const auto status = search.wish().check(); status != mad::kStatusOk) return status;
  if (!search.wish().possible()) return mad::kStatusOk;
  for (const PathEnd& source : sources) {
    for (const PathEnd& destination : destinations) {
      if (!search.run(source, destination)) return mad::kSANoResources;
      if (records.full()) return mad::kStatusOk;
    }
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
