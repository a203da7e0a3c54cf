// SPDX-License-Identifier: BSD-3-Clause
// Registrations put together again out of what somebody wrote down: ours (registrations_text.hpp)
// or another subnet manager's (opensm_dump.hpp). What is added is believed, as far as it can be so
// at all; false where it cannot, and why_not() says in words why.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/service_record.hpp"
#include "sa/registrations.hpp"

namespace heddle::sa {

class Restoring {
 public:
  explicit Restoring(base::Instant now) : now_(now) {}

  // A group before its members.
  bool add_group(const mad::MCMemberRecord& record, bool permanent);
  // Of the port with this GUID, which another may have asked for (0: itself).
  bool add_member(const mad::MCMemberRecord& record, mad::Guid port, mad::Guid joined_by);
  // Its lease is what was left of it `age` seconds ago; one that has ended is left out.
  bool add_service(mad::ServiceRecord record, std::uint64_t age);
  bool add_subscription(const Subscription& subscription);
  bool add_alias(mad::Guid port, std::size_t entry, mad::Guid alias);

  const std::string& why_not() const { return why_not_; }  // of what was refused last
  const Registrations& so_far() const { return registrations_; }
  Registrations finish();

 private:
  bool taken_if(bool sound, std::string_view why_not);

  base::Instant now_;
  std::string why_not_;
  Registrations registrations_;
  std::vector<mad::Gid> permanent_;
};

}  // namespace heddle::sa
