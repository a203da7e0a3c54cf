// SPDX-License-Identifier: BSD-3-Clause
#include "sa/trust.hpp"

#include <algorithm>
#include <iterator>

#include "mad/service_record.hpp"
#include "sa/registry.hpp"
#include "sa/request.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::SAAttributeId;
using mad::ServiceRecord;

constexpr auto kService =
    component<&ServiceRecord::service_id>() | component<&ServiceRecord::service_name>();

// Methods that are needed when the request names something of each mask that is not 0.
struct Need {
  SAAttributeId id{};
  std::uint8_t methods = 0;
  std::uint64_t names = 0, and_names = 0;
};

constexpr Need kNeeds[] = {
    {SAAttributeId::ClassPortInfo, kGet},
    {SAAttributeId::PathRecord, kReads, kPathSource, kPathDestination},
    {SAAttributeId::MCMemberRecord, kGet | kSet | kDelete},
    {SAAttributeId::ServiceRecord, kReads, kService},
    {SAAttributeId::ServiceRecord, kSet | kDelete},
    {SAAttributeId::InformInfo, kSet},
    {SAAttributeId::GUIDInfoRecord, kGet | kSet | kDelete},
};

}  // namespace

bool may_ask(const Trust& trust, mad::SMKey key, const mad::SAHeader& request) {
  const bool trusted = key != mad::SMKey{} && request.sm_key == key;  // 0 is everybody's
  return !trust.only_needed || trusted || is_needed(request);
}

bool is_needed(const mad::SAHeader& request) {
  const std::uint8_t method = bit_of(request.mad.method);
  const auto names = [&](std::uint64_t mask) {
    return mask == 0 || (request.component_mask & mask) != 0;
  };
  return std::any_of(std::begin(kNeeds), std::end(kNeeds), [&](const Need& need) {
    return static_cast<std::uint16_t>(need.id) == request.mad.attribute_id &&
           (need.methods & method) != 0 && names(need.names) && names(need.and_names);
  });
}

}  // namespace heddle::sa
