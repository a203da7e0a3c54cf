// SPDX-License-Identifier: BSD-3-Clause
#include "tests/scenarios/brief_smp.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/describe_smp.hpp"

namespace heddle::test {
namespace {

constexpr std::string_view kBar = " | ";

// Empty: all fields are shown.
std::vector<std::string_view> shown_fields(const mad::Smp& smp) {
  switch (smp.attribute_id) {
    case mad::AttributeId::NodeInfo:
      return {"NodeType", "NumPorts", "NodeGUID", "LocalPortNum"};
    case mad::AttributeId::SwitchInfo:
      return {"LinearFDBTop", "PortStateChange", "LifeTimeValue"};
    case mad::AttributeId::PortInfo:
      if (smp.method != mad::Method::Set) return {"LID", "LMC", "PortState"};
      return {"LID",
              "LMC",
              "MasterSMLID",
              "PortState",
              "NeighborMTU",
              "OperationalVLs",
              "ClientReregister"};
    default:
      return {};
  }
}

// "LID:port" for each LID that leads somewhere.
std::string table_text(const mad::Smp& smp) {
  constexpr auto kNowhere = std::byte{255};
  std::string out;
  for (std::size_t i = 0; i < smp.data.size(); ++i) {
    if (smp.data[i] == kNowhere) continue;
    const std::size_t lid = smp.attribute_modifier * smp.data.size() + i;
    out += fmt::format(" {}:{}", lid, std::to_integer<unsigned>(smp.data[i]));
  }
  return out;
}

std::string chosen(std::string_view fields, const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view field : base::split(fields, ' ')) {
    const auto name = field.substr(0, field.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end())
      out += fmt::format(" {}", field);
  }
  return out;
}

}  // namespace

std::string brief_smp(const mad::Smp& smp) {
  const std::string whole = mad::describe_smp(smp);
  const auto bar = whole.find(kBar);
  if (bar == std::string::npos) return whole;
  const std::string head = whole.substr(0, bar);
  if (smp.attribute_id == mad::AttributeId::LinearForwardingTable) {
    return head + " |" + table_text(smp);
  }
  const auto names = shown_fields(smp);
  if (names.empty()) return whole;
  const std::string fields = chosen(std::string_view(whole).substr(bar + kBar.size()), names);
  return fields.empty() ? head : head + " |" + fields;
}

}  // namespace heddle::test
