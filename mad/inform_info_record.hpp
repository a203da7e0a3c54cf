// SPDX-License-Identifier: BSD-3-Clause
// InformInfoRecord (IBA vol. 1, 15.2.5.12): a subscription that the SA keeps.
#pragma once

#include <cstdint>

#include "mad/inform_info.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct InformInfoRecord {
  Gid subscriber_gid{};
  std::uint16_t subscriber_enum{};
  InformInfo inform_info{};
  friend bool operator==(const InformInfoRecord&, const InformInfoRecord&) = default;
};

template <>
struct Layout<InformInfoRecord> {
  static constexpr std::string_view name = "InformInfoRecord";
  static constexpr unsigned bits = 480;
  static constexpr auto rows = base::Pack{
      row<&InformInfoRecord::subscriber_gid, 0, 128>("SubscriberGID"),
      row<&InformInfoRecord::subscriber_enum, 128, 16>("Enum"),
      reserved<144, 48>,
      row<&InformInfoRecord::inform_info, 192, 288>("InformInfo"),
  };
};

}  // namespace heddle::mad
