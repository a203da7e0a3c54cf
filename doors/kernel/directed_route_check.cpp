// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/directed_route_check.hpp"

namespace heddle::doors::kernel {
namespace {

bool may_send_request(const mad::Smp& smp, std::uint8_t port) {
  const bool is_switch = port == 0;
  const unsigned pointer = smp.hop_pointer;
  const unsigned count = smp.hop_count;
  if (count != 0 && pointer == 0) return is_switch || smp.initial_path[1].value == port;
  if (pointer != 0 && pointer < count) return is_switch;
  if (pointer == count) return is_switch || smp.dr_dlid == mad::kPermissiveLid;
  return pointer == count + 1;
}

bool may_send_response(const mad::Smp& smp, std::uint8_t port) {
  const bool is_switch = port == 0;
  const unsigned pointer = smp.hop_pointer;
  const unsigned count = smp.hop_count;
  if (count != 0 && pointer == count + 1) {
    return is_switch || smp.return_path[count].value == port;
  }
  if (pointer >= 2 && pointer <= count) return is_switch;
  if (pointer == 1) return is_switch || smp.dr_slid == mad::kPermissiveLid;
  return pointer == 0;
}

}  // namespace

bool may_send(const mad::Smp& smp, std::uint8_t port) {
  // While a LID-routed part comes first, the directed part is not this node's affair.
  const mad::Lid begin = smp.direction ? smp.dr_dlid : smp.dr_slid;
  if (begin != mad::kPermissiveLid) return true;
  if (smp.hop_count > mad::kMaxHops) return false;
  return smp.direction ? may_send_response(smp, port) : may_send_request(smp, port);
}

}  // namespace heddle::doors::kernel
