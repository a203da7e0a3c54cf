// SPDX-License-Identifier: BSD-3-Clause
#include "app/logging.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "api/journal.hpp"
#include "app/journal.hpp"
#include "app/opensm_log.hpp"

namespace heddle::app {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};
constexpr std::array<std::string_view, 4> kMarks{"DEBUG", "INFO ", "WARN ", "ERROR"};

// Bare when it is one word, so that a line can be read and split.
std::string value_text(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \"[]=") == std::string::npos) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

sm::Severity severity_of(std::string_view level) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == level) return static_cast<sm::Severity>(i);
  }
  return sm::Severity::Info;
}

base::Result<std::shared_ptr<spdlog::logger>> open_sink(const std::string& file) {
  try {
    spdlog::sink_ptr sink;
    if (file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    }
    auto logger = std::make_shared<spdlog::logger>("heddle", std::move(sink));
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    return logger;
  } catch (const spdlog::spdlog_ex&) {
    return base::error(fmt::format(
        "cannot write the log file {}: check that its directory exists and may be written", file));
  }
}

}  // namespace

std::string render_text(const LogLine& line) {
  std::string out =
      fmt::format("{} {} {} [{}", api::text(line.time),
                  kMarks[static_cast<std::size_t>(line.severity)], line.sentence, line.name);
  for (const auto& [key, value] : line.fields) {
    out += fmt::format(" {}={}", key, value_text(value));
  }
  return out + "]";
}

std::string render_json(const LogLine& line) {
  using Json = nlohmann::ordered_json;
  Json fields = Json::object();
  for (const auto& [key, value] : line.fields) fields[std::string(key)] = value;
  const Json whole{{"time", api::text(line.time)},
                   {"level", kLevels[static_cast<std::size_t>(line.severity)]},
                   {"event", line.name},
                   {"message", line.sentence},
                   {"fields", std::move(fields)}};
  return whole.dump(-1, ' ', true, Json::error_handler_t::replace);
}

base::Result<std::unique_ptr<Log>> Log::open(const LogOptions& options) {
  std::unique_ptr<Log> log(new Log);
  const auto opened = log->reopen(options);
  if (opened.has_error()) return opened.error();
  return log;
}

Log::~Log() = default;

base::Result<void> Log::reopen(const LogOptions& options) {
  auto sink = open_sink(options.file);
  if (sink.has_error()) return sink.error();
  sink_ = std::move(sink.value());
  options_ = options;
  least_ = severity_of(options.level);
  limit_.set(options.limit);
  journal_ = options.file.empty() && options.format == "text" && journal_is_standard_error();
  return {};
}

void Log::set_before_line(std::function<void()> before_line) {
  before_line_ = std::move(before_line);
}

void Log::write(const sm::Event& event) {
  const sm::Severity severity = sm::severity(event);
  if (severity < least_ || limited(severity, sm::event_name(event))) return;
  put({{}, severity, sm::event_name(event), sm::sentence(event), sm::fields(event)});
}

void Log::say(sm::Severity severity, std::string_view name, std::string sentence, Fields fields) {
  if (severity < least_ || limited(severity, name)) return;
  put({{}, severity, name, std::move(sentence), std::move(fields)});
}

// Whoever wants level debug wants all of it.
bool Log::limited(sm::Severity severity, std::string_view name) {
  const auto now = std::chrono::steady_clock::now();
  for (const LogLimit::LeftOut& each : limit_.take(now)) {
    put({{},
         sm::Severity::Warning,
         "LinesLeftOut",
         fmt::format("{} more lines {} in a minute were left out", each.lines, each.event),
         {{"event", each.event}, {"lines", std::to_string(each.lines)}}});
  }
  return severity != sm::Severity::Debug && !limit_.admits(name, now);
}

void Log::put(LogLine line) {
  line.time = std::chrono::system_clock::now();
  if (before_line_ && options_.file.empty()) before_line_();
  if (journal_ && write_to_journal(line)) return;
  sink_->info(options_.format == "json"     ? render_json(line)
              : options_.format == "opensm" ? render_opensm(line)
                                            : render_text(line));
}

}  // namespace heddle::app
