// SPDX-License-Identifier: BSD-3-Clause
// The log: typed events of the machine and remarks of the program around it, as lines for people
// or as JSON. Both come from the same name, severity, sentence and fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/log_limit.hpp"
#include "base/result.hpp"
#include "sm/events.hpp"

namespace spdlog {
class logger;
}

namespace heddle::app {

using Fields = std::vector<std::pair<std::string_view, std::string>>;
using WallTime = std::chrono::system_clock::time_point;

struct LogLine {
  WallTime time;
  sm::Severity severity{};
  std::string_view name;  // of the event
  std::string sentence;
  Fields fields;
};

// "2026-11-21T10:00:00.000Z WARN  The link a - b is gone [LinkDisappeared a=leaf-1/3 ...]".
std::string render_text(const LogLine& line);
// {"time":..,"level":..,"event":..,"message":..,"fields":{..}}, one line.
std::string render_json(const LogLine& line);

struct LogOptions {
  std::string level = "info";   // debug, info, warning, error
  std::string format = "text";  // text, json
  std::string file;             // empty: standard error
  std::uint32_t limit = 0;      // lines of one event in a minute; 0: any number
};

class Log {
 public:
  // An error when the file cannot be opened for appending.
  static base::Result<std::unique_ptr<Log>> open(const LogOptions& options);
  ~Log();

  void write(const sm::Event& event);
  void say(sm::Severity severity, std::string_view name, std::string sentence, Fields fields = {});

  // Called before each line that goes to standard error, to take a progress display away.
  void set_before_line(std::function<void()> before_line);

  // Opens the file anew, as after a rotation, with new options. On an error the old log goes on.
  base::Result<void> reopen(const LogOptions& options);
  base::Result<void> reopen() { return reopen(options_); }

 private:
  Log() = default;
  bool limited(sm::Severity severity, std::string_view name);
  void put(LogLine line);

  LogOptions options_;
  sm::Severity least_ = sm::Severity::Info;
  LogLimit limit_;
  bool journal_ = false;  // text goes to systemd's journal, as entries with fields
  std::shared_ptr<spdlog::logger> sink_;
  std::function<void()> before_line_;
};

}  // namespace heddle::app
