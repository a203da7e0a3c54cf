// SPDX-License-Identifier: BSD-3-Clause
#include "sm/lid_assignment.hpp"

#include <algorithm>
#include <unordered_map>

#include "sm/lid_turns.hpp"

namespace heddle::sm {
namespace {

using fabric::LidMap;
using fabric::PortIndex;

// Which LIDs are spoken for, and by whom; ranges are aligned, so whole ranges are tested.
class LidSpace {
 public:
  explicit LidSpace(mad::Lid last) : last_(last.value), taken_(last.value + 1u, false) {}

  bool fits(LidMap::Range range) const {
    return mad::is_unicast(range.base) && range.lmc <= mad::kMaxLmc &&
           range.base.value % range.count() == 0 && range.base.value + range.count() - 1 <= last_;
  }
  bool free(LidMap::Range range) const {
    for (unsigned i = 0; i < range.count(); ++i) {
      if (taken_[range.base.value + i]) return false;
    }
    return true;
  }
  void take(LidMap::Range range) { mark(range, true); }
  void give_back(LidMap::Range range) {
    mark(range, false);
    for (std::uint8_t lmc = 0; lmc <= mad::kMaxLmc; ++lmc) {
      next_[lmc] = std::min(next_[lmc], range.base.value >> lmc << lmc);
    }
  }

  // The first free aligned range. Ranges of one size are searched onwards from the last find:
  // nothing before it has become free in between but what give_back() says, so that the whole
  // search is linear.
  std::optional<LidMap::Range> find(std::uint8_t lmc) {
    const int step = 1 << lmc;
    int& from = next_[lmc];
    for (from = std::max(from, step); from + step - 1 <= last_; from += step) {
      const LidMap::Range range{{static_cast<std::uint16_t>(from)}, lmc};
      if (free(range)) return range;
    }
    return std::nullopt;
  }

 private:
  void mark(LidMap::Range range, bool taken) {
    for (unsigned i = 0; i < range.count(); ++i) taken_[range.base.value + i] = taken;
  }

  int last_;
  std::vector<bool> taken_;
  int next_[mad::kMaxLmc + 1] = {};
};

class Assigner {
 public:
  Assigner(std::size_t port_count, std::span<const LidRequest> requests,
           std::span<const RememberedLids> remembered, mad::Lid last)
      : requests_(requests), space_(last), given_(requests.size()), guests_end_(requests.size()) {
    result_.map = LidMap(port_count);
    by_guid_.reserve(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) by_guid_.emplace(requests[i].port_guid, i);
    remember(remembered);
  }

  LidAssignment run(const fabric::Topology* topology) {
    keep_held();
    for (const std::size_t i : ports_without(topology)) give_new(i);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].is_guest() && !given_[i]) give_new(i);
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (given_[i]) write_down(i);
    }
    write_memory();
    return std::move(result_);
  }

 private:
  void remember(std::span<const RememberedLids> remembered) {
    for (const auto& entry : remembered) {
      const LidMap::Range range{entry.base, entry.lmc};
      if (!space_.fits(range) || !space_.free(range)) continue;
      const auto present = by_guid_.find(entry.port_guid);
      if (present == by_guid_.end()) {
        space_.take(range);
        absent_.push_back(entry);
        continue;
      }
      // A memory of another size is void; the base may still serve.
      const LidMap::Range wanted{entry.base, requests_[present->second].lmc};
      if (given_[present->second] || !space_.fits(wanted) || !space_.free(wanted)) continue;
      space_.take(wanted);
      given_[present->second] = wanted;
    }
  }

  void keep_held() {
    std::vector<std::size_t> holder(mad::kLastUnicastLid.value + 1u, requests_.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const LidRequest& request = requests_[i];
      const LidMap::Range held{request.held, request.lmc};
      if (!space_.fits(held)) continue;
      std::size_t& first = holder[request.held.value];
      if (first != requests_.size()) {
        result_.clashes.push_back({requests_[first], request, request.held});
      } else {
        first = i;
      }
      if (given_[i] || !space_.free(held)) continue;
      space_.take(held);
      given_[i] = held;
    }
  }

  std::vector<std::size_t> ports_without(const fabric::Topology* topology) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!given_[i] && !requests_[i].is_guest()) found.push_back(i);
    }
    if (topology == nullptr || found.size() < 2) return found;
    const auto turns = lid_turns(*topology);
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      return turns[requests_[a].port.value] < turns[requests_[b].port.value];
    });
    return found;
  }

  void give_new(std::size_t i) {
    auto range = space_.find(requests_[i].lmc);
    while (!range && make_room(requests_[i])) range = space_.find(requests_[i].lmc);
    if (!range) {
      result_.left_out.push_back(requests_[i]);
      return;
    }
    space_.take(*range);
    given_[i] = *range;
  }

  // Takes LIDs from somebody who comes after this one; false if nobody does.
  bool make_room(const LidRequest& request) {
    if (!absent_.empty()) {
      space_.give_back({absent_.back().base, absent_.back().lmc});
      absent_.pop_back();
      return true;
    }
    if (request.is_guest()) return false;
    while (guests_end_ > 0 && requests_[guests_end_ - 1].is_guest()) {
      --guests_end_;
      if (!given_[guests_end_]) continue;
      space_.give_back(*given_[guests_end_]);
      given_[guests_end_].reset();
      return true;
    }
    return false;
  }

  void write_down(std::size_t i) {
    const LidRequest& request = requests_[i];
    if (request.is_guest()) {
      result_.map.assign_guest(request.port, given_[i]->base);
    } else {
      result_.map.assign(request.port, *given_[i]);
    }
  }

  void write_memory() {
    result_.memory = std::move(absent_);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!given_[i] || requests_[i].port_guid == mad::Guid{}) continue;
      // Of two with one GUID only the first is remembered, or they would exchange their LIDs.
      const std::size_t first = by_guid_.at(requests_[i].port_guid);
      if (first != i) {
        result_.twins.push_back({requests_[first], requests_[i]});
        continue;
      }
      result_.memory.push_back({requests_[i].port_guid, given_[i]->base, given_[i]->lmc});
    }
    std::sort(result_.memory.begin(), result_.memory.end(),
              [](const auto& a, const auto& b) { return a.port_guid < b.port_guid; });
  }

  std::span<const LidRequest> requests_;
  LidSpace space_;
  std::vector<std::optional<LidMap::Range>> given_;  // by request
  std::size_t guests_end_;  // virtual ports from here on have given up theirs for ports
  std::unordered_map<mad::Guid, std::size_t> by_guid_;
  std::vector<RememberedLids> absent_;
  LidAssignment result_;
};

}  // namespace

LidAssignment assign_lids(std::size_t port_count, std::span<const LidRequest> requests,
                          std::span<const RememberedLids> remembered, mad::Lid last,
                          const fabric::Topology* topology) {
  return Assigner(port_count, requests, remembered, last).run(topology);
}

}  // namespace heddle::sm
