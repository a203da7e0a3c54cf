// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_record.hpp"

#include <variant>

#include <fmt/format.h>

#include "transport/record.hpp"

namespace heddle::app {
namespace {

using transport::RecordEntry;
using transport::RecordKind;

RecordEntry entry(const sm::MadReceived& input) {
  return {{}, RecordKind::Received, input.datagram, {}};
}
RecordEntry entry(const sm::SendFailed& input) {
  return {{}, RecordKind::GivenBack, input.datagram, {}};
}
RecordEntry entry(const sm::Tick&) {
  return {{}, RecordKind::Note, {}, "tick"};
}
RecordEntry entry(const sm::RoutesReady& input) {
  return {{}, RecordKind::Note, {}, fmt::format("routes {}", input.ticket)};
}
RecordEntry entry(const sm::ResweepCommand& input) {
  return {{}, RecordKind::Note, {}, fmt::format("resweep {}", input.reason)};
}
RecordEntry entry(const sm::OptionsChanged&) {
  return {{}, RecordKind::Note, {}, "options"};
}

}  // namespace

base::Result<std::unique_ptr<RunRecord>> RunRecord::open(const std::filesystem::path& file) {
  auto record = std::make_unique<RunRecord>();
  record->file_.open(file, std::ios::trunc);
  if (!record->file_) {
    return base::error(
        fmt::format("cannot write the record {}: check that its directory exists "
                    "and may be written",
                    file.string()));
  }
  record->file_ << transport::kRecordingFirstLine << "\n";
  return record;
}

void RunRecord::input(base::Instant now, const sm::Input& input) {
  RecordEntry written = std::visit([](const auto& each) { return entry(each); }, input);
  written.time = now;
  file_ << transport::to_line(written) << "\n";
}

void RunRecord::sent(base::Instant now, const mad::Datagram& datagram) {
  file_ << transport::to_line({now, RecordKind::Sent, datagram, {}}) << "\n";
}

}  // namespace heddle::app
