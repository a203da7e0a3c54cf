// SPDX-License-Identifier: BSD-3-Clause
// One handler per attribute: finds the records that a Get or GetTable asks for and adds them until
// `records` is full. The status is kStatusOk however many it found; anything else refuses the
// query.
#pragma once

#include "mad/types.hpp"
#include "sa/query.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

mad::Status find_class_port_info(const View& view, const Query& query, Records& records);
mad::Status find_node_records(const View& view, const Query& query, Records& records);
mad::Status find_port_info_records(const View& view, const Query& query, Records& records);
mad::Status find_switch_info_records(const View& view, const Query& query, Records& records);
mad::Status find_linear_forwarding_table_records(const View& view, const Query& query,
                                                 Records& records);
mad::Status find_sm_info_records(const View& view, const Query& query, Records& records);
mad::Status find_link_records(const View& view, const Query& query, Records& records);
mad::Status find_guid_info_records(const View& view, const Query& query, Records& records);
mad::Status find_path_records(const View& view, const Query& query, Records& records);

}  // namespace heddle::sa
