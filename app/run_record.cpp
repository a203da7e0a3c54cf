// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_record.hpp"

#include <cerrno>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/option_text.hpp"
#include "base/text.hpp"
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
RecordEntry entry(const sm::LookedUp& input) {
  return {{}, RecordKind::Note, {}, fmt::format("looked-up {}", input.ticket)};
}
// Not in a recording: while one is written, the machine is asked everything.
RecordEntry entry(const sm::AnsweredElsewhere& input) {
  return {{}, RecordKind::Note, {}, fmt::format("answered {}", input.talkers.size())};
}
RecordEntry entry(const sm::ResweepCommand& input) {
  return {{}, RecordKind::Note, {}, fmt::format("resweep {}", input.reason)};
}
RecordEntry entry(const sm::Stored& input) {
  const std::string space = input.trouble.empty() ? "" : " ";
  return {
      {}, RecordKind::Note, {}, fmt::format("stored {}{}{}", input.ticket, space, input.trouble)};
}
// Records are printable words: names and values are parted by tabs, and so are they.
RecordEntry entry(const sm::Shared& input) {
  std::string note = fmt::format("shared {} {}", input.epoch, input.whole ? 1 : 0);
  for (const base::Record& record : input.records) {
    note += fmt::format("\t{}\t{}\t{}", record.age, record.name, record.value.value_or("-"));
  }
  return {{}, RecordKind::Note, {}, note};
}
RecordEntry entry(const sm::PeerSilent&) {
  return {{}, RecordKind::Note, {}, "peer-silent"};
}
RecordEntry entry(const sm::OptionsChanged& input) {
  return {{}, RecordKind::Note, {}, "options " + options_text(*input.options)};
}

RecordEntry entry(const sm::OrdersChanged& input) {
  return {{}, RecordKind::Note, {}, "orders " + orders_text(input.orders)};
}

// It holds the M_Key and the SM_Key of the fabric: it is for its owner's eyes only, whoever was
// allowed to read what is overwritten. A pipe or a terminal is as its owner made it.
base::Result<void> hide(const std::filesystem::path& file) {
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made < 0) return {};  // who writes will find out why
  struct stat status {};
  const bool shown = ::fstat(made, &status) == 0 && S_ISREG(status.st_mode) &&
                     (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  const int failure = shown && ::fchmod(made, S_IRUSR | S_IWUSR) != 0 ? errno : 0;
  ::close(made);
  if (failure == 0) return {};
  return base::error(
      fmt::format("the record {} would hold the fabric's keys, others may read it, and that cannot "
                  "be changed: {}; name a new file",
                  file.string(), std::generic_category().message(failure)));
}

}  // namespace

std::optional<std::string> note_of(const sm::Input& input) {
  const RecordEntry written = std::visit([](const auto& each) { return entry(each); }, input);
  if (written.kind != RecordKind::Note) return std::nullopt;
  return written.note;
}

base::Result<std::unique_ptr<RunRecord>> RunRecord::open(const std::filesystem::path& file) {
  const auto hidden = hide(file);
  if (hidden.has_error()) return hidden.error();
  auto record = std::make_unique<RunRecord>(file);
  if (!record->file_.is_open()) {
    return base::error(
        fmt::format("cannot write the record {}: check that its directory exists "
                    "and may be written",
                    file.string()));
  }
  record->file_.write(transport::kRecordingFirstLine);
  return record;
}

std::vector<std::string> start_notes(const sm::Options& options,
                                     const std::vector<sm::RememberedLids>& remembered,
                                     const std::string& registrations) {
  std::vector<std::string> notes;
  for (const sm::RememberedLids& lids : remembered) {
    notes.push_back("remember " + remembered_text(lids));
  }
  for (const std::string_view line : base::split(registrations, '\n')) {
    if (!line.empty()) notes.push_back("registered " + std::string(line));
  }
  notes.push_back("start " + options_text(options));
  return notes;
}

void RunRecord::start(base::Instant now, const sm::Options& options,
                      const std::vector<sm::RememberedLids>& remembered,
                      const std::string& registrations) {
  for (const std::string& note : start_notes(options, remembered, registrations)) {
    file_.write(transport::to_line({now, RecordKind::Note, {}, note}));
  }
}

sm::Core begin_machine(RunRecord* record, base::Instant now, sm::Options options,
                       std::vector<sm::RememberedLids> remembered, std::string registrations) {
  if (record != nullptr) record->start(now, options, remembered, registrations);
  return sm::Core(std::move(options), std::move(remembered), std::move(registrations));
}

void RunRecord::input(base::Instant now, const sm::Input& input) {
  RecordEntry written = std::visit([](const auto& each) { return entry(each); }, input);
  written.time = now;
  file_.write(transport::to_line(written));
}

void RunRecord::sent(base::Instant now, const mad::Datagram& datagram) {
  file_.write(transport::to_line({now, RecordKind::Sent, datagram, {}}));
}

}  // namespace heddle::app
