// SPDX-License-Identifier: BSD-3-Clause
// What clients ask of subnet administration, and who asks most: as the subnet manager tells it from
// time to time, and summed up.
#pragma once

#include <cstdint>
#include <optional>

#include "api/journal.hpp"
#include "sm/events.hpp"

namespace heddle::api {

struct Demand {
  // Since the start, as far as it has been told.
  std::uint64_t requests = 0;
  std::uint64_t put_off = 0;
  std::optional<sm::AdministrationLoad> last;  // nothing before the first one
  WallTime told{};                             // when that was

  void take(const sm::Event& event, WallTime time) {
    const auto* load = std::get_if<sm::AdministrationLoad>(&event.value);
    if (load == nullptr) return;
    requests += load->requests;
    put_off += load->put_off;
    last = *load;
    told = time;
  }
};

}  // namespace heddle::api
