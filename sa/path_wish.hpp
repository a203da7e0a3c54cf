// SPDX-License-Identifier: BSD-3-Clause
// What a PathRecord query asks of each path, apart from its two ends: selectors, keys, level.
#pragma once

#include <cstdint>
#include <optional>

#include "mad/path_record.hpp"
#include "qos/rulebook.hpp"
#include "sa/query.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

class PathWish {
 public:
  // `client` is the port of whoever asks: a rate is told in codes that it knows, up to the highest.
  PathWish(const Query& query, const mad::PathRecord& wanted, const mad::PortInfo& client,
           std::uint8_t highest_rate_code);

  // kStatusOk, or why no path can be meant (IBA vol. 1, 15.2.5.16).
  mad::Status check() const;
  // False when no path whatever would do; true for any that passes fit().
  bool possible() const;
  bool wants_reversible() const;
  bool takes(mad::ServiceLevel level) const;
  std::optional<mad::PKey> wanted_p_key() const;
  std::optional<mad::ServiceLevel> wanted_level() const;
  // What rules of quality of service go by.
  qos::Question question() const;

  struct Terms {
    mad::Mtu mtu{};
    mad::RateRank rate{};
    std::uint8_t packet_life_time{};
    mad::PKey p_key{};
  };
  // The terms on which a path that can carry `reach` serves the wish; nothing if it does not.
  std::optional<Terms> fit(Reach reach, std::uint8_t packet_life_time, mad::PKey p_key) const;

  // Fills what does not depend on the ends. `wish` values that a path leaves free come back as
  // they were asked for.
  void fill(const Terms& terms, mad::PathRecord& record) const;

 private:
  bool asks(std::uint64_t component) const { return (mask_ & component) != 0; }
  bool rate_counts() const;  // of the members it asks for mask_ alone
  mad::RateRank told(mad::RateRank rate) const {
    return mad::rate_for(client_, rate, highest_rate_code_);
  }

  std::uint64_t mask_;
  const mad::PathRecord& wanted_;
  const mad::PortInfo& client_;
  std::uint8_t highest_rate_code_;
  std::optional<mad::RateRank> wanted_rate_;  // where one counts, and its code is known
};

}  // namespace heddle::sa
