// SPDX-License-Identifier: BSD-3-Clause
// Links between switches that come and go. Each time one does, routes move twice; so a link that
// was lost too often is held back: its ports stay in INIT and no route uses it, until it has stood
// for a while. A link without which part of the fabric could not be reached is used all the same.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "fabric/observation.hpp"
#include "mad/types.hpp"
#include "sa/view.hpp"

namespace heddle::sm {

class LinkDamping {
 public:
  struct Limits {
    std::uint32_t losses = 5;  // within the window, which hold a link back; 0: never
    base::Duration window{};
    base::Duration hold{};  // how long it must stand then
  };
  struct End {
    mad::Guid node{};
    mad::PortNumber port{};
    friend auto operator<=>(const End&, const End&) = default;
  };
  using Link = std::pair<End, End>;  // the lower end first

  enum class Level : std::uint8_t { Used, HeldBack, Needed };
  struct News {
    Link link;
    Level level{};
    std::size_t losses = 0;
  };

  // Links between switches that were Active at the end of the last sweep and are not now.
  // Once for each sweep that finished, whose view that is. `changed`: only of these nodes something
  // else is known than it shows; none: perhaps of all.
  using Nodes = std::optional<std::vector<fabric::ObservedIndex>>;
  void note_losses(base::Instant now, std::uint64_t sweep, const sa::View& before,
                   const fabric::Observation& observed, const Nodes& changed);
  // Decides on every link that was lost of late. Returns the ends of those held back.
  std::vector<fabric::ObservedEnd> judge(base::Instant now, const Limits& limits,
                                         const fabric::Observation& observed);
  // What judge() decided otherwise than before, since the last call.
  std::vector<News> take_news() { return std::exchange(news_, {}); }
  // Of links that may be used again by now: somebody has to look. Judged to be so at the next
  // sweep.
  std::vector<Link> due(base::Instant now, base::Duration hold) const;
  // When that will next be so; never if no link waits.
  base::Instant next_due(base::Duration hold) const;

 private:
  struct History {
    std::deque<base::Instant> losses;
    base::Instant last{};  // time it was not up
    Level level = Level::Used;
    bool stands = false;  // when it was judged last
    // One that is not there, if only because its cable was moved, is not waited for: whoever sees
    // it come judges anew.
    bool waits() const { return level == Level::HeldBack && stands; }
  };
  std::vector<fabric::ObservedEnd> hold_back(const fabric::Observation& observed,
                                             const std::set<Link>& wanting);
  void set_level(const Link& link, History& history, Level level);

  std::map<Link, History> links_;
  std::uint64_t noted_ = 0;
  std::vector<News> news_;
};

}  // namespace heddle::sm
