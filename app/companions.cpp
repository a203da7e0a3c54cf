// SPDX-License-Identifier: BSD-3-Clause
#include "app/companions.hpp"

#include <algorithm>
#include <utility>

namespace heddle::app {

Companions::Companions(MeterOptions options, const Meter::Send& send, Audience* audience,
                       Clock clock, Log& log)
    : care_(
          options.health,
          [audience](std::shared_ptr<const api::LinkCare> care) {
            if (audience != nullptr) audience->cared(std::move(care));
          },
          log),
      congestion_(
          options.congestion, send,
          [audience](std::shared_ptr<const congestion::Report> report) {
            if (audience != nullptr) audience->congested(std::move(report));
          },
          log),
      meter_(
          std::move(options), send,
          [this, audience,
           clock = std::move(clock)](std::shared_ptr<const perf::Readings> readings) {
            care_.see(*readings, clock());
            if (audience != nullptr) audience->measured(std::move(readings));
          },
          log) {}

bool Companions::take(transport::Received& received, base::Instant now) {
  return meter_.take(received, now) || congestion_.take(received, now);
}

void Companions::hear(const sm::Event& event) {
  care_.hear(event);
  congestion_.hear(event);
}

void Companions::advance(const std::shared_ptr<const sm::Snapshot>& fabric, mad::SMState state,
                         base::Instant now) {
  meter_.see(fabric, state, now);
  if (meter_.deadline() <= now) meter_.advance(now);
  congestion_.see(fabric, state, now);
  if (congestion_.deadline() <= now) congestion_.advance(now);
  if (watches_links_) care_.see(fabric, state, now);
}

void Companions::change(MeterOptions options, base::Instant now) {
  care_.change(options.health, now);
  congestion_.change(options.congestion, now);
  meter_.change(std::move(options), now);
}

base::Instant Companions::deadline() const {
  return std::min(meter_.deadline(), congestion_.deadline());
}

}  // namespace heddle::app
