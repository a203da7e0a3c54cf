// SPDX-License-Identifier: BSD-3-Clause
// What a keeper has to do with a replicated store: as master it writes there, as standby it hears.
#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/keeper.hpp"

namespace heddle::app {

using store::Quorum;

base::Result<std::vector<sm::RememberedLids>> Keeper::join(Replica::Options options) {
  auto replica =
      Replica::open(loop_, std::move(options),
                    [this](const std::vector<Quorum::Event>& events) { on_replica(events); });
  if (!replica) return replica.error();
  replica_ = std::move(*replica);
  const auto first = replica_->first(kFirst);
  std::vector<sm::RememberedLids> lids;
  for (const Quorum::Event& event : first) {
    if (const auto* told = std::get_if<Quorum::Told>(&event)) {
      lids = sm::recall(told->batch.records).lids;
    }
  }
  on_replica(first);
  return lids;
}

// Who is master no longer gives the place back.
void Keeper::set_state(mad::SMState state) {
  const bool was = std::exchange(state_, state) == mad::SMState::Master;
  if (replica_ && was && state != mad::SMState::Master) replica_->step_down();
}

void Keeper::on_replica(const std::vector<Quorum::Event>& events) {
  for (const Quorum::Event& event : events) {
    std::visit([this](const auto& each) { hear(each); }, event);
  }
  report();
}

// A copy whose master nobody hears may lack what was promised last, so its registrations are not
// believed; and its LIDs have been taken at the start.
void Keeper::hear(const Quorum::Told& told) {
  if (!told.live) {
    epoch_ = std::max(epoch_, told.batch.epoch);
    return;
  }
  store::State state{number_, told.batch};
  (void)this->told(state);
}

void Keeper::hear(const Quorum::Doubted&) {
  if (!was_told_) return;
  const std::uint64_t epoch = mirror_.epoch();
  mirror_.clear();
  was_told_ = false;
  if (listener_) listener_(sm::Shared{epoch, true, {}});
}

void Keeper::hear(const Quorum::Silent&) {
  if (listener_) listener_(sm::PeerSilent{});
}

void Keeper::hear(const Quorum::Overtaken& overtaken) {
  log_.say(sm::Severity::Warning, "ReplicaTaken",
           fmt::format("Another subnet manager is master in the replicated store, of epoch {}; "
                       "nothing is written there",
                       overtaken.epoch));
  give_way(overtaken.epoch);
}

void Keeper::hear(const Quorum::Behind& behind) {
  if (listener_) listener_(sm::Shared{behind.epoch, false, {}});
}

void Keeper::hear(const Quorum::Lost& lost) {
  replica_is_there_ = false;
  log_.say(sm::Severity::Warning, "ReplicaGone",
           fmt::format("The replicated store does not have what is remembered here: {}", lost.why));
}

void Keeper::hear(const Quorum::Whole&) {
  replica_is_there_ = true;
  log_.say(sm::Severity::Info, "ReplicaWhole",
           "The replicated store has all that is remembered here");
}

void Keeper::hear(const Quorum::Heard&) {
  if (std::exchange(replica_is_there_, true)) return;
  log_.say(sm::Severity::Info, "ReplicaHeard", "The replicated store answers");
}

}  // namespace heddle::app
