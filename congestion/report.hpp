// SPDX-License-Identifier: BSD-3-Clause
// What became of each device, and what the devices' logs say: made once, then read by whoever wants
// to.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "congestion/mads.hpp"
#include "congestion/picture.hpp"

namespace heddle::congestion {

enum class Outcome : std::uint8_t {
  NotYet,     // not asked so far
  Right,      // all stands as it should
  NoAnswer,   // no agent there, or one that hides from our keys
  NoService,  // it answers that it knows nothing of this class
  Silent,     // it answered that it has the class, and then no more
  Locked,     // it can be read, but what is written comes to nothing: another CC_Key
  Refused,    // of something it said that it cannot be, by a status
  Otherwise,  // it keeps other values than it was given
  TooSmall,   // the table is longer than it has room for; neither that nor the levels are written
};
// "right", "no-answer".
std::string_view name_of(Outcome outcome);
// One where what is wanted is not there although the device has the class.
constexpr bool is_trouble(Outcome outcome) {
  return outcome >= Outcome::Silent;
}

inline constexpr std::size_t kFlowsKept = 32;  // of each device, the newest

struct AgentReport {
  mad::Guid node{};
  mad::PortNumber port{};
  bool is_switch = false;
  Outcome outcome = Outcome::NotYet;
  mad::CongestionAttributeId about{};  // of those that are trouble
  mad::Status status{};                // of Refused and NoService
  std::uint32_t room = 0;              // entries of its table
  std::uint32_t violations = 0;        // of its key, as it counts them
  std::uint64_t writes = 0;            // since this began
  // From its log; nothing before it was read.
  std::uint64_t events = 0;
  std::uint16_t levels = 0;
  PortSet ports;
  std::deque<LogEntry> flows;  // the newest last
};

struct Report {
  std::uint64_t checks = 0;  // of all devices, finished
  bool stopped = false;      // too many errors; nothing is written until the next check
  std::uint64_t sent = 0;    // requests since this began
  std::uint64_t writes = 0;
  std::uint64_t retries = 0;
  std::vector<AgentReport> agents;  // by node, then by port
};

// "SwitchCongestionSetting".
std::string_view attribute_name(mad::CongestionAttributeId attribute);
// Why, for a person: "refuses CACongestionSetting with status 0x001c". Empty when all is right.
std::string explain(const AgentReport& report);

}  // namespace heddle::congestion
