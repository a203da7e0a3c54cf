// SPDX-License-Identifier: BSD-3-Clause
#include "mad/path_record.hpp"

#include "sa/handlers.hpp"
#include "sa/path_search.hpp"

namespace heddle::sa {

mad::Status find_path_records(const View& view, const Query& query, Records& records) {
  const auto wanted = query.record<mad::PathRecord>();
  PathSearch search(view, query, wanted, records);
  if (const auto status = search.wish().check(); status != mad::kStatusOk) return status;
  PathEnd source, destination;
  const mad::Status from = find_end(view, source_wish(query, wanted), source);
  const mad::Status to = find_destination(view, destination_wish(query, wanted), destination);
  for (const mad::Status status : {from, to}) {
    if (status != mad::kStatusOk && status != mad::kSANoRecords) return status;
  }
  const bool both = from == mad::kStatusOk && to == mad::kStatusOk;
  if (!both || !search.wish().possible()) return mad::kStatusOk;
  return search.run(source, destination) ? mad::kStatusOk : mad::kSANoResources;
}

}  // namespace heddle::sa
