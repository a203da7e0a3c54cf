// SPDX-License-Identifier: BSD-3-Clause
#include "app/perform.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/dumps.hpp"
#include "app/given_names.hpp"
#include "app/lid_entries.hpp"
#include "routing/selection.hpp"
#include "sa/request.hpp"
#include "store/text_file.hpp"

namespace heddle::app {
namespace {

store::TextFile registrations_file(std::filesystem::path lid_memory) {
  lid_memory += ".registrations";
  return {std::move(lid_memory), "registrations"};
}

}  // namespace

Performer::Performer(Sinks sinks, OutputFiles files, Log& log, Progress& progress,
                     Audience* audience)
    : sinks_(std::move(sinks)),
      files_(std::move(files)),
      log_(log),
      progress_(progress),
      audience_(audience) {}

void Performer::perform(std::vector<sm::Output> outputs, base::Instant now) {
  for (sm::Output& output : outputs) {
    std::visit([&](auto& each) { carry_out(std::move(each), now); }, output);
  }
  dump_multicast(now);
}

void Performer::carry_out(sm::SendMad&& output, base::Instant) {
  sinks_.send(std::move(output.datagram));
}

void Performer::carry_out(sm::ComputeRoutes&& output, base::Instant) {
  sinks_.compute(std::move(output));
}

void Performer::carry_out(sm::LookUp&& output, base::Instant) {
  sinks_.look_up(std::move(output));
}

void Performer::carry_out(sm::StoreLids&& output, base::Instant) {
  lids_ = std::move(output.lids);
  if (files_.lid_memory.empty()) return;
  const auto saved = store::save_lids(files_.lid_memory, entries_of(lids_));
  if (saved.has_error()) {
    log_.say(sm::Severity::Warning, "LidMemoryNotWritten",
             fmt::format("LIDs are not remembered: {}", saved.error().message));
  }
}

void Performer::carry_out(sm::Store&& output, base::Instant) {
  if (sinks_.store) sinks_.store(std::move(output));
}

void Performer::carry_out(sm::Publish&& output, base::Instant now) {
  newest_ = std::move(output.snapshot);
  next_dump_ = now;
  shown_ = files_.names ? with_names(*files_.names, newest_) : newest_;
  if (audience_ != nullptr) audience_->published(shown_);
  if (files_.dump_dir.empty()) return;
  const auto written = write_dumps(files_.dump_dir, *shown_);
  if (written.has_error()) {
    log_.say(sm::Severity::Warning, "DumpNotWritten", written.error().message);
  }
}

void Performer::carry_out(sm::PublishGroups&& output, base::Instant) {
  if (audience_ != nullptr) audience_->published(std::move(output.groups));
  if (!files_.dump_dir.empty()) undumped_ = std::move(output.tables);
}

void Performer::dump_multicast(base::Instant now) {
  // Clients may come and go many times in a second.
  constexpr base::Duration kBetweenDumps = std::chrono::seconds(10);
  if (undumped_ == nullptr || newest_ == nullptr || now < next_dump_) return;
  next_dump_ = now + kBetweenDumps;
  const auto tables = std::exchange(undumped_, nullptr);
  const auto written = write_multicast_dump(files_.dump_dir, newest_->topology, *tables);
  if (written.has_error()) {
    log_.say(sm::Severity::Warning, "DumpNotWritten", written.error().message);
  }
}

void Performer::carry_out(sm::PublishOrders&& output, base::Instant) {
  if (sinks_.ordered) sinks_.ordered(std::move(output.outcomes));
}

void Performer::carry_out(sm::Event&& output, base::Instant now) {
  times_.on_event(output, now);
  progress_.on_event(output, now);
  std::optional<sm::Event> renamed;
  if (files_.names) rename_nodes(*files_.names, renamed.emplace(output));
  const sm::Event& shown = renamed ? *renamed : output;
  log_.write(shown);
  if (sinks_.told) sinks_.told(output);
  if (audience_ != nullptr) audience_->told(shown);
}

base::Result<std::vector<sm::RememberedLids>> remembered_lids(const std::filesystem::path& file,
                                                              Log& log) {
  if (file.empty()) return std::vector<sm::RememberedLids>{};
  const auto loaded = store::load_lids(file);
  if (loaded.has_error()) return loaded.error();
  for (const std::string& warning : loaded->warnings) {
    log.say(sm::Severity::Warning, "LidMemoryLineSkipped", warning);
  }
  return lids_of(loaded->entries);
}

std::string take_registrations(const std::filesystem::path& lid_memory, Log& log) {
  if (lid_memory.empty()) return {};
  auto content = registrations_file(lid_memory).take();
  if (content) return std::move(content->text);
  log.say(sm::Severity::Warning, "RegistrationsNotRead", content.error().message);
  return {};
}

sm::Input input_of(transport::Received received) {
  if (received.arrival == transport::Arrival::SendFailed) {
    return sm::SendFailed{std::move(received.datagram)};
  }
  return sm::MadReceived{std::move(received.datagram)};
}

base::Duration kernel_timeout(const sm::Options& options) {
  return options.largest_timeout + std::chrono::seconds(2);
}

sm::LookedUp look_up(const sm::LookUp& work) {
  return {work.ticket, sa::look_up(*work.view, work.key, work.request)};
}

}  // namespace heddle::app
