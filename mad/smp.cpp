// SPDX-License-Identifier: BSD-3-Clause
#include "mad/smp.hpp"

namespace heddle::mad {

std::optional<Smp> decode_smp(std::span<const std::byte> bytes) {
  std::optional<Smp> smp;
  if (bytes.size() < kMadBytes) return smp;
  detail::decode_rows(bytes.data(), smp.emplace());
  const bool is_sm_class = smp->management_class == ManagementClass::SubnLidRouted ||
                           smp->management_class == ManagementClass::SubnDirectedRoute;
  if (!is_sm_class || smp->base_version != kBaseVersion || smp->class_version != kSmClassVersion) {
    smp.reset();
  }
  return smp;
}

MadBytes encode_smp(const Smp& smp) {
  return encode(smp);
}

}  // namespace heddle::mad
