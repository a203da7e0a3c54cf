// SPDX-License-Identifier: BSD-3-Clause
// The specification's names of enumerated numbers. Empty for a number that has none: bytes from
// the wire may hold any.
#pragma once

#include <string_view>

#include "mad/notice.hpp"
#include "mad/rmpp_header.hpp"
#include "mad/selector.hpp"
#include "mad/types.hpp"

namespace heddle::mad {

std::string_view name_of(NodeType type);
std::string_view name_of(PortState state);
std::string_view name_of(PortPhysicalState state);
std::string_view name_of(Mtu mtu);
std::string_view name_of(ManagementClass management_class);
std::string_view name_of(Method method);
std::string_view name_of(AttributeId id);
std::string_view name_of(SMState state);
std::string_view name_of(NoticeType type);
std::string_view name_of(TrapNumber trap);
std::string_view name_of(RMPPType type);

}  // namespace heddle::mad
