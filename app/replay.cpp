// SPDX-License-Identifier: BSD-3-Clause
#include "app/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/option_text.hpp"
#include "app/perform.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

class Replay {
 public:
  Replay(transport::Recording recording, const base::ParallelFor& parallel)
      : player_(std::move(recording)), parallel_(parallel) {
    player_.set_receiver([this](std::span<transport::Received> batch) {
      for (auto& received : batch) step(input_of(std::move(received)));
    });
  }

  base::Result<Replayed> run() {
    while (const transport::RecordEntry* entry = player_.next()) {
      now_ = entry->time;
      const bool is_note = entry->kind == transport::RecordKind::Note;
      const std::string note = entry->note;
      if (!is_note && !core_) return base::error("a MAD stands before the start");
      player_.play();
      // A machine that has gone astray does not ask for what the recording answers.
      if (!player_.difference().empty()) return Replayed{player_.difference()};
      if (!is_note) continue;
      const auto done = carry_out(note);
      if (done.has_error()) return done.error();
    }
    return Replayed{player_.finish()};
  }

 private:
  base::Result<void> carry_out(std::string_view note) {
    const auto blank = std::min(note.find(' '), note.size());
    const auto verb = note.substr(0, blank);
    const auto rest = note.substr(std::min(blank + 1, note.size()));
    if (verb == "remember") return remember(rest);
    if (verb == "registered") {
      registrations_.append(rest).append("\n");
      return {};
    }
    if (verb == "start") return start(rest);
    if (!core_) return base::error("the recording does not begin with the options");
    if (verb == "tick") {
      step(sm::Tick{});
    } else if (verb == "resweep") {
      step(sm::ResweepCommand{std::string(rest)});
    } else if (verb == "options") {
      auto options = parse_options_text(rest);
      if (options.has_error()) return options.error();
      step(sm::OptionsChanged{std::make_shared<const sm::Options>(std::move(options.value()))});
    } else if (verb == "orders") {
      auto orders = parse_orders_text(rest);
      if (orders.has_error()) return orders.error();
      step(sm::OrdersChanged{std::move(orders.value())});
    } else if (verb == "stored") {
      return stored(rest);
    } else if (verb == "shared") {
      return shared(rest);
    } else if (verb == "peer-silent") {
      step(sm::PeerSilent{});
    } else if (verb == "routes") {
      return compute(rest);
    } else if (verb == "looked-up") {
      return look_up(rest);
    } else {
      return base::error(fmt::format("no such note: '{}'", base::printable(note)));
    }
    return {};
  }

  base::Result<void> remember(std::string_view text) {
    const auto lids = parse_remembered_text(text);
    if (lids.has_error()) return lids.error();
    remembered_.push_back(lids.value());
    return {};
  }

  base::Result<void> start(std::string_view text) {
    auto options = parse_options_text(text);
    if (options.has_error()) return options.error();
    core_.emplace(std::move(options.value()), std::exchange(remembered_, {}),
                  std::exchange(registrations_, {}));
    asked_.clear();
    return {};
  }

  base::Result<void> compute(std::string_view text) {
    const auto ticket = base::parse_number(text);
    const auto request = ticket ? asked_.find(*ticket) : asked_.end();
    if (request == asked_.end()) return base::error("routes that nobody asked for");
    step(sm::carry_out(request->second, parallel_));
    return {};
  }

  base::Result<void> stored(std::string_view text) {
    const auto blank = std::min(text.find(' '), text.size());
    const auto ticket = base::parse_number(text.substr(0, blank));
    if (!ticket) return base::error("what was stored has no ticket");
    step(sm::Stored{*ticket, std::string(text.substr(std::min(blank + 1, text.size())))});
    return {};
  }

  base::Result<void> shared(std::string_view text) {
    const auto fields = base::split(text, '\t');
    const auto head = base::split(fields[0], ' ');
    const auto epoch = base::parse_number(head[0]);
    if (!epoch || head.size() != 2 || fields.size() % 3 != 1) {
      return base::error("what was shared is not whole");
    }
    sm::Shared input{*epoch, head[1] == "1", {}};
    for (std::size_t i = 1; i < fields.size(); i += 3) {
      base::Record record{std::string(fields[i + 1]), std::string(fields[i + 2])};
      if (record.value == "-") record.value.reset();
      record.age = base::parse_number(fields[i]).value_or(0);
      input.records.push_back(std::move(record));
    }
    step(std::move(input));
    return {};
  }

  base::Result<void> look_up(std::string_view text) {
    const auto ticket = base::parse_number(text);
    const auto work = ticket ? look_ups_.find(*ticket) : look_ups_.end();
    if (work == look_ups_.end()) return base::error("a look-up that nobody asked for");
    sm::LookedUp found = app::look_up(work->second);
    look_ups_.erase(work);
    step(std::move(found));
    return {};
  }

  void step(sm::Input input) {
    core_->step(now_, std::move(input));
    for (sm::Output& output : core_->take_outputs()) {
      if (auto* mad = std::get_if<sm::SendMad>(&output)) {
        player_.send(std::move(mad->datagram));
      } else if (auto* work = std::get_if<sm::ComputeRoutes>(&output)) {
        asked_.insert_or_assign(work->ticket, std::move(*work));
      } else if (auto* query = std::get_if<sm::LookUp>(&output)) {
        look_ups_.insert_or_assign(query->ticket, std::move(*query));
      }
    }
  }

  transport::Player player_;
  const base::ParallelFor& parallel_;
  base::Instant now_{};
  std::optional<sm::Core> core_;
  std::vector<sm::RememberedLids> remembered_;
  std::string registrations_;
  std::map<std::uint64_t, sm::ComputeRoutes> asked_;
  std::map<std::uint64_t, sm::LookUp> look_ups_;
};

}  // namespace

base::Result<Replayed> replay(transport::Recording recording, const base::ParallelFor& parallel) {
  return Replay(std::move(recording), parallel).run();
}

}  // namespace heddle::app
