// SPDX-License-Identifier: BSD-3-Clause
#include "mad/smp.hpp"

namespace heddle::mad {

std::optional<Smp> decode_smp(std::span<const std::byte> bytes) {
  if (bytes.size() < kMadBytes) return std::nullopt;
  Smp smp = decode<Smp>(bytes.first<kMadBytes>());
  const bool is_sm_class = smp.management_class == ManagementClass::SubnLidRouted ||
                           smp.management_class == ManagementClass::SubnDirectedRoute;
  if (!is_sm_class || smp.base_version != kBaseVersion || smp.class_version != kSmClassVersion) {
    return std::nullopt;
  }
  return smp;
}

MadBytes encode_smp(const Smp& smp) {
  return encode(smp);
}

}  // namespace heddle::mad
