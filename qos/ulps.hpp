// SPDX-License-Identifier: BSD-3-Clause
// The section qos-ulps: one line for one protocol, with its service level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "qos/lines.hpp"
#include "qos/policy.hpp"

namespace heddle::qos {

class Ulps {
 public:
  // Understands the current line, such as `sdp, port-num 10000-20000 : 1`.
  bool read(Lines& lines, Policy& policy);
  std::size_t rule_count() const { return rules_.size(); }
  // Puts the rules behind those that the policy has, and the default, if there is no other.
  void finish(Policy& policy);

 private:
  // What stands before the colon.
  struct Line {
    std::string_view ulp, criterion, list;
  };
  bool split(Lines& lines, std::string_view text, Line& line) const;
  bool by_service(Lines& lines, const Line& line, Rule& rule) const;
  bool by_key(Lines& lines, const Line& line, std::uint8_t sl, Policy& policy, Rule& rule) const;
  bool by_ports(Lines& lines, const Line& line, Policy& policy, const Rule& rule);
  std::uint32_t level(std::uint8_t sl, Policy& policy);

  std::vector<Rule> rules_;
  std::array<std::optional<std::uint32_t>, 16> levels_{};  // by service level
  std::optional<std::uint32_t> default_level_;
};

}  // namespace heddle::qos
