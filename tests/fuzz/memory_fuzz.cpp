// SPDX-License-Identifier: BSD-3-Clause
// Records as they may stand in a database, in a snapshot or in a replicated store: a line is NAME,
// a tab, VALUE. Whatever they are, they are read or refused, and what was read is said again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "sa/registrations_text.hpp"
#include "sm/memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace heddle;
  const base::Instant now{std::chrono::hours(1)};
  std::vector<base::Record> records;
  for (const auto line : base::split({reinterpret_cast<const char*>(bytes), size}, '\n')) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    records.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  sm::Recalled recalled = sm::recall(records);
  for (const auto& lids : recalled.lids) {
    HEDDLE_CHECK(sm::recall({{sm::to_record(lids)}}).lids.size() == 1);
  }
  const auto keys = sm::take_keys(recalled.registrations);
  std::string said_keys = sm::to_text(keys);
  const auto same = sm::take_keys(said_keys);
  HEDDLE_CHECK(said_keys.empty() && same.masters == keys.masters && same.by_port == keys.by_port);
  (void)sm::take_office(recalled.registrations);
  if (recalled.registrations.empty()) return 0;
  const auto parsed = sa::parse_registrations(recalled.registrations, now);
  if (!parsed) return 0;
  const auto said = sa::to_text(sa::to_records(*parsed, now));
  const auto again = sa::parse_registrations(said, now);
  HEDDLE_CHECK(again.has_value());
  HEDDLE_CHECK(sa::to_text(sa::to_records(*again, now)) == said);
  return 0;
}
