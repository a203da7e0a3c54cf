// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/report.hpp"

#include <fmt/format.h>

namespace heddle::congestion {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::NotYet:
      return "not-yet";
    case Outcome::Right:
      return "right";
    case Outcome::NoAnswer:
      return "no-answer";
    case Outcome::NoService:
      return "no-service";
    case Outcome::Silent:
      return "silent";
    case Outcome::Locked:
      return "locked";
    case Outcome::Refused:
      return "refused";
    case Outcome::Otherwise:
      return "otherwise";
    case Outcome::TooSmall:
      return "too-small";
  }
  return {};
}

std::string_view attribute_name(mad::CongestionAttributeId attribute) {
  switch (attribute) {
    case mad::CongestionAttributeId::ClassPortInfo:
      return "ClassPortInfo";
    case mad::CongestionAttributeId::Notice:
      return "Notice";
    case mad::CongestionAttributeId::CongestionInfo:
      return "CongestionInfo";
    case mad::CongestionAttributeId::CongestionKeyInfo:
      return "CongestionKeyInfo";
    case mad::CongestionAttributeId::CongestionLog:
      return "CongestionLog";
    case mad::CongestionAttributeId::SwitchCongestionSetting:
      return "SwitchCongestionSetting";
    case mad::CongestionAttributeId::SwitchPortCongestionSetting:
      return "SwitchPortCongestionSetting";
    case mad::CongestionAttributeId::CACongestionSetting:
      return "CACongestionSetting";
    case mad::CongestionAttributeId::CongestionControlTable:
      return "CongestionControlTable";
    case mad::CongestionAttributeId::TimeStamp:
      return "TimeStamp";
  }
  return "an attribute";
}

std::string explain(const AgentReport& report) {
  const std::string_view about = attribute_name(report.about);
  switch (report.outcome) {
    case Outcome::Right:
      break;
    case Outcome::NotYet:
      return "was not asked yet";
    case Outcome::NoAnswer:
      return "has no congestion control, or hides it from this CC_Key";
    case Outcome::NoService:
      return fmt::format("has no congestion control (status {:#06x})", report.status.value);
    case Outcome::Silent:
      return fmt::format("left {} unanswered", about);
    case Outcome::Locked:
      return fmt::format("does not take {}: it has another CC_Key", about);
    case Outcome::Refused:
      return fmt::format("refuses {} with status {:#06x}", about, report.status.value);
    case Outcome::Otherwise:
      return fmt::format("keeps other values in {} than it was given", about);
    case Outcome::TooSmall:
      return fmt::format("has room for {} table entries", report.room);
  }
  return {};
}

}  // namespace heddle::congestion
