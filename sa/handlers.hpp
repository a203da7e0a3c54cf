// SPDX-License-Identifier: BSD-3-Clause
// One handler per attribute: finds the records that a query asks for and adds them until `records`
// is full. The status is kStatusOk however many it found; anything else refuses the query. A Set or
// Delete does what it asks for and adds the one record that tells what came of it.
#pragma once

#include "mad/types.hpp"
#include "sa/query.hpp"
#include "sa/registrations.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Of a query that is answered when what it asked for has been read (sa/fetches.hpp); never sent.
inline constexpr mad::Status kWaitsForFetches{0xFFFF};
// Of a request that is answered when a device has taken what it asks for (sa/alias_guids.hpp);
// never sent.
inline constexpr mad::Status kAnsweredLater{0xFFFE};

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
mad::Status find_multi_path_records(const View& view, const Query& query, Records& records);
mad::Status find_p_key_table_records(const View& view, const Query& query, Records& records);
mad::Status find_trace_records(const View& view, const Query& query, Records& records);

mad::Status set_inform_info(Registrations& registrations, const View& view, const Query& query,
                            Records& records);
mad::Status find_inform_info_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records);
// The same, and paths to multicast groups too.
mad::Status handle_path_records(Registrations& registrations, const View& view, const Query& query,
                                Records& records);
// The same, and changes of alias GUIDs.
mad::Status handle_guid_info_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records);
mad::Status handle_mc_member_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records);
mad::Status find_multicast_forwarding_table_records(Registrations& registrations, const View& view,
                                                    const Query& query, Records& records);
mad::Status find_sl_to_vl_mapping_records(Registrations& registrations, const View& view,
                                          const Query& query, Records& records);
mad::Status find_vl_arbitration_records(Registrations& registrations, const View& view,
                                        const Query& query, Records& records);
mad::Status handle_service_records(Registrations& registrations, const View& view,
                                   const Query& query, Records& records);

}  // namespace heddle::sa
