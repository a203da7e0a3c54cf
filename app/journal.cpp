// SPDX-License-Identifier: BSD-3-Clause
#include "app/journal.hpp"

#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
// Where in this program a line was logged from means nothing to its readers.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace heddle::app {

bool journal_is_standard_error() {
  const char* const told = std::getenv("JOURNAL_STREAM");
  struct stat found {};
  if (told == nullptr || ::fstat(STDERR_FILENO, &found) != 0) return false;
  return told == fmt::format("{}:{}", found.st_dev, found.st_ino);
}

std::string journal_field(std::string_view name) {
  std::string field = "HEDDLE_";
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    field += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return field;
}

bool write_to_journal(const LogLine& line) {
  constexpr std::array kPriorities{LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERR};
  std::vector<std::string> entries{
      "MESSAGE=" + line.sentence,
      fmt::format("PRIORITY={}", kPriorities[static_cast<std::size_t>(line.severity)]),
      "SYSLOG_IDENTIFIER=heddle",
      fmt::format("HEDDLE_EVENT={}", line.name),
  };
  for (const auto& [name, value] : line.fields) {
    entries.push_back(fmt::format("{}={}", journal_field(name), value));
  }
  std::vector<iovec> parts;
  for (std::string& entry : entries) parts.push_back({entry.data(), entry.size()});
  return ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) >= 0;
}

}  // namespace heddle::app
