// SPDX-License-Identifier: BSD-3-Clause
#include "mad/describe_smp.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/attribute_catalogue.hpp"
#include "mad/describe.hpp"
#include "mad/names.hpp"

namespace heddle::mad {

namespace {

template <class Enumeration>
std::string name_or_number(Enumeration value, unsigned digits) {
  const std::string_view name = name_of(value);
  return name.empty() ? base::hex(static_cast<std::uint64_t>(value), digits) : std::string(name);
}

std::string notice_text(const Notice& notice) {
  const std::string_view trap = name_of(static_cast<TrapNumber>(notice.trap_number));
  std::string out = fmt::format(
      "{} {}{}{} from LID {} ", notice.is_generic ? "trap" : "vendor trap", notice.trap_number,
      trap.empty() ? "" : " ", notice.is_generic ? trap : "", notice.issuer_lid.value);
  std::visit(
      [&]<class D>(const D& details) {
        if constexpr (Described<D>) out += nonzero_fields(details);
      },
      decode_details(notice));
  return out;
}

std::string fields_text(const Smp& smp) {
  if (smp.attribute_id == AttributeId::Notice) return notice_text(decode<Notice>(smp.data));
  std::string out;
  for_each_smp_attribute([&]<class T>(const SmpAttribute<T>& attribute) {
    if (attribute.id == smp.attribute_id) out = nonzero_fields(decode<T>(smp.data));
  });
  return out;
}

bool has_data(const Smp& smp) {
  return std::any_of(smp.data.begin(), smp.data.end(),
                     [](std::byte b) { return b != std::byte{}; });
}

}  // namespace

std::string route_text(const Smp& smp) {
  std::string out = "0";
  const std::size_t hops = std::min<std::size_t>(smp.hop_count, kMaxHops);
  for (std::size_t hop = 1; hop <= hops; ++hop) {
    out += fmt::format(",{}", smp.initial_path[hop].value);
  }
  return out;
}

std::string describe_smp(const Smp& smp) {
  std::string out =
      fmt::format("{} {} {}", name_or_number(smp.method, 2), name_or_number(smp.attribute_id, 4),
                  base::hex(smp.attribute_modifier, 8));
  if (smp.management_class == ManagementClass::SubnDirectedRoute) {
    out += " route " + route_text(smp);
  } else {
    out += " LID-routed";
  }
  if (smp.status != kStatusOk) out += " status " + base::hex(smp.status.value, 4);
  if (has_data(smp)) {
    const std::string fields = fields_text(smp);
    if (!fields.empty()) out += " | " + fields;
  }
  return out;
}

}  // namespace heddle::mad
